// Values to store: a hash of where each element belongs, so that any element that lands in, or is
// read from, a wrong place shows.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

namespace example {

/// Unsigned integer as large as T, for comparisons bit by bit.
template <class T>
using bits_of =
    std::conditional_t<sizeof(T) == 1, std::uint8_t,
                       std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>>;

KOKKOS_INLINE_FUNCTION std::uint32_t mix(std::uint32_t word) {
  word = (word ^ (word >> 16)) * 0x85EBCA6Bu;
  word = (word ^ (word >> 13)) * 0xC2B2AE35u;
  return word ^ (word >> 16);
}

/// The bits of an element; one multiplication, so that making the values does not take longer than
/// storing them. Floating-point types lose their highest exponent bit: every value is a finite
/// number.
template <class T>
KOKKOS_INLINE_FUNCTION bits_of<T> value_bits(std::uint32_t seed, std::uint32_t element) {
  constexpr unsigned width = 8 * sizeof(T);
  constexpr auto kept      = std::is_integral_v<T> ? ~0u : ~(1u << (width - 2));
  return static_cast<bits_of<T>>(((seed + element * 0x9E3779B1u) >> (32 - width)) & kept);
}

}  // namespace example
