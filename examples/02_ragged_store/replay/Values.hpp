// The values that are stored: a hash of where each element belongs, so that any element that lands
// in, or is read from, a wrong place shows.
#pragma once

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace ragged_store {

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

/// Seed of a token's row. \param plane  layer × kv_dim + (0 for keys, 1 for values)
KOKKOS_INLINE_FUNCTION std::uint32_t row_seed(std::uint32_t request, std::uint32_t token,
                                              std::uint32_t plane) {
  return mix(mix(mix(plane + 1) + request) + token);
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

/// Where each row of a step's input belongs.
struct RowOrigin {
  std::uint32_t request;
  std::uint32_t token;
};

/// Writes the values of `planes` consecutive planes × rows, packed one behind the other.
template <class T, class MemorySpace>
struct FillInputs {
  using execution_space = typename MemorySpace::execution_space;
  using policy          = Kokkos::TeamPolicy<execution_space>;

  Kokkos::View<T*, MemorySpace> input;
  Kokkos::View<RowOrigin const*, MemorySpace> origins;
  std::uint32_t num_rows;
  std::uint32_t row_elements;
  std::uint32_t first_plane;

  KOKKOS_FUNCTION void operator()(typename policy::member_type const& team) const {
    auto const index  = static_cast<std::uint32_t>(team.league_rank());
    auto const origin = origins(index % num_rows);
    auto const seed   = row_seed(origin.request, origin.token, first_plane + index / num_rows);
    T* const row      = &input(static_cast<std::size_t>(index) * row_elements);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, row_elements), [&](std::uint32_t element) {
      row[element] = Kokkos::bit_cast<T>(value_bits<T>(seed, element));
    });
  }

  void run(std::uint32_t planes) const {
    auto const rows = static_cast<int>(planes * num_rows);
    Kokkos::parallel_for("ragged_store::FillInputs", policy(rows, Kokkos::AUTO), *this);
  }
};

}  // namespace ragged_store
