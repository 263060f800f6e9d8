// The values that are stored: by request, token and plane.
#pragma once

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

#include "common/Values.hpp"

namespace ragged_store {

using example::mix;

/// Seed of a token's row. \param plane  layer × kv_dim + (0 for keys, 1 for values)
KOKKOS_INLINE_FUNCTION std::uint32_t row_seed(std::uint32_t request, std::uint32_t token,
                                              std::uint32_t plane) {
  return mix(mix(mix(plane + 1) + request) + token);
}

/// Seeds of a request's rows.
struct RequestSeeds {
  std::uint32_t request;

  KOKKOS_FUNCTION std::uint32_t operator()(std::uint32_t token, std::uint32_t plane) const {
    return row_seed(request, token, plane);
  }
};

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
      row[element] = Kokkos::bit_cast<T>(example::value_bits<T>(seed, element));
    });
  }

  void run(std::uint32_t planes) const {
    auto const rows = static_cast<int>(planes * num_rows);
    Kokkos::parallel_for("ragged_store::FillInputs", policy(rows, Kokkos::AUTO), *this);
  }
};

}  // namespace ragged_store
