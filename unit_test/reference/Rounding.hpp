// Conversions between storage types by definition: the nearest of all values that the target has.
#ifndef KOKKOSKV_TEST_ROUNDING_HPP
#define KOKKOSKV_TEST_ROUNDING_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <format/KokkosKV_Bf16.hpp>
#include <format/KokkosKV_Half.hpp>

namespace KokkosKVTest {

/// A 16-bit type by its number of fraction bits; the rest is sign and exponent.
template <class T>
inline constexpr int fraction_bits = std::is_same_v<T, KokkosKV::half> ? 10 : 7;
template <class T>
inline constexpr bool is_16_bit =
    std::is_same_v<T, KokkosKV::half> || std::is_same_v<T, KokkosKV::bf16>;

/// Value of a bit pattern without its sign. Infinity reads as the power of two that would come
/// next, which is where rounding to nearest draws its line.
template <class T>
double magnitude_of(std::uint32_t bits) {
  constexpr int bias  = (1 << (14 - fraction_bits<T>)) - 1;
  auto const exponent = static_cast<int>(bits >> fraction_bits<T>);
  auto const fraction = static_cast<double>(bits & ((1u << fraction_bits<T>)-1u));
  double const unit   = std::ldexp(1.0, (exponent == 0 ? 1 : exponent) - bias - fraction_bits<T>);
  return ((exponent == 0 ? 0.0 : std::ldexp(1.0, fraction_bits<T>)) + fraction) * unit;
}

/// Bits of infinity.
template <class T>
inline constexpr std::uint32_t infinity_bits = 0x7FFFu >> fraction_bits<T> << fraction_bits<T>;

/// All magnitudes from zero to infinity; the index is the bit pattern.
template <class T>
std::vector<double> const& magnitudes() {
  static std::vector<double> const table = [] {
    std::vector<double> result;
    for (std::uint32_t bits = 0; bits <= infinity_bits<T>; ++bits) {
      result.push_back(magnitude_of<T>(bits));
    }
    return result;
  }();
  return table;
}

template <class T>
T nearest(double value) {
  auto const& table      = magnitudes<T>();
  double const magnitude = std::fabs(value);
  auto const above       = std::lower_bound(table.begin(), table.end(), magnitude);
  auto bits = static_cast<std::uint32_t>(above == table.end() ? table.end() - table.begin() - 1
                                                              : above - table.begin());
  if (above != table.end() && bits > 0) {
    double const up = table[bits] - magnitude, down = magnitude - table[bits - 1];
    if (down < up || (down == up && bits % 2 == 1)) --bits;
  }
  T result;
  result.bits = static_cast<std::uint16_t>(bits | (std::signbit(value) ? 0x8000u : 0u));
  return result;
}

/// Exact: every storage type but int8_t is part of double.
template <class From>
double exact_value(From from) {
  if constexpr (is_16_bit<From>) {
    auto const bits = from.bits & 0x7FFFu;
    double const magnitude =
        bits == infinity_bits<From> ? static_cast<double>(INFINITY) : magnitude_of<From>(bits);
    return (from.bits & 0x8000u) != 0 ? -magnitude : magnitude;
  } else {
    return static_cast<double>(from);
  }
}

/// Reference of what a store or load does to a number (no NaN).
template <class To, class From>
To reference_convert(From from) {
  if constexpr (std::is_same_v<To, From>) {
    return from;
  } else if constexpr (is_16_bit<To>) {
    return nearest<To>(exact_value(from));
  } else {
    return static_cast<To>(exact_value(from));
  }
}

}  // namespace KokkosKVTest

#endif
