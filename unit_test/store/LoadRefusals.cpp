// Refusals of kv_cache_load_ragged(), word for word: neither the pool nor the output changes.
#include <StoreRefusal.hpp>

namespace KokkosKVTest {

using KokkosKV::kv_cache_load_ragged;
using KokkosKV::LookupTableError;
using KokkosKV::RaggedError;
using KokkosKV::ShapeError;

template <class ExecSpace>
class LoadRefusals : public StoreRefusal<ExecSpace> {
 protected:
  using typename StoreRefusal<ExecSpace>::memory_space;
  using typename StoreRefusal<ExecSpace>::ragged_view;

  TestBatch const good{{3, 0}, {{0, 1}, {2, 3}}};

  /// Refused with and without execution space.
  template <class Error, class FirstTokens, class Offsets>
  void load_refuses(std::string const& message, TestBatch const& batch,
                    FirstTokens const& first_tokens, Offsets const& offsets,
                    ragged_view const& output) const {
    auto const pool   = this->collection(batch);
    auto const cache  = pool.get_value_cache(1);
    auto const before = to_vector(output);
    this->template refuses<Error>("kv_cache_load_ragged: " + message, [&] {
      kv_cache_load_ragged(ExecSpace{}, cache, first_tokens, offsets, output);
    });
    this->template refuses<Error>("kv_cache_load_ragged: " + message, [&] {
      kv_cache_load_ragged(cache, first_tokens, offsets, output);
    });
    EXPECT_EQ(to_vector(output), before);
  }

  template <class Error>
  void load_refuses(std::string const& message, TestBatch const& batch, Numbers const& first_tokens,
                    Numbers const& offsets, std::size_t tokens) const {
    load_refuses<Error>(message, batch, to_view<memory_space>(first_tokens),
                        to_view<memory_space>(offsets), ragged_view("output", tokens, 2, 4));
  }
};
TYPED_TEST_SUITE(LoadRefusals, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(LoadRefusals, ExtentsOfTheOutput) {
  using view         = typename TestFixture::ragged_view;
  auto const numbers = [](Numbers const& n) {
    return to_view<typename TestFixture::memory_space>(n);
  };
  this->template load_refuses<ShapeError>("output[1]: found 3, expected 2", this->good,
                                          numbers({0, 0}), numbers({0, 1, 2}),
                                          view("output", 2, 3, 4));
  this->template load_refuses<ShapeError>("output[2]: found 3, expected 4", this->good,
                                          numbers({0, 0}), numbers({0, 1, 2}),
                                          view("output", 2, 2, 3));
  this->template load_refuses<ShapeError>("output[0]: found 2, expected 0 for an empty batch",
                                          TestBatch{{}, {}}, numbers({}), numbers({0}),
                                          view("output", 2, 2, 4));
}

TYPED_TEST(LoadRefusals, MoreTokensThanOffsetsCanTell) {
  // Refused before it is looked at: no memory needs to be there.
  using output_type =
      Kokkos::View<float***, Kokkos::LayoutRight, typename TestFixture::memory_space,
                   Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  output_type const output(this->memory.data(), std::size_t(1) << 32, 2, 4);
  if (output.extent(0) >> 32 == 0) GTEST_SKIP() << "this Kokkos counts extents in 32 bits";
  auto const pool    = this->collection(this->good);
  auto const tokens  = to_view<typename TestFixture::memory_space>({0, 0});
  auto const offsets = to_view<typename TestFixture::memory_space>({0, 1, 2});
  this->template refuses<ShapeError>(
      "kv_cache_load_ragged: output[0]: found 4294967296, expected at most 4294967295, what uint32 "
      "offsets can tell",
      [&] { kv_cache_load_ragged(pool.get_key_cache(0), tokens, offsets, output); });
}

TYPED_TEST(LoadRefusals, NumberOfFirstTokensAndOffsets) {
  this->template load_refuses<ShapeError>("first_tokens.extent(0): found 1, expected 2", this->good,
                                          {0}, {0, 1, 2}, 2);
  this->template load_refuses<ShapeError>("output_row_offsets.extent(0): found 2, expected 3",
                                          this->good, {0, 0}, {0, 2}, 2);
}

TYPED_TEST(LoadRefusals, Strides) {
  using memory_space = typename TestFixture::memory_space;
  typename TestFixture::ragged_view const output("output", 2, 2, 4);
  this->template load_refuses<ShapeError>("first_tokens.stride(0): found 2, expected 1", this->good,
                                          to_strided_view<memory_space>({0, 0}),
                                          to_view<memory_space>({0, 1, 2}), output);
  this->template load_refuses<ShapeError>("output_row_offsets.stride(0): found 2, expected 1",
                                          this->good, to_view<memory_space>({0, 0}),
                                          to_strided_view<memory_space>({0, 1, 2}), output);
}

TYPED_TEST(LoadRefusals, Offsets) {
  this->template load_refuses<RaggedError>("output_row_offsets(0): found 1, expected 0", this->good,
                                           {0, 0}, {1, 2, 3}, 3);
  this->template load_refuses<RaggedError>(
      "output_row_offsets(2): found 2, expected 3, the number of tokens", this->good, {0, 0},
      {0, 1, 2}, 3);
  this->template load_refuses<RaggedError>(
      "output_row_offsets(2): found 0, expected 1 (the offset before it) to 3 (the number of "
      "tokens)",
      this->good, {0, 0}, {0, 1, 0}, 3);
}

TYPED_TEST(LoadRefusals, RangePastTheRowOfTheTable) {
  this->template load_refuses<LookupTableError>(
      "lookup_table row of sequence 1: found 2 pages, expected at least 3 pages (sequence 1 needs "
      "9 tokens "
      "in "
      "pages of 4)",
      this->good, {0, 7}, {0, 1, 3}, 3);
  this->template load_refuses<LookupTableError>(
      "lookup_table row of sequence 0: found 2 pages, expected at least 1073741824 pages (sequence "
      "0 needs "
      "4294967296 tokens in pages of 4)",
      this->good, {0xFFFFFFFFu, 0}, {0, 1, 1}, 1);
}

TYPED_TEST(LoadRefusals, PageOutsideThePool) {
  this->template load_refuses<LookupTableError>(
      "lookup_table(1, 1): found 6, expected below 6 (pages), or null_page",
      TestBatch{{3, 0}, {{0, 1}, {2, 6}}}, {0, 4}, {0, 1, 2}, 2);
}

// Reading is no conflict, and the announced maxima bound only what is stored.
TYPED_TEST(LoadRefusals, AllowsSharedPagesAndAnyLength) {
  using memory_space = typename TestFixture::memory_space;
  TestBatch batch{{0, 0}, {{2, 2}, {2, 2}}, 0, 0};
  auto const pool   = this->collection(batch);
  auto const before = this->memory.snapshot();
  typename TestFixture::ragged_view const output("output", 16, 2, 4);
  kv_cache_load_ragged(TypeParam{}, pool.get_key_cache(1), to_view<memory_space>({0, 0}),
                       to_view<memory_space>({0, 8, 16}), output);
  Kokkos::fence();
  auto const rows = to_vector(output);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto const at = this->memory.guard + 2 * this->page_pitch + 4 * 2 * 4 + i % 32;
    ASSERT_EQ(rows[i], before[at]) << i;
  }
}

}  // namespace KokkosKVTest
