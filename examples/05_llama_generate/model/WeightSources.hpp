// Where the numbers of weight matrices come from, as functors of (output, input).
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

#include "model/Arrays.hpp"

namespace llama_generate {

/// A matrix [outputs, inputs], whose inputs have gone through a norm with these gains.
struct StoredMatrix {
  Matrix values;
  Vector gains;  ///< empty: none

  KOKKOS_FUNCTION float operator()(std::size_t output, std::size_t input) const {
    auto const value = values(output, input);
    return gains.extent(0) == 0 ? value : value * gains(input);
  }
};

/// Numbers with mean 0 that keep the size of what is multiplied by them: uniform ones, made of the
/// position by a mixing function (Steele et al., Fast splittable pseudorandom number generators,
/// 2014), so that no thread waits for another.
struct RandomMatrix {
  std::uint64_t seed;
  float largest;

  RandomMatrix(std::uint64_t seed_of_matrix, std::size_t num_inputs)
      : seed(mix(seed_of_matrix)), largest(Kokkos::sqrt(3.0f / static_cast<float>(num_inputs))) {}

  KOKKOS_FUNCTION float operator()(std::size_t output, std::size_t input) const {
    auto const bits = mix(seed ^ (std::uint64_t(output) << 32 | std::uint64_t(input))) >> 40;
    return largest * (static_cast<float>(bits) * 0x1p-23f - 1.0f);
  }

  KOKKOS_FUNCTION static std::uint64_t mix(std::uint64_t word) {
    word += 0x9E3779B97F4A7C15u;
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
    return word ^ (word >> 31);
  }
};

/// Outputs of two matrices in turn.
template <class Source>
struct Alternating {
  Source even, odd;

  KOKKOS_FUNCTION float operator()(std::size_t output, std::size_t input) const {
    return output % 2 == 0 ? even(output / 2, input) : odd(output / 2, input);
  }
};

}  // namespace llama_generate
