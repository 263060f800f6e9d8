// half: IEEE 754 binary16. Two bytes on every backend (Kokkos' own type is a plain float on hosts,
// so it cannot describe a pool's memory).
#ifndef KOKKOSKV_HALF_HPP
#define KOKKOSKV_HALF_HPP

#include <Kokkos_BitManipulation.hpp>

#include <cstdint>

namespace KokkosKV {

/// Storage type with 5 exponent and 10 fraction bits, subnormals included. Conversion from float
/// rounds to nearest even, overflows to infinity; a NaN stays a (quiet) NaN.
struct half {
  std::uint16_t bits;  ///< what lies in memory

  half() = default;
  /// Rounds to nearest even.
  KOKKOS_FUNCTION explicit half(float value) : bits(from_float(value)) {}
  /// Exact.
  KOKKOS_FUNCTION explicit operator float() const { return to_float(bits); }

 private:
  KOKKOS_FUNCTION static std::uint16_t from_float(float value) {
    auto const word               = Kokkos::bit_cast<std::uint32_t>(value);
    std::uint32_t const sign      = (word >> 16) & 0x8000u;
    std::uint32_t const magnitude = word & 0x7FFFFFFFu;
    std::uint32_t result;
    if (magnitude > 0x7F800000u) {
      result = 0x7E00u | ((magnitude >> 13) & 0x3FFu);
    } else if (magnitude >= 0x477FF000u) {
      // 65520 and above round to infinity.
      result = 0x7C00u;
    } else if (magnitude >= 0x38800000u) {
      // Normal: shift the exponent bias from 127 to 15, round the 13 dropped bits.
      std::uint32_t const rebased = magnitude - (112u << 23);
      result                      = (rebased + 0xFFFu + ((rebased >> 13) & 1u)) >> 13;
    } else {
      // Subnormal: adding 0.5 lets the floating-point unit align the fraction to units of 2^-24 and
      // round it to nearest even.
      float const shifted = Kokkos::bit_cast<float>(magnitude) + 0.5f;
      result              = Kokkos::bit_cast<std::uint32_t>(shifted) - 0x3F000000u;
    }
    return static_cast<std::uint16_t>(sign | result);
  }

  KOKKOS_FUNCTION static float to_float(std::uint16_t bits) {
    std::uint32_t const sign      = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
    std::uint32_t const magnitude = bits & 0x7FFFu;
    std::uint32_t word;
    if (magnitude >= 0x7C00u) {
      word = 0x7F800000u | (magnitude & 0x3FFu) << 13;
    } else if (magnitude >= 0x0400u) {
      word = (magnitude << 13) + (112u << 23);
    } else {
      // Subnormal: a multiple of 2^-24, exact in float.
      word = Kokkos::bit_cast<std::uint32_t>(static_cast<float>(magnitude) * 0x1p-24f);
    }
    return Kokkos::bit_cast<float>(sign | word);
  }
};
static_assert(sizeof(half) == 2);

}  // namespace KokkosKV

#endif
