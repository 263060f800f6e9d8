// Numbers that a thread computes with at once: a vector of the processor on hosts, a float on
// devices, whose neighbouring threads are what neighbouring lanes are here.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <format/KokkosKV_Convert.hpp>
#include <kokkos_ext/impl/KokkosKV_HostTranspose.hpp>
#include <kokkos_ext/impl/KokkosKV_HostVector.hpp>

#include "model/Arrays.hpp"

namespace llama_generate {

inline constexpr bool is_host  = std::is_same_v<memory_space, Kokkos::HostSpace>;
inline constexpr int num_lanes = is_host ? KokkosKV::Impl::host_lanes : 1;

struct HostLanes {
  using type = KokkosKV::Impl::FloatVector;
};
struct DeviceLanes {
  using type = float;
};
using Lanes = std::conditional_t<is_host, HostLanes, DeviceLanes>::type;

/// Neighbouring elements of any storage type.
template <class T>
KOKKOS_INLINE_FUNCTION Lanes load(T const* from) {
  if constexpr (is_host) {
    return KokkosKV::Impl::load_short_row<num_lanes>(from);
  } else {
    return KokkosKV::convert_value<float>(*from);
  }
}

/// The first `count` lanes go to neighbouring elements; all of them where `count` is larger.
template <class AnyLanes>
KOKKOS_INLINE_FUNCTION void store(float* to, AnyLanes lanes, std::size_t count) {
  if constexpr (is_host) {
    if (count >= std::size_t(num_lanes)) return KokkosKV::Impl::store_lanes(to, lanes);
    for (std::size_t i = 0; i < count; ++i) to[i] = lanes[static_cast<int>(i)];
  } else {
    if (count > 0) *to = lanes;
  }
}

/// The same, onto what is there.
template <class AnyLanes>
KOKKOS_INLINE_FUNCTION void add(float* to, AnyLanes lanes, std::size_t count) {
  if constexpr (is_host) {
    if (count >= std::size_t(num_lanes)) return store(to, load(to) + lanes, count);
    for (std::size_t i = 0; i < count; ++i) to[i] += lanes[static_cast<int>(i)];
  } else {
    if (count > 0) *to += lanes;
  }
}

/// Lane i of `a` and of `b` become elements 2 i and 2 i + 1; `count` as in store().
template <class AnyLanes>
KOKKOS_INLINE_FUNCTION void store_pairs(float* to, AnyLanes a, AnyLanes b, std::size_t count) {
  if constexpr (is_host) {
    if (count >= std::size_t(num_lanes)) {
      auto const half = [&]<int... L>(std::integer_sequence<int, L...>, auto first) {
        return __builtin_shufflevector(a, b,
                                       (decltype(first)::value + L / 2 + L % 2 * num_lanes)...);
      };
      constexpr auto lanes = std::make_integer_sequence<int, num_lanes>{};
      store(to, half(lanes, std::integral_constant<int, 0>{}), count);
      store(to + num_lanes, half(lanes, std::integral_constant<int, num_lanes / 2>{}), count);
      return;
    }
    for (std::size_t i = 0; i < count; ++i) {
      to[2 * i]     = a[static_cast<int>(i)];
      to[2 * i + 1] = b[static_cast<int>(i)];
    }
  } else {
    if (count == 0) return;
    to[0] = a;
    to[1] = b;
  }
}

template <class AnyLanes>
KOKKOS_INLINE_FUNCTION float sum_of_lanes(AnyLanes lanes) {
  if constexpr (is_host) {
    for (int width = num_lanes / 2; width > 0; width /= 2) {
      for (int i = 0; i < width; ++i) lanes[i] += lanes[i + width];
    }
    return lanes[0];
  } else {
    return lanes;
  }
}

template <class AnyLanes>
KOKKOS_INLINE_FUNCTION AnyLanes exponential(AnyLanes lanes) {
  if constexpr (is_host) {
    return KokkosKV::Impl::exponential(lanes);
  } else {
    return Kokkos::exp(lanes);
  }
}

}  // namespace llama_generate
