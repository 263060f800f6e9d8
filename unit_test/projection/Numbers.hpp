// Random numbers for arithmetic, and comparison with what it should give.
#ifndef KOKKOSKV_TEST_PROJECTION_NUMBERS_HPP
#define KOKKOSKV_TEST_PROJECTION_NUMBERS_HPP

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <type_traits>
#include <vector>

#include <reference/Random.hpp>
#include <reference/Rounding.hpp>

namespace KokkosKVTest {

/// Half a unit of the last place, relative to the number.
template <class T>
inline constexpr double unit_roundoff = std::is_same_v<T, double>           ? 0x1p-53
                                        : std::is_same_v<T, float>          ? 0x1p-24
                                        : std::is_same_v<T, KokkosKV::half> ? 0x1p-11
                                                                            : 0x1p-8;
/// The same of what is computed in.
template <class T>
inline constexpr double compute_roundoff = std::is_same_v<T, double> ? 0x1p-53 : 0x1p-24;

/// A number between -4 and 4 as double.
inline double moderate_number(Random& random) {
  return static_cast<double>(random.bits() >> 11) * 0x1p-50 - 4;
}

template <class T>
std::vector<T> moderate_numbers(std::size_t count, Random& random) {
  std::vector<T> result(count);
  for (auto& number : result) {
    if constexpr (is_16_bit<T>) {
      number = T(static_cast<float>(moderate_number(random)));
    } else {
      number = static_cast<T>(moderate_number(random));
    }
  }
  return result;
}

/// A number that was computed in double, and its size before anything cancelled.
struct Expected {
  double value;
  double magnitude;
};

/// Compares with a computation of a few operations: `roundings` of what is computed in, relative to
/// the magnitude, and one to T.
template <class T>
testing::AssertionResult near(std::vector<T> const& found, std::vector<Expected> const& expected,
                              double roundings) {
  if (found.size() != expected.size()) {
    return testing::AssertionFailure() << found.size() << " numbers, not " << expected.size();
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    auto const& [value, magnitude] = expected[i];
    auto const number              = exact_value(found[i]);
    auto const bound               = roundings * compute_roundoff<T> * magnitude +
                       1.01 * unit_roundoff<T> * std::fabs(value) + 0x1p-25;
    auto const limit = sizeof(T) > 2 ? bound - 0x1p-25 : bound;
    if (!(std::fabs(number - value) <= limit)) {
      return testing::AssertionFailure()
             << "number " << i << ": " << number << ", expected " << value << " within " << limit;
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace KokkosKVTest

#endif
