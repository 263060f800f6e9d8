// Page copies of quantised caches: scales follow their pages, unless they have a table of their
// own.
#include <gtest/gtest.h>

#include <KokkosKV.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <ExecutionSpaces.hpp>
#include <Forms.hpp>
#include <Scenario.hpp>

namespace KokkosKVTest {

template <class ExecSpace>
class ScaledCopies : public testing::Test {};
TYPED_TEST_SUITE(ScaledCopies, ExecutionSpaces, ExecutionSpaceName);

/// Copies pages of a random pool with scales of type `ScaleType`, `groups` of them for each head.
template <class ExecSpace, class T, class ScaleType, class Shape>
void check_copy(std::uint64_t seed, std::uint64_t groups, bool own_table, bool checked) {
  using memory_space = typename ExecSpace::memory_space;
  Scenario<T, T, Shape, ExecSpace> test(seed);
  auto& random = test.random;
  SCOPED_TRACE(test.describe(seed) + ", groups " + std::to_string(groups) + ", own table " +
               std::to_string(own_table));

  auto scale_shape      = test.shape;
  scale_shape.head_size = groups;
  scale_shape.padding   = random_gap(sizeof(ScaleType), random);
  scale_shape.margin    = random_gap(sizeof(ScaleType), random);
  ReferencePool<ScaleType> const scales_before{
      scale_shape, random_bits<ScaleType>(scale_shape.array_size(), random)};
  auto const scale_array = to_device<memory_space>(scales_before.array);
  auto const plane       = scale_shape.page_size * scale_shape.num_heads * groups;
  Kokkos::View<ScaleType******, Kokkos::LayoutStride, memory_space> const scales(
      scale_array.data() + scale_shape.margin,
      Kokkos::LayoutStride(scale_shape.num_blocks, scale_shape.pitch(), scale_shape.kv_dim,
                           scale_shape.num_layers * plane, scale_shape.num_layers, plane,
                           scale_shape.page_size, scale_shape.num_heads * groups,
                           scale_shape.num_heads, groups, groups, 1));

  auto const pages = shuffled_pages(test.shape.num_blocks, random);
  auto const count = random.below(pages.size());
  std::vector<std::uint32_t> sources, destinations;
  auto expected        = test.before;
  auto expected_scales = scales_before;
  for (std::size_t pair = 0; pair < count; ++pair) {
    destinations.push_back(pages[pair]);
    sources.push_back(pages[random.between(count, pages.size() - 1)]);
    expected.copy_page(sources[pair], destinations[pair]);
    if (!own_table) expected_scales.copy_page(sources[pair], destinations[pair]);
  }
  auto const device_sources      = to_device<memory_space>(sources);
  auto const device_destinations = to_device<memory_space>(destinations);

  auto const run = [&](auto const& collection) {
    for (int const team_size : team_sizes<ExecSpace>()) {
      test.reset();
      copy_to_device(scale_array, scales_before.array);
      if (checked) {
        copy_pages(team_size, test.exec, collection, device_sources, device_destinations);
      } else {
        copy_pages(team_size, test.exec, collection, device_sources, device_destinations,
                   KokkosKV::unchecked);
      }
      test.exec.fence();
      EXPECT_TRUE(test.matches(expected)) << "team size " << team_size;
      EXPECT_TRUE(same_bits(to_host(scale_array), expected_scales.array,
                            [&](std::size_t index) { return scale_shape.describe(index); }))
          << "scales, team size " << team_size;
    }
  };
  if (own_table) {
    auto const entries = to_device<memory_space>(test.batch.table);
    run(test.collection(KokkosKV::CacheScales{scales, test.table_view(entries)}));
  } else {
    run(test.collection(KokkosKV::CacheScales{scales}));
  }
}

template <class ExecSpace, class T, class ScaleType, class Shape>
void check_copies(std::initializer_list<std::uint64_t> all_groups) {
  std::uint64_t seed = std::uint64_t(6) << 32;
  for (auto const groups : all_groups) {
    for (int number = 0; number < 40 && !testing::Test::HasFailure(); ++number) {
      check_copy<ExecSpace, T, ScaleType, Shape>(seed++, groups, number % 4 == 3, number % 2 == 0);
    }
  }
}

TYPED_TEST(ScaledCopies, Int8WithFloatScales) {
  check_copies<TypeParam, std::int8_t, float, StaticShape<16, 2, 64>>({1, 2, 64});
  check_copies<TypeParam, std::int8_t, float, StaticShape<3, 3, 7>>({1, 7});
}

TYPED_TEST(ScaledCopies, Int8WithHalfScales) {
  check_copies<TypeParam, std::int8_t, KokkosKV::half, StaticShape<5, 1, 20>>({1, 5, 10});
}

TYPED_TEST(ScaledCopies, Bf16WithFloatScales) {
  check_copies<TypeParam, KokkosKV::bf16, float, StaticShape<64, 1, 4>>({1, 4});
}

}  // namespace KokkosKVTest
