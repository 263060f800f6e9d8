// RMSNorm of rows and of keys in the cache against its formula in double.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <ExecutionSpaces.hpp>
#include <PlacedRows.hpp>
#include <Placement.hpp>
#include <ProjectionForms.hpp>
#include <StoredRows.hpp>

namespace KokkosKVTest {
namespace {

using namespace KokkosKV;

/// Of heads that lie one behind the other.
template <class T, class Weight>
std::vector<Expected> reference_norm(std::vector<T> const& values,
                                     std::vector<Weight> const& weight,
                                     RmsNormParams const& params) {
  std::vector<Expected> result;
  auto const size = weight.size();
  for (std::size_t head = 0; head < values.size() / size; ++head) {
    double sum = 0;
    for (std::size_t i = 0; i < size; ++i) {
      auto const value = exact_value(values[head * size + i]);
      sum += value * value;
    }
    auto const scale = 1 / std::sqrt(sum / static_cast<double>(size) + params.epsilon);
    for (std::size_t i = 0; i < size; ++i) {
      auto const scaled = exact_value(values[head * size + i]) * scale;
      auto const factor = exact_value(weight[i]);
      result.push_back({scaled * (factor + params.weight_offset),
                        std::fabs(scaled) * (std::fabs(factor) + params.weight_offset)});
    }
  }
  return result;
}

// A sum of n squares loses at most n / 2 units, of which the root takes half; vectors sum by
// halves.
template <class T>
constexpr double roundings(std::size_t head_size) {
  return 6 + static_cast<double>(head_size) / 4;
}

template <class ExecSpace>
class RmsNorm : public testing::Test {
 protected:
  using memory_space = typename ExecSpace::memory_space;

  template <class T, class Weight>
  void random_rows(std::uint64_t seed, std::size_t cases) {
    for (std::size_t number = 0; number < cases && !HasFailure(); ++number) {
      Random random(seed + number);
      auto const head_size = random.template pick<std::size_t>({1, 2, 7, 64, 80, 128, 96, 33});
      std::array<std::size_t, 3> const extents{random.below(40), random.between(1, 9), head_size};
      auto const kind = static_cast<InputKind>(random.below(num_view_kinds));
      RmsNormParams const params{random.pick({1e-6, 1e-5, 0.25}), random.pick({0.0, 1.0})};
      SCOPED_TRACE("seed " + std::to_string(seed + number) + ", " + name_of(kind) + " of " +
                   std::to_string(extents[0]) + " rows, " + std::to_string(extents[1]) +
                   " heads of " + std::to_string(head_size));
      auto const values   = moderate_numbers<T>(extents[0] * extents[1] * head_size, random);
      auto const weight   = moderate_numbers<Weight>(head_size, random);
      auto const expected = reference_norm(values, weight, params);
      auto const place    = Placement<3>::make(kind, extents, sizeof(T), random);
      auto const array    = to_device<memory_space>(place.spread(values, poison<T>()));
      auto const factors  = to_device<memory_space>(weight);
      place.with_view(array, [&](auto const& rows) {
        for (int const team_size : team_sizes<ExecSpace>()) {
          copy_to_device(array, place.spread(values, poison<T>()));
          norm_rows(team_size, ExecSpace{}, rows, factors, params);
          Kokkos::fence();
          auto const after = to_host(array);
          auto const found = collect(place, after);
          EXPECT_TRUE(near(found, expected, roundings<T>(head_size))) << "team size " << team_size;
          EXPECT_TRUE(same_bits(after, place.spread(found, poison<T>()),
                                [](std::size_t) { return "gap"; }));
        }
      });
    }
  }

  template <class T, class Weight>
  void random_keys(std::uint64_t seed, std::size_t cases) {
    for_stored_shapes(seed, cases, [&]<class Shape>(std::uint64_t number) {
      StoredRows<T, Shape, ExecSpace> stored(number);
      auto& random = stored.test.random;
      SCOPED_TRACE(stored.test.describe(number));
      RmsNormParams const params{1e-6, random.pick({0.0, 1.0})};
      auto const weight     = moderate_numbers<Weight>(Shape::head_size, random);
      auto const expected   = reference_norm(stored.values, weight, params);
      auto const collection = stored.test.collection();
      auto const cache      = stored.test.cache(collection, stored.kv, stored.layer);
      auto const offsets    = to_device<memory_space>(stored.offsets);
      auto const factors    = to_device<memory_space>(weight);
      for (int const team_size : team_sizes<ExecSpace>()) {
        stored.test.reset();
        auto const call = [&](auto... options) {
          norm_keys(team_size, stored.test.exec, cache, stored.input_shape(), offsets, factors,
                    params, options...);
        };
        random.chance(50) ? call() : call(unchecked);
        stored.test.exec.fence();
        auto pool = stored.test.before;
        stored.expect_rows(pool, stored.kv, expected, roundings<T>(Shape::head_size));
        EXPECT_TRUE(stored.test.matches(pool)) << "team size " << team_size;
      }
    });
  }
};
TYPED_TEST_SUITE(RmsNorm, DefaultSpaces, ExecutionSpaceName);

TYPED_TEST(RmsNorm, RandomRowsOfFloat) { this->template random_rows<float, float>(100, 60); }
TYPED_TEST(RmsNorm, RandomRowsOfDouble) { this->template random_rows<double, double>(200, 40); }
TYPED_TEST(RmsNorm, RandomRowsOfHalf) { this->template random_rows<half, float>(300, 40); }
TYPED_TEST(RmsNorm, RandomRowsOfBf16) { this->template random_rows<bf16, bf16>(400, 40); }
TYPED_TEST(RmsNorm, RandomKeysOfFloat) { this->template random_keys<float, float>(500, 20); }
TYPED_TEST(RmsNorm, RandomKeysOfDouble) { this->template random_keys<double, double>(600, 10); }
TYPED_TEST(RmsNorm, RandomKeysOfHalf) { this->template random_keys<half, half>(700, 10); }
TYPED_TEST(RmsNorm, RandomKeysOfBf16) { this->template random_keys<bf16, float>(800, 10); }

// (3, 4): the mean of the squares is 12.5. Zeros stay zeros, whatever epsilon keeps them from.
TYPED_TEST(RmsNorm, KnownRows) {
  using memory_space = typename TypeParam::memory_space;
  auto const array   = to_device<memory_space>(std::vector<float>{3, 4, 0, 0});
  auto const weight  = to_device<memory_space>(std::vector<float>{1, 0});
  Kokkos::View<float***, Kokkos::LayoutRight, memory_space> const rows(array.data(), 2, 1, 2);
  rms_norm_ragged(rows, weight, RmsNormParams{.epsilon = 0.5, .weight_offset = 1});
  Kokkos::fence();
  auto const found = to_host(array);
  EXPECT_FLOAT_EQ(found[0], static_cast<float>(2 * 3 / std::sqrt(13.0)));
  EXPECT_FLOAT_EQ(found[1], static_cast<float>(4 / std::sqrt(13.0)));
  EXPECT_EQ(found[2], 0);
  EXPECT_EQ(found[3], 0);
}

}  // namespace
}  // namespace KokkosKVTest
