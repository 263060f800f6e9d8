// Value conversion between the type of an input or output and the storage type of a cache.
#ifndef KOKKOSKV_CONVERT_HPP
#define KOKKOSKV_CONVERT_HPP

#include <bit>
#include <cstdint>
#include <type_traits>

#include <format/KokkosKV_Bf16.hpp>
#include <format/KokkosKV_Half.hpp>
#include <kokkos_ext/KokkosKV_SimdVector.hpp>
#include <kokkos_ext/impl/KokkosKV_HostConvert.hpp>

namespace KokkosKV {

/// True for the floating-point types that convert into one another: float, double, half, bf16.
template <class T>
inline constexpr bool is_floating_storage_v =
    std::is_floating_point_v<T> || std::is_same_v<T, half> || std::is_same_v<T, bf16>;

/// True when `From` values can be stored as `To`: the same type, or both floating point. Integers
/// take part in no conversion, since they need a scale.
template <class From, class To>
inline constexpr bool is_storable_v =
    std::is_same_v<From, To> || (is_floating_storage_v<From> && is_floating_storage_v<To>);

namespace Impl {

// A double must not pass through float on its way to a 16-bit type: rounding twice can miss the
// nearest value. Rounding to odd at the intermediate step avoids that.
template <class Wide>
KOKKOS_INLINE_FUNCTION float round_to_odd(Wide value) {
  float const nearest = static_cast<float>(value);
  Wide const back     = static_cast<Wide>(nearest);
  if (back == value || back != back) return nearest;
  auto const word = Kokkos::bit_cast<std::uint32_t>(nearest);
  if ((word & 1u) != 0u) return nearest;
  bool const away_from_zero = (back < 0 ? -back : back) > (value < 0 ? -value : value);
  return Kokkos::bit_cast<float>(away_from_zero ? word - 1u : word + 1u);
}

}  // namespace Impl

/// Converts one value, rounding once to nearest even.
template <class To, class From>
KOKKOS_FUNCTION To convert_value(From const& from) {
  static_assert(is_storable_v<From, To>,
                "KokkosKV: input and storage types must be the same, or both floating point");
  if constexpr (std::is_same_v<From, To>) {
    return from;
  } else if constexpr (std::is_floating_point_v<From> && std::is_floating_point_v<To>) {
    return static_cast<To>(from);
  } else if constexpr (std::is_floating_point_v<From> && sizeof(From) > sizeof(float)) {
    return To(Impl::round_to_odd(from));
  } else if constexpr (std::is_floating_point_v<To>) {
    return static_cast<To>(static_cast<float>(from));
  } else {
    return To(static_cast<float>(from));
  }
}

namespace Impl {

/// Whether hosts convert `Width` elements at once.
template <class To, class From, int Width>
inline constexpr bool is_register_conversion =
    is_register_part<float, Width> && ((std::is_same_v<To, float> && has_vector_conversion<From>) ||
                                       (std::is_same_v<From, float> && has_vector_conversion<To>));

template <class To, class From, int Width>
SimdVector<To, Width> convert_registers(SimdVector<From, Width> const& from) {
  using floats        = Registers<float, Width>;
  constexpr int width = floats::width;
  struct Bits {
    register_part<std::uint16_t, width> parts[floats::count];
  };
  if constexpr (std::is_same_v<To, float>) {
    auto const bits = std::bit_cast<Bits>(from);
    floats result;
    for (int i = 0; i < result.count; ++i) result.parts[i] = floats_of<From, width>(bits.parts[i]);
    return std::bit_cast<SimdVector<To, Width>>(result);
  } else {
    auto const values = std::bit_cast<floats>(from);
    Bits result;
    for (int i = 0; i < values.count; ++i) result.parts[i] = bits_of<To, width>(values.parts[i]);
    return std::bit_cast<SimdVector<To, Width>>(result);
  }
}

}  // namespace Impl

/// Converts element by element, each as convert_value() does.
template <class To, class From, int Width>
KOKKOS_FUNCTION SimdVector<To, Width> convert_vector(SimdVector<From, Width> const& from) {
  if constexpr (std::is_same_v<From, To>) {
    return from;
  } else {
    if constexpr (Impl::is_register_conversion<To, From, Width>) {
      KOKKOS_IF_ON_HOST((return Impl::convert_registers<To>(from);))
    }
    SimdVector<To, Width> result;
    for (int i = 0; i < Width; ++i) result[i] = convert_value<To>(from[i]);
    return result;
  }
}

}  // namespace KokkosKV

#endif
