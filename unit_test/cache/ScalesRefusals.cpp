// Refusals of the scales of a quantised cache, word for word.
#include <ExecutionSpaces.hpp>
#include <KokkosKV.hpp>
#include <array>
#include <support/Refusal.hpp>
#include <support/TestBatch.hpp>

namespace KokkosKVTest {

using KokkosKV::CacheScales;
using KokkosKV::generic_get_paged_cache;
using KokkosKV::ShapeError;

/// Pages of 4 tokens, 2 heads of 6 elements, 3 layers, 5 pages; 3 scales a head.
template <class ExecSpace>
class ScalesRefusals : public testing::Test {
 protected:
  using memory_space = typename ExecSpace::memory_space;
  using extents_type = std::array<std::size_t, 6>;
  using strided      = Kokkos::View<float******, Kokkos::LayoutStride, memory_space>;

  static constexpr extents_type good{5, 2, 3, 4, 2, 3};
  static constexpr extents_type packed{144, 72, 24, 6, 3, 1};

  Kokkos::View<std::int8_t*** [4][2][6], memory_space> blocks{"blocks", 5, 2, 3};
  Kokkos::View<float*, memory_space> memory{"scales", 10000};
  Kokkos::View<std::uint32_t*, memory_space> lengths = to_view<memory_space>({3, 0});
  Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, memory_space> table =
      to_table<memory_space>({{0, 1}, {2, 3}});

  strided scales(extents_type const& extent, extents_type const& stride) const {
    return strided(memory.data(), Kokkos::LayoutStride(extent[0], stride[0], extent[1], stride[1],
                                                       extent[2], stride[2], extent[3], stride[3],
                                                       extent[4], stride[4], extent[5], stride[5]));
  }

  /// Packed scales.
  strided scales(extents_type const& extent) const {
    extents_type stride;
    stride[5] = 1;
    for (std::size_t dimension = 5; dimension-- > 0;) {
      stride[dimension] = stride[dimension + 1] * extent[dimension + 1];
    }
    return scales(extent, stride);
  }

  /// Refused in any order of the options.
  template <class Option>
  void refuses(std::string const& message, Option const& option) const {
    auto const text = "generic_get_paged_cache: " + message;
    expect_refusal<ShapeError>(
        text, [&] { generic_get_paged_cache(blocks, lengths, table, 8, 8, option); });
    expect_refusal<ShapeError>(text, [&] {
      generic_get_paged_cache(blocks, lengths, table, 8, 8, KokkosKV::unchecked, option);
    });
  }
};
TYPED_TEST_SUITE(ScalesRefusals, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(ScalesRefusals, Extents) {
  for (std::size_t dimension = 0; dimension < 5; ++dimension) {
    auto extent = this->good;
    extent[dimension] += 1;
    auto const message = "scales.extent(" + std::to_string(dimension) + "): found " +
                         std::to_string(extent[dimension]) + ", expected " +
                         std::to_string(this->good[dimension]);
    this->refuses(message, CacheScales(this->scales(extent)));
    CacheScales const own_table(this->scales(extent), this->table);
    if (dimension > 0) {
      this->refuses(message, own_table);
    } else {
      // The pages of a table of their own are counted on their own.
      EXPECT_NO_THROW(
          generic_get_paged_cache(this->blocks, this->lengths, this->table, 8, 8, own_table));
    }
  }
}

TYPED_TEST(ScalesRefusals, Granularity) {
  for (std::size_t const groups : {0, 4, 5, 12}) {
    auto extent = this->good;
    extent[5]   = groups;
    this->refuses("scales.extent(5): found " + std::to_string(groups) +
                      ", expected a divisor of head_size = 6",
                  CacheScales(this->scales(extent)));
  }
  for (std::size_t const groups : {1, 2, 3, 6}) {
    auto extent     = this->good;
    extent[5]       = groups;
    auto const pool = generic_get_paged_cache(this->blocks, this->lengths, this->table, 8, 8,
                                              CacheScales(this->scales(extent)));
    EXPECT_EQ(pool.granularity(), static_cast<int>(6 / groups));
  }
}

TYPED_TEST(ScalesRefusals, Strides) {
  for (std::size_t dimension = 1; dimension < 6; ++dimension) {
    auto stride = this->packed;
    stride[dimension] += 1;
    this->refuses("scales.stride(" + std::to_string(dimension) + "): found " +
                      std::to_string(stride[dimension]) + ", expected " +
                      std::to_string(this->packed[dimension]),
                  CacheScales(this->scales(this->good, stride)));
  }
  auto stride = this->packed;
  stride[0] -= 1;
  this->refuses("scales.stride(0): found 143, expected at least 144",
                CacheScales(this->scales(this->good, stride)));
}

TYPED_TEST(ScalesRefusals, LookupTable) {
  using memory_space = typename TestFixture::memory_space;
  auto const scales  = this->scales(this->good);
  this->refuses("scales_lookup_table.extent(0): found 3, expected 2",
                CacheScales(scales, to_table<memory_space>({{0}, {1}, {2}})));
  auto const view = [&](std::size_t row_stride, std::size_t stride) {
    return Kokkos::View<std::uint32_t**, Kokkos::LayoutStride, memory_space>(
        this->table.data(), Kokkos::LayoutStride(2, row_stride, 2, stride));
  };
  this->refuses("scales_lookup_table.stride(1): found 2, expected 1",
                CacheScales(scales, view(1, 2)));
  this->refuses("scales_lookup_table.stride(0): found 1, expected at least 2",
                CacheScales(scales, view(1, 1)));
}

}  // namespace KokkosKVTest
