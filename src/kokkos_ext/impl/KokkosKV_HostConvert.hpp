// Conversion of many elements at once on hosts, in registers.
#ifndef KOKKOSKV_IMPL_HOSTCONVERT_HPP
#define KOKKOSKV_IMPL_HOSTCONVERT_HPP

#include <bit>
#include <cstdint>
#include <type_traits>

#include <format/KokkosKV_Bf16.hpp>
#include <format/KokkosKV_Half.hpp>
#include <kokkos_ext/impl/KokkosKV_RegisterPart.hpp>

#if defined(__F16C__) && defined(__FLT16_MAX__) && !defined(__CUDACC__)
#define KOKKOSKV_IMPL_HALF_VECTORS
#endif

namespace KokkosKV::Impl {

/// Whether vectors of T are converted to and from float by the functions below.
#ifdef KOKKOSKV_IMPL_HALF_VECTORS
template <class T>
inline constexpr bool has_vector_conversion = std::is_same_v<T, bf16> || std::is_same_v<T, half>;
#else
template <class T>
inline constexpr bool has_vector_conversion = std::is_same_v<T, bf16>;
#endif

/// The floats of elements whose bits are given.
template <class T, int Count>
[[gnu::always_inline]] inline auto floats_of(register_part<std::uint16_t, Count> bits) {
  using floats = register_part<float, Count>;
#ifdef KOKKOSKV_IMPL_HALF_VECTORS
  if constexpr (std::is_same_v<T, half>) {
    return __builtin_convertvector(std::bit_cast<register_part<_Float16, Count>>(bits), floats);
  } else
#endif
  {
    static_assert(std::is_same_v<T, bf16>);
    using words = register_part<std::uint32_t, Count>;
    return std::bit_cast<floats>(__builtin_convertvector(bits, words) << 16);
  }
}

/// The bits of floats as elements of T, rounded to nearest even.
template <class T, int Count>
[[gnu::always_inline]] inline auto bits_of(register_part<float, Count> values) {
  using result = register_part<std::uint16_t, Count>;
#ifdef KOKKOSKV_IMPL_HALF_VECTORS
  if constexpr (std::is_same_v<T, half>) {
    return std::bit_cast<result>(__builtin_convertvector(values, register_part<_Float16, Count>));
  } else
#endif
  {
    static_assert(std::is_same_v<T, bf16>);
    using words         = register_part<std::uint32_t, Count>;
    auto const word     = std::bit_cast<words>(values);
    words const nearest = word + 0x7FFFu + ((word >> 16) & 1u);
    words const quiet   = word | 0x00400000u;
    words const kept    = (word & 0x7FFFFFFFu) > 0x7F800000u ? quiet : nearest;
    return __builtin_convertvector(kept >> 16, result);
  }
}

}  // namespace KokkosKV::Impl

#endif
