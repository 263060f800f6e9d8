// Small inputs that sit on an edge: odd page sizes, full rows, shared slots, dropped rows, nothing
// at all.
#include <ExecutionSpaces.hpp>
#include <KokkosKV.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <reference/Arrays.hpp>
#include <support/GuardedMemory.hpp>
#include <support/Refusal.hpp>
#include <support/TestBatch.hpp>

namespace KokkosKVTest {

using namespace KokkosKV;

template <class ExecSpace>
class CornerCases : public testing::Test {
 protected:
  using memory_space = typename ExecSpace::memory_space;
  template <int PageSize, int NumHeads, int HeadSize>
  using blocks_of = Kokkos::View<float*** [PageSize][NumHeads][HeadSize], memory_space>;

  /// Rows `[tokens, heads, head_size]` whose elements are `first`, `first + 1`, …
  static auto rows(std::size_t tokens, std::size_t heads, std::size_t head_size, float first) {
    Kokkos::View<float***, Kokkos::LayoutRight, memory_space> const input("input", tokens, heads,
                                                                          head_size);
    std::vector<float> values(input.size());
    std::iota(values.begin(), values.end(), first);
    copy_to_device(Kokkos::View<float*, memory_space>(input.data(), input.size()), values);
    return input;
  }

  /// Stores tokens 0, 1, … of one sequence, reads all of them back, and expects what was stored.
  template <int PageSize>
  static void check_round_trip(Numbers const& table, std::size_t tokens) {
    blocks_of<PageSize, 2, 4> const blocks("blocks", table.size() + 1, 2, 1);
    auto const pool   = TestBatch{{0}, {table}}.collection(blocks);
    auto const input  = rows(tokens, 2, 4, 1.0f);
    auto const offset = to_view<memory_space>({0, static_cast<std::uint32_t>(tokens)});
    kv_cache_store_ragged(ExecSpace{}, pool.get_key_cache(0), offset, input);
    auto const found    = to_vector(blocks);
    auto const expected = to_vector(input);
    std::vector<float> whole(found.size(), 0.0f);
    for (std::size_t t = 0; t < tokens; ++t) {
      std::size_t const page = table[t / PageSize];
      auto const slot        = page * 2 * PageSize + t % PageSize;
      std::copy_n(&expected[t * 8], 8, &whole[slot * 8]);
    }
    EXPECT_EQ(found, whole);
    auto const output = rows(tokens, 2, 4, 0.0f);
    kv_cache_load_ragged(ExecSpace{}, pool.get_key_cache(0), to_view<memory_space>({0}), offset,
                         output);
    EXPECT_EQ(to_vector(output), expected);
  }
};
TYPED_TEST_SUITE(CornerCases, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(CornerCases, LargeAndOddPageSizes) {
  TestFixture::template check_round_trip<512>({2, 0, 1}, 1300);
  TestFixture::template check_round_trip<257>({1, 2, 0}, 700);
  TestFixture::template check_round_trip<1>({3, 1, 2, 0}, 4);
}

TYPED_TEST(CornerCases, RowsThatFillTheTableExactly) {
  TestFixture::template check_round_trip<4>({1, 0}, 8);
}

// The entry behind a row is another sequence's page, or no page at all: it is never looked at.
TYPED_TEST(CornerCases, RowOfTheTableIsNotLeft) {
  using memory_space = typename TestFixture::memory_space;
  typename TestFixture::template blocks_of<4, 1, 4> const blocks("blocks", 4, 2, 1);
  auto const all = to_view<memory_space>({0, 1, 2, 3, 0xDEAD0000u, 0xDEAD0000u});
  Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, memory_space> const table(all.data(), 2, 2);
  auto const pool    = generic_get_paged_cache(blocks, to_view<memory_space>({8, 0}), table, 4, 8);
  auto const input   = TestFixture::rows(2, 1, 4, 1.0f);
  auto const offsets = to_view<memory_space>({0, 1, 2});
  auto const cache   = pool.get_key_cache(0);
  expect_refusal<LookupTableError>(
      "kv_cache_store_ragged: lookup_table row of sequence 0: found 2 pages, expected at least 3 "
      "pages "
      "(sequence 0 needs 9 tokens in pages of 4)",
      [&] { kv_cache_store_ragged(TypeParam{}, cache, offsets, input); });
  std::vector<float> expected(blocks.size(), 0.0f);
  EXPECT_EQ(to_vector(blocks), expected);
  kv_cache_store_ragged(TypeParam{}, cache, offsets, input, unchecked);
  Kokkos::fence();
  // Only sequence 1 has room: its first token lies at the start of page 2.
  for (std::size_t d = 0; d < 4; ++d) expected[2 * 32 + d] = static_cast<float>(5 + d);
  EXPECT_EQ(to_vector(blocks), expected);
}

TYPED_TEST(CornerCases, RecycledPageKeepsNothingOfItsFormerOwner) {
  using memory_space = typename TestFixture::memory_space;
  typename TestFixture::template blocks_of<4, 1, 2> const blocks("blocks", 1, 2, 1);
  auto const poison = TestFixture::rows(4, 1, 2, 0.0f);
  std::vector<float> bad(8, std::numeric_limits<float>::quiet_NaN());
  bad[0] = bad[5] = std::numeric_limits<float>::infinity();
  copy_to_device(Kokkos::View<float*, memory_space>(poison.data(), 8), bad);
  TestBatch const batch{{0}, {{0}}};
  auto const former = batch.collection(blocks);
  kv_cache_store_ragged(TypeParam{}, former.get_key_cache(0), to_view<memory_space>({0, 4}),
                        poison);

  auto const pool  = batch.collection(blocks);
  auto const input = TestFixture::rows(1, 1, 2, 3.0f);
  kv_cache_store_ragged(TypeParam{}, pool.get_key_cache(0), to_view<memory_space>({0, 1}), input);
  auto const output = TestFixture::rows(1, 1, 2, 0.0f);
  kv_cache_load_ragged(TypeParam{}, pool.get_key_cache(0), to_view<memory_space>({0}),
                       to_view<memory_space>({0, 1}), output);
  EXPECT_EQ(to_vector(output), to_vector(input));
  auto expected = bad;
  expected[0]   = 3.0f;
  expected[1]   = 4.0f;
  auto found    = to_vector(blocks);
  found.resize(8);
  EXPECT_TRUE(same_bits(found, expected, [](std::size_t) { return "keys"; }));
}

// Null pages take no row, wherever the dropped rows come from: not even NaN gets through.
TYPED_TEST(CornerCases, PoolOfOnePageAndANullPage) {
  using memory_space = typename TestFixture::memory_space;
  GuardedMemory<float, memory_space> const memory(2 * 2 * 2);
  auto const blocks = padded_blocks<float, 2, 1, 2, memory_space>(memory.data(), 1, 2, 1, 8);
  auto const pool   = TestBatch{{0}, {{0, null_page}}}.collection(blocks);
  auto const input  = TestFixture::rows(4, 1, 2, 1.0f);
  auto const nan    = std::numeric_limits<float>::quiet_NaN();
  copy_to_device(Kokkos::View<float*, memory_space>(input.data(), 8),
                 std::vector<float>{1, 2, 3, 4, nan, nan, nan, nan});
  auto expected      = memory.snapshot();
  auto const offsets = to_view<memory_space>({0, 4});
  kv_cache_store_ragged(TypeParam{}, pool.get_key_cache(0), offsets, input);
  std::iota(&expected[memory.guard], &expected[memory.guard + 4], 1.0f);
  EXPECT_EQ(memory.snapshot(), expected);

  auto const output = TestFixture::rows(4, 1, 2, 50.0f);
  kv_cache_load_ragged(TypeParam{}, pool.get_key_cache(0), to_view<memory_space>({0}), offsets,
                       output);
  EXPECT_EQ(to_vector(output), (std::vector<float>{1, 2, 3, 4, 0, 0, 0, 0}));
}

// A page may serve two sequences, or one sequence twice, as long as no slot is written twice.
TYPED_TEST(CornerCases, SharedPagesWithSlotsOfTheirOwn) {
  using memory_space = typename TestFixture::memory_space;
  auto const store   = [](TestBatch const& batch, Numbers const& offsets, std::size_t pages = 3) {
    typename TestFixture::template blocks_of<4, 1, 1> const blocks("blocks", pages, 1, 1);
    auto const pool  = batch.collection(blocks);
    auto const input = TestFixture::rows(offsets.back(), 1, 1, 1.0f);
    kv_cache_store_ragged(TypeParam{}, pool.get_key_cache(0), to_view<memory_space>(offsets),
                            input);
    return to_vector(blocks);
  };
  using values = std::vector<float>;
  // Sequence 0 in slots 0, 1 of page 2, sequence 1 in slots 2, 3.
  EXPECT_EQ(store({{4, 2}, {{0, 2}, {2, 1}}}, {0, 2, 4}),
            (values{0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4}));
  // Both read a common prefix from page 0 and write elsewhere.
  EXPECT_EQ(store({{4, 4}, {{0, 1}, {0, 2}}}, {0, 1, 2}),
            (values{0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0}));
  // One sequence, one page, twice: slots 2, 3 and then 0, 1.
  EXPECT_EQ(store({{2}, {{1, 1}}}, {0, 4}), (values{0, 0, 0, 0, 3, 4, 1, 2, 0, 0, 0, 0}));
  // Null pages are no common slot.
  EXPECT_EQ(store({{0, 0}, {{null_page, 1}, {null_page, 2}}}, {0, 5, 10}),
            (values{0, 0, 0, 0, 5, 0, 0, 0, 10, 0, 0, 0}));
  // A sequence without new rows writes nothing, whatever it shares.
  EXPECT_EQ(store({{0, 0}, {{1}, {1}}}, {0, 0, 2}), (values{0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0}));
  // Pages whose numbers have their low bits in common are not the same page.
  auto const far_apart = store({{0, 0}, {{0}, {64}}}, {0, 1, 2}, 65);
  EXPECT_EQ(far_apart[0], 1.0f);
  EXPECT_EQ(far_apart[64 * 4], 2.0f);
}

// Tokens beyond 32 bits: 2^32 - 2 cached ones and 4 new rows, in pages of 2^20 tokens of one byte.
TYPED_TEST(CornerCases, TokensBeyond32Bits) {
  using memory_space      = typename TestFixture::memory_space;
  constexpr int page_size = 1 << 20;
  Kokkos::View<std::int8_t*** [page_size][1][1], memory_space> const blocks("blocks", 2, 1, 1);
  Kokkos::View<std::int8_t***, Kokkos::LayoutRight, memory_space> const input("input", 4, 1, 1);
  copy_to_device(Kokkos::View<std::int8_t*, memory_space>(input.data(), 4),
                 std::vector<std::int8_t>{1, 2, 3, 4});
  auto const offsets = to_view<memory_space>({0, 4});
  auto const store   = [&](std::size_t pages) {
    Numbers row(pages, null_page);
    row[4095] = 0;
    if (pages > 4096) row[4096] = 1;
    TestBatch batch{{0xFFFFFFFEu}, {row}};
    batch.max_cache_length = 0xFFFFFFFFu;
    auto const pool        = batch.collection(blocks);
    kv_cache_store_ragged(TypeParam{}, pool.get_key_cache(0), offsets, input);
  };
  std::vector<std::int8_t> expected(blocks.size(), 0);
  expect_refusal<LookupTableError>(
      "kv_cache_store_ragged: lookup_table row of sequence 0: found 4096 pages, expected at least "
      "4097 "
      "pages "
      "(sequence 0 needs 4294967298 tokens in pages of 1048576)",
      [&] { store(4096); });
  EXPECT_EQ(to_vector(blocks), expected);
  store(4097);
  expected[page_size - 2] = 1;
  expected[page_size - 1] = 2;
  expected[page_size]     = 3;
  expected[page_size + 1] = 4;
  EXPECT_EQ(to_vector(blocks), expected);
}

TYPED_TEST(CornerCases, EmptyBatch) {
  using memory_space = typename TestFixture::memory_space;
  typename TestFixture::template blocks_of<4, 1, 2> const blocks("blocks", 2, 2, 1);
  auto const pool   = TestBatch{{}, {}}.collection(blocks);
  auto const keys   = pool.get_key_cache(0);
  auto const values = pool.get_value_cache(0);
  auto const input  = TestFixture::rows(0, 1, 2, 1.0f);
  auto const offset = to_view<memory_space>({0});
  auto const none   = to_view<memory_space>({});
  Kokkos::View<float****, Kokkos::LayoutRight, memory_space> const padded("padded", 0, 3, 1, 2);
  TypeParam const exec;
  kv_cache_store_ragged(exec, keys, offset, input);
  kv_cache_store_ragged_key_value(exec, keys, values, offset, input, input);
  kv_cache_store_padded(exec, keys, none, padded);
  kv_cache_store_padded_key_value(exec, keys, values, none, padded, padded);
  kv_cache_load_ragged(exec, keys, none, offset, input);
  copy_pages(exec, pool, none, none);
  Kokkos::fence();
  EXPECT_EQ(to_vector(blocks), std::vector<float>(blocks.size(), 0.0f));
}

TYPED_TEST(CornerCases, NoNewTokens) {
  using memory_space = typename TestFixture::memory_space;
  typename TestFixture::template blocks_of<4, 1, 2> const blocks("blocks", 2, 2, 1);
  // Both sequences may share their page: neither writes.
  auto const pool    = TestBatch{{4, 3}, {{0}, {0}}}.collection(blocks);
  auto const keys    = pool.get_key_cache(0);
  auto const input   = TestFixture::rows(0, 1, 2, 1.0f);
  auto const offsets = to_view<memory_space>({0, 0, 0});
  auto const lengths = to_view<memory_space>({0, 0});
  Kokkos::View<float****, Kokkos::LayoutRight, memory_space> const no_rows("padded", 2, 0, 1, 2);
  Kokkos::View<float****, Kokkos::LayoutRight, memory_space> const rows("padded", 2, 3, 1, 2);
  Kokkos::deep_copy(rows, 1.0f);
  TypeParam const exec;
  kv_cache_store_ragged(exec, keys, offsets, input);
  kv_cache_store_padded(exec, keys, lengths, no_rows);
  kv_cache_store_padded(exec, keys, lengths, rows);
  kv_cache_load_ragged(exec, keys, lengths, offsets, input);
  Kokkos::fence();
  EXPECT_EQ(to_vector(blocks), std::vector<float>(blocks.size(), 0.0f));
}

TYPED_TEST(CornerCases, OneElementAToken) {
  using memory_space = typename TestFixture::memory_space;
  typename TestFixture::template blocks_of<3, 1, 1> const blocks("blocks", 2, 2, 2);
  auto const pool  = TestBatch{{1}, {{1, 0}}}.collection(blocks);
  auto const input = TestFixture::rows(4, 1, 1, 1.0f);
  kv_cache_store_ragged(TypeParam{}, pool.get_value_cache(1), to_view<memory_space>({0, 4}), input);
  std::vector<float> expected(blocks.size(), 0.0f);
  // Values of layer 1 are the last of the four groups of 3 slots in a page.
  expected[12 + 9 + 1] = 1.0f;
  expected[12 + 9 + 2] = 2.0f;
  expected[9]          = 3.0f;
  expected[10]         = 4.0f;
  EXPECT_EQ(to_vector(blocks), expected);
}

}  // namespace KokkosKVTest
