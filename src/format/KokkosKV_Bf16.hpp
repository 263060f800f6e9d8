// bf16: the upper half of a float. Two bytes on every backend (Kokkos' own type is a plain float on
// hosts, so it cannot describe a pool's memory).
#ifndef KOKKOSKV_BF16_HPP
#define KOKKOSKV_BF16_HPP

#include <Kokkos_BitManipulation.hpp>

#include <cstdint>

namespace KokkosKV {

/// Storage type with 8 exponent and 7 fraction bits. Conversion from float rounds to nearest even;
/// a NaN stays a (quiet) NaN.
struct bf16 {
  std::uint16_t bits;  ///< what lies in memory

  bf16() = default;
  /// Rounds to nearest even.
  KOKKOS_FUNCTION explicit bf16(float value) : bits(from_float(value)) {}
  /// Exact.
  KOKKOS_FUNCTION explicit operator float() const {
    return Kokkos::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
  }

 private:
  KOKKOS_FUNCTION static std::uint16_t from_float(float value) {
    auto const word = Kokkos::bit_cast<std::uint32_t>(value);
    // Adding the lowest kept bit to a bias just below one half makes ties go to even.
    std::uint32_t const rounded = word + 0x7FFFu + ((word >> 16) & 1u);
    bool const is_nan           = (word & 0x7FFFFFFFu) > 0x7F800000u;
    std::uint32_t const kept    = is_nan ? (word | 0x00400000u) : rounded;
    return static_cast<std::uint16_t>(kept >> 16);
  }
};
static_assert(sizeof(bf16) == 2);

}  // namespace KokkosKV

#endif
