// The root mean square of a row, by which norms divide.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>

#include "model/Lanes.hpp"

namespace llama_generate {

/// Added to the mean of squares (RMSNorm: Zhang and Sennrich, 2019).
inline constexpr float norm_epsilon = 1e-5F;

using Team = Kokkos::TeamPolicy<execution_space>::member_type;

/// By all threads of a vector team together.
KOKKOS_INLINE_FUNCTION float inverse_root_mean_square([[maybe_unused]] Team const& team,
                                                      float const* row, std::size_t num_elements) {
  float squares = 0;
  if constexpr (is_host) {
    Lanes partial{};
    std::size_t i = 0;
    for (; i + num_lanes <= num_elements; i += num_lanes) {
      auto const x = load(row + i);
      partial += x * x;
    }
    squares = sum_of_lanes(partial);
    for (; i < num_elements; ++i) squares += row[i] * row[i];
  } else {
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, num_elements),
        [&](std::size_t i, float& sum) { sum += row[i] * row[i]; }, squares);
  }
  return 1 / Kokkos::sqrt(squares / static_cast<float>(num_elements) + norm_epsilon);
}

}  // namespace llama_generate
