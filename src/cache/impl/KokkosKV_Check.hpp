// Small host-side helpers of every argument check.
#ifndef KOKKOSKV_IMPL_CHECK_HPP
#define KOKKOSKV_IMPL_CHECK_HPP

#include <Kokkos_Core.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include <cache/KokkosKV_Errors.hpp>
#include <cache/KokkosKV_Unchecked.hpp>

namespace KokkosKV::Impl {

/// False for the option types of a call that leaves contents unread.
template <class... Options>
inline constexpr bool is_checked_v = !(std::is_same_v<Options, unchecked_t> || ...);

/// `name(i, j, …)`: how messages write an argument with its index.
template <class... Indices>
std::string indexed(char const* name, Indices... indices) {
  std::string result = std::string(name) + "(";
  char const* comma  = "";
  ((result += comma + std::to_string(indices), comma = ", "), ...);
  return result + ")";
}

/// Throws Error unless `found == expected`.
template <class Error = ShapeError>
void check_equal(char const* function, std::string argument, std::size_t found,
                 std::size_t expected) {
  if (found != expected) {
    throw Error(function, std::move(argument), std::to_string(found), std::to_string(expected));
  }
}

/// Run-time extents of a View of known rank.
template <std::size_t Rank, class ViewType>
Kokkos::Array<std::size_t, Rank> extents(ViewType const& view) {
  static_assert(ViewType::rank() == Rank, "KokkosKV: a View has the wrong rank");
  return [&]<std::size_t... D>(std::index_sequence<D...>) {
    return Kokkos::Array<std::size_t, Rank>{static_cast<std::size_t>(view.extent(D))...};
  }(std::make_index_sequence<Rank>{});
}

/// Strides of a View of known rank. A dimension of one element (or none) has no meaningful stride,
/// so the one that it would have in a packed array stands for it.
template <std::size_t Rank, class ViewType>
Kokkos::Array<std::size_t, Rank> strides(ViewType const& view) {
  auto const extent = extents<Rank>(view);
  auto result       = [&]<std::size_t... D>(std::index_sequence<D...>) {
    return Kokkos::Array<std::size_t, Rank>{static_cast<std::size_t>(view.stride(D))...};
  }(std::make_index_sequence<Rank>{});
  std::size_t packed = 1;
  for (std::size_t dimension = Rank; dimension-- > 0;) {
    if (extent[dimension] <= 1) result[dimension] = packed;
    packed *= extent[dimension];
  }
  return result;
}

/// Element address of a View whose elements are neighbours, null where it is empty.
template <class ViewType>
auto* contiguous_data(char const* function, char const* name, ViewType const& view) {
  static_assert(ViewType::rank() == 1);
  if (view.extent(0) > 1 && view.stride(0) != 1) {
    throw ShapeError(function, std::string(name) + ".stride(0)", std::to_string(view.stride(0)),
                     "1");
  }
  return view.data();
}

/// A length given as a number.
template <std::integral Number>
std::uint32_t length_value(char const* function, char const* name, Number number) {
  if (!std::in_range<std::uint32_t>(number)) {
    throw RaggedError(function, name, std::to_string(number),
                      "0 to " + std::to_string(std::numeric_limits<std::uint32_t>::max()));
  }
  return static_cast<std::uint32_t>(number);
}

/// A length given as a host-accessible View of one uint32.
template <class ViewType>
  requires(Kokkos::is_view_v<ViewType>)
std::uint32_t length_value(char const* function, char const* name, ViewType const& view) {
  static_assert(std::is_same_v<typename ViewType::non_const_value_type, std::uint32_t>,
                "KokkosKV: a length View must hold uint32");
  static_assert(
      Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename ViewType::memory_space>::accessible,
      "KokkosKV: a length View must be accessible from the host");
  static_assert(ViewType::rank() <= 1, "KokkosKV: a length View holds one element");
  check_equal(function, std::string(name) + ".size()", view.size(), 1);
  return *view.data();
}

}  // namespace KokkosKV::Impl

#endif
