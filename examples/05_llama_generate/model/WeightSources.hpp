// Where weights come from, a file or chance: matrices as functors of (output, input).
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/Arrays.hpp"
#include "model/Checkpoint.hpp"

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

enum class Part { embedding, query, key, value, output, gate, up, down, classifier };

template <class T>
using HostValues = Kokkos::View<T, Kokkos::LayoutRight, Kokkos::HostSpace,
                                Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

inline auto uninitialised(std::string const& label) {
  return Kokkos::view_alloc("llama_generate::" + label, Kokkos::WithoutInitializing);
}

/// Matrices of a checkpoint; each is brought to the device when it is asked for.
class CheckpointSource {
 public:
  using matrix_type = StoredMatrix;

  explicit CheckpointSource(Checkpoint const& checkpoint) : m_checkpoint(checkpoint) {}

  StoredMatrix matrix(Part part, std::size_t layer, std::size_t num_inputs) const {
    auto const values  = of_layer(all(part), layer, is_in_layers(part));
    auto const outputs = values.size() / num_inputs;
    Matrix const result(uninitialised("matrix"), outputs, num_inputs);
    Kokkos::deep_copy(result, HostValues<float const**>(values.data(), outputs, num_inputs));
    return {result, gains(part, layer)};
  }

 private:
  static bool is_in_layers(Part part) {
    return part != Part::embedding && part != Part::classifier;
  }

  std::span<float const> of_layer(std::vector<float> const& all, std::size_t layer,
                                  bool in_layers) const {
    auto const size = all.size() / (in_layers ? m_checkpoint.config.num_layers : 1);
    return std::span(all).subspan(layer * size, size);
  }

  std::vector<float> const& all(Part part) const {
    switch (part) {
      case Part::embedding:
        return m_checkpoint.embedding;
      case Part::query:
        return m_checkpoint.query;
      case Part::key:
        return m_checkpoint.key;
      case Part::value:
        return m_checkpoint.value;
      case Part::output:
        return m_checkpoint.output;
      case Part::gate:
        return m_checkpoint.gate;
      case Part::up:
        return m_checkpoint.up;
      case Part::down:
        return m_checkpoint.down;
      case Part::classifier:
        break;
    }
    return m_checkpoint.classifier_or_embedding();
  }

  /// Of the norm before a matrix.
  Vector gains(Part part, std::size_t layer) const {
    std::span<float const> values;
    if (part == Part::query || part == Part::key || part == Part::value) {
      values = of_layer(m_checkpoint.attention_norm, layer, true);
    } else if (part == Part::gate || part == Part::up) {
      values = of_layer(m_checkpoint.ffn_norm, layer, true);
    } else if (part == Part::classifier) {
      values = m_checkpoint.final_norm;
    }
    Vector const result(uninitialised("gains"), values.size());
    Kokkos::deep_copy(result, HostValues<float const*>(values.data(), values.size()));
    return result;
  }

  Checkpoint const& m_checkpoint;
};

/// Matrices of a seed. The same numbers on every machine.
class RandomSource {
 public:
  using matrix_type = RandomMatrix;

  explicit RandomSource(std::uint64_t seed) : m_seed(seed) {}

  RandomMatrix matrix(Part part, std::size_t layer, std::size_t num_inputs) const {
    return {RandomMatrix::mix(m_seed) + (std::uint64_t(layer) << 8 | std::uint64_t(part)),
            num_inputs};
  }

 private:
  std::uint64_t m_seed;
};

}  // namespace llama_generate
