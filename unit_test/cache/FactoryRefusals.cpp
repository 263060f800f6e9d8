// Refusals of generic_get_paged_cache() and padded_blocks(), word for word.
#include <ExecutionSpaces.hpp>
#include <KokkosKV.hpp>
#include <array>
#include <support/GuardedMemory.hpp>
#include <support/Refusal.hpp>
#include <support/TestBatch.hpp>

namespace KokkosKVTest {

using KokkosKV::generic_get_paged_cache;
using KokkosKV::KVCacheStaticParams;
using KokkosKV::LookupTableError;
using KokkosKV::RaggedError;
using KokkosKV::ShapeError;
using KokkosKV::unchecked;

/// Pages of 4 tokens, 2 heads of 6 elements, 3 layers.
template <class ExecSpace>
class FactoryRefusals : public testing::Test {
 protected:
  using memory_space = typename ExecSpace::memory_space;
  using strided      = Kokkos::View<float*** [4][2][6], Kokkos::LayoutStride, memory_space>;
  using dynamic      = Kokkos::View<float******, Kokkos::LayoutRight, memory_space>;
  using extents_type = std::array<std::size_t, 6>;

  static constexpr std::size_t packed_page = 2 * 3 * 4 * 2 * 6;
  static constexpr extents_type packed{packed_page, 144, 48, 12, 6, 1};

  GuardedMemory<float, memory_space> memory{5 * packed_page};
  Kokkos::View<std::uint32_t*, memory_space> lengths = to_view<memory_space>({3, 0});
  Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, memory_space> table =
      to_table<memory_space>({{0, 1}, {2, 3}});

  /// Blocks of any stride over the guarded memory.
  strided blocks(extents_type const& stride = packed, std::size_t kv_dim = 2,
                 std::size_t num_blocks = 5) const {
    return strided(memory.data(),
                   Kokkos::LayoutStride(num_blocks, stride[0], kv_dim, stride[1], 3, stride[2], 4,
                                        stride[3], 2, stride[4], 6, stride[5]));
  }

  /// Refused with these arguments, and the pool is as it was. Shapes are checked all the same where
  /// the contents are not.
  template <class Error, class... Arguments>
  void refuses(std::string const& message, Arguments const&... arguments) const {
    auto const before      = memory.snapshot();
    std::string const text = "generic_get_paged_cache: " + message;
    expect_refusal<Error>(text, [&] { generic_get_paged_cache(arguments...); });
    if constexpr (std::is_same_v<Error, ShapeError>) {
      expect_refusal<Error>(text, [&] { generic_get_paged_cache(arguments..., unchecked); });
    }
    EXPECT_EQ(memory.snapshot(), before);
  }
};
TYPED_TEST_SUITE(FactoryRefusals, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(FactoryRefusals, KvDimension) {
  this->template refuses<ShapeError>(
      "blocks.extent(1): found 3, expected 2 (keys and values) or 1 (MLA)",
      this->blocks(this->packed, 3), this->lengths, this->table, 8, 8);
  this->template refuses<ShapeError>(
      "blocks.extent(1): found 0, expected 2 (keys and values) or 1 (MLA)",
      this->blocks(this->packed, 0), this->lengths, this->table, 8, 8);
}

TYPED_TEST(FactoryRefusals, StridesOfBlocks) {
  for (std::size_t dimension = 1; dimension < 6; ++dimension) {
    auto stride = this->packed;
    stride[dimension] += 1;
    this->template refuses<ShapeError>("blocks.stride(" + std::to_string(dimension) + "): found " +
                                           std::to_string(stride[dimension]) + ", expected " +
                                           std::to_string(this->packed[dimension]),
                                       this->blocks(stride), this->lengths, this->table, 8, 8);
  }
}

TYPED_TEST(FactoryRefusals, PagePitch) {
  auto stride = this->packed;
  stride[0] -= 1;
  this->template refuses<ShapeError>("blocks.stride(0): found 287, expected at least 288",
                                     this->blocks(stride), this->lengths, this->table, 8, 8);
}

// Page numbers are uint32, and null_page is none of them.
TYPED_TEST(FactoryRefusals, NumberOfPages) {
  auto const pages = [](std::size_t number) {
    return Kokkos::View<float*** [1][1][1], Kokkos::LayoutRight, typename TestFixture::memory_space,
                        Kokkos::MemoryTraits<Kokkos::Unmanaged>>(nullptr, number, 1, 1);
  };
  EXPECT_NO_THROW(
      generic_get_paged_cache(pages(0xFFFFFFFFu), this->lengths, this->table, 3, 3, unchecked));
  auto const too_many = pages(std::size_t(1) << 32);
  if (too_many.extent(0) >> 32 == 0) GTEST_SKIP() << "this Kokkos counts extents in 32 bits";
  this->template refuses<ShapeError>(
      "blocks.extent(0): found 4294967296, expected at most 4294967295 pages", too_many,
      this->lengths, this->table, 8, 8);
}

TYPED_TEST(FactoryRefusals, StrideOfCacheLengths) {
  this->template refuses<ShapeError>("cache_lengths.stride(0): found 2, expected 1", this->blocks(),
                                     to_strided_view<typename TestFixture::memory_space>({3, 0}),
                                     this->table, 8, 8);
}

TYPED_TEST(FactoryRefusals, LookupTable) {
  using memory_space = typename TestFixture::memory_space;
  this->template refuses<ShapeError>("lookup_table.extent(0): found 1, expected 2", this->blocks(),
                                     this->lengths, to_table<memory_space>({{0, 1}}), 8, 8);
  auto const view = [&](std::size_t row_stride, std::size_t stride) {
    return Kokkos::View<std::uint32_t**, Kokkos::LayoutStride, memory_space>(
        this->table.data(), Kokkos::LayoutStride(2, row_stride, 2, stride));
  };
  this->template refuses<ShapeError>("lookup_table.stride(1): found 2, expected 1", this->blocks(),
                                     this->lengths, view(1, 2), 8, 8);
  this->template refuses<ShapeError>("lookup_table.stride(0): found 1, expected at least 2",
                                     this->blocks(), this->lengths, view(1, 1), 8, 8);
}

TYPED_TEST(FactoryRefusals, NumbersOutsideTheRangeOfUint32) {
  auto const check = [&](std::string const& found, auto number) {
    this->template refuses<RaggedError>(
        "max_prompt_length: found " + found + ", expected 0 to 4294967295", this->blocks(),
        this->lengths, this->table, number, 8);
    this->template refuses<RaggedError>(
        "max_cache_length: found " + found + ", expected 0 to 4294967295", this->blocks(),
        this->lengths, this->table, 8, number, unchecked);
  };
  check("-1", -1);
  check("-9223372036854775808", std::numeric_limits<long long>::min());
  check("4294967296", std::size_t(1) << 32);
}

TYPED_TEST(FactoryRefusals, ViewsOfMoreOrFewerThanOneNumber) {
  using view = Kokkos::View<std::uint32_t*, Kokkos::HostSpace>;
  this->template refuses<ShapeError>("max_prompt_length.size(): found 2, expected 1",
                                     this->blocks(), this->lengths, this->table,
                                     view("two numbers", 2), 8);
  this->template refuses<ShapeError>("max_cache_length.size(): found 0, expected 1", this->blocks(),
                                     this->lengths, this->table, 8, view("no number", 0));
  view const one("one number", 1);
  Kokkos::View<std::uint32_t, Kokkos::HostSpace> const scalar("rank 0");
  one(0)   = 3;
  scalar() = 7;
  auto const pool =
      generic_get_paged_cache(this->blocks(), this->lengths, this->table, scalar, one);
  EXPECT_EQ(pool.max_prompt_length(), 7u);
  EXPECT_EQ(pool.max_cache_length(), 3u);
}

TYPED_TEST(FactoryRefusals, MoreCachedTokensThanAnnounced) {
  this->template refuses<RaggedError>(
      "cache_lengths(0): found 3, expected at most max_cache_length = 2", this->blocks(),
      this->lengths, this->table, 8, 2);
}

TYPED_TEST(FactoryRefusals, MoreCachedTokensThanTheTableHolds) {
  using memory_space = typename TestFixture::memory_space;
  this->template refuses<LookupTableError>(
      "lookup_table.extent(1): found 2, expected at least 3 pages for sequence 1 of 9 tokens",
      this->blocks(), to_view<memory_space>({8, 9}), this->table, 8, 9);
  this->template refuses<LookupTableError>(
      "lookup_table.extent(1): found 2, expected at least 1073741824 pages for sequence 0 of "
      "4294967295 tokens",
      this->blocks(), to_view<memory_space>({0xFFFFFFFFu, 9}), this->table, 8, 0xFFFFFFFFu);
}

TYPED_TEST(FactoryRefusals, FirstOfSeveralSequences) {
  using memory_space = typename TestFixture::memory_space;
  Numbers lengths(1000, 1);
  lengths[200]     = 9;
  lengths[201]     = 40;
  lengths[999]     = 50;
  auto const table = to_table<memory_space>(std::vector<Numbers>(1000, {0, 1}));
  for (int repeat = 0; repeat < 10; ++repeat) {
    this->template refuses<LookupTableError>(
        "lookup_table.extent(1): found 2, expected at least 3 pages for sequence 200 of 9 tokens",
        this->blocks(), to_view<memory_space>(lengths), table, 8, 10);
  }
}

// Bad contents pass where the caller asks for it: they are met by the store.
TYPED_TEST(FactoryRefusals, UncheckedLeavesContentsUnread) {
  EXPECT_NO_THROW(
      generic_get_paged_cache(this->blocks(), this->lengths, this->table, 8, 2, unchecked));
}

TYPED_TEST(FactoryRefusals, ParametersThatDoNotFitTheExtents) {
  using view         = typename TestFixture::dynamic;
  auto const refuses = [&]<KVCacheStaticParams Params>(std::string const& message,
                                                       view const& blocks) {
    expect_refusal<ShapeError>("generic_get_paged_cache: blocks." + message, [&] {
      generic_get_paged_cache<Params, 4>(blocks, this->lengths, this->table, 8, 8);
    });
  };
  constexpr KVCacheStaticParams plain{2, 6};
  constexpr KVCacheStaticParams mla{2, 6, true};
  refuses.template operator()<plain>("extent(1): found 1, expected 2", view("b", 5, 1, 3, 4, 2, 6));
  refuses.template operator()<mla>("extent(1): found 2, expected 1", view("b", 5, 2, 3, 4, 2, 6));
  refuses.template operator()<plain>("extent(3): found 5, expected 4", view("b", 5, 2, 3, 5, 2, 6));
  refuses.template operator()<plain>("extent(4): found 1, expected 2", view("b", 5, 2, 3, 4, 1, 6));
  refuses.template operator()<mla>("extent(5): found 7, expected 6", view("b", 5, 1, 3, 4, 2, 7));
  // Behind the parameters stand the checks of the other overload.
  expect_refusal<RaggedError>(
      "generic_get_paged_cache: cache_lengths(0): found 3, expected at most max_cache_length = 2",
      [&] {
        generic_get_paged_cache<plain, 4>(view("b", 5, 2, 3, 4, 2, 6), this->lengths, this->table,
                                          8, 2);
      });
}

TYPED_TEST(FactoryRefusals, PitchOfPaddedBlocks) {
  auto const blocks = [&](std::size_t kv_dim, std::size_t pitch) {
    return KokkosKV::padded_blocks<float, 4, 2, 6, typename TestFixture::memory_space>(
        this->memory.data(), 5, kv_dim, 3, pitch);
  };
  expect_refusal<ShapeError>("padded_blocks: page_pitch: found 287, expected at least 288",
                             [&] { blocks(2, 287); });
  expect_refusal<ShapeError>("padded_blocks: page_pitch: found 143, expected at least 144",
                             [&] { blocks(1, 143); });
  EXPECT_EQ(blocks(1, 144).stride(0), 144u);
}

}  // namespace KokkosKVTest
