// Arithmetic on SimdVector: each element, its order and its sum, in widths with and without
// registers.
#include <gtest/gtest.h>

#include <KokkosKV.hpp>
#include <kokkos_ext/impl/KokkosKV_VectorMath.hpp>
#include <numeric>

namespace KokkosKVTest {
namespace {

using KokkosKV::SimdVector;
using KokkosKV::Impl::map_elements;
using KokkosKV::Impl::sum_of_elements;
using KokkosKV::Impl::swap_neighbours;

template <class T, int Width>
SimdVector<T, Width> powers_of_two() {
  SimdVector<T, Width> result;
  T power = 1;
  for (int i = 0; i < Width; ++i, power = -2 * power) result[i] = power;
  return result;
}

template <class T, int Width>
void check_maps() {
  auto const powers = powers_of_two<T, Width>();
  SimdVector<T, Width> numbers;
  std::iota(numbers.values, numbers.values + Width, T(1));
  auto const result =
      map_elements([](auto const& a, auto const& b, auto const& c) { return a * b - c; }, powers,
                   numbers, powers);
  for (int i = 0; i < Width; ++i) EXPECT_EQ(result[i], powers[i] * T(i)) << i << " of " << Width;
}

template <class T, int Width>
void check_sum() {
  // Exact in any order: powers of two that fit the fraction.
  auto const powers = powers_of_two<T, Width>();
  T expected        = 0;
  for (int i = 0; i < Width; ++i) expected += powers[i];
  EXPECT_EQ(sum_of_elements(powers), expected) << Width;
}

template <class T, int Width>
void check_swap() {
  auto const powers  = powers_of_two<T, Width>();
  auto const swapped = swap_neighbours(powers);
  for (int i = 0; i < Width; i += 2) {
    EXPECT_EQ(swapped[i], powers[i + 1]) << i << " of " << Width;
    EXPECT_EQ(swapped[i + 1], powers[i]) << i << " of " << Width;
  }
}

TEST(VectorMath, MapsEachElement) {
  check_maps<float, 1>();
  check_maps<float, 3>();
  check_maps<float, 4>();
  check_maps<float, 16>();
  check_maps<double, 2>();
  check_maps<double, 8>();
  check_maps<float, 32>();
}

TEST(VectorMath, SumsAllElements) {
  check_sum<float, 1>();
  check_sum<float, 2>();
  check_sum<float, 8>();
  check_sum<float, 16>();
  check_sum<double, 4>();
  check_sum<double, 32>();
}

TEST(VectorMath, SwapsNeighbours) {
  check_swap<float, 2>();
  check_swap<float, 6>();
  check_swap<float, 8>();
  check_swap<double, 4>();
  check_swap<float, 32>();
}

}  // namespace
}  // namespace KokkosKVTest
