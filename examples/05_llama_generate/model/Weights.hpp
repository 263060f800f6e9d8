// The weights of a model on the device. Gains of norms are part of the matrices that follow them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "model/Checkpoint.hpp"
#include "model/Linear.hpp"

namespace llama_generate {

/// \tparam Matrices  form of a linear layer: Linear, or Matrix `[outputs, inputs]`
template <class Matrices>
struct WeightsOf {
  struct Layer {
    Matrices query_key_value;  ///< Linear: paired, and each of the three begins a panel
    Matrices output;
    Matrices
        gate_up;  ///< Linear: paired, gates and what they let through; Matrix: one after another
    Matrices down;
  };
  template <class T>
  using table = Kokkos::View<T**, Kokkos::LayoutRight, memory_space>;

  /// `[vocab_size, dim]`
  std::variant<table<float>, table<KokkosKV::half>, table<KokkosKV::bf16>> embedding;
  std::vector<Layer> layers;
  Matrices classifier;

  /// Bytes that each step reads, whatever its rows are.
  std::size_t bytes_per_step() const {
    auto bytes = bytes_of(classifier);
    for (auto const& layer : layers) {
      bytes += bytes_of(layer.query_key_value) + bytes_of(layer.output) + bytes_of(layer.gate_up) +
               bytes_of(layer.down);
    }
    return bytes;
  }
};

/// What our own products read.
using PackedWeights = WeightsOf<Linear>;
/// What products of Kokkos Kernels read.
using MatrixWeights = WeightsOf<Matrix>;
using AnyWeights    = std::variant<PackedWeights, MatrixWeights>;

/// Those of a file, rounded to a storage type. Floats are MatrixWeights where there is Kokkos
/// Kernels.
AnyWeights load_weights(Checkpoint const& checkpoint, WeightType type);

/// Random ones in the same form, made on the device. The same numbers on every machine.
AnyWeights make_random_weights(ModelConfig const& config, std::uint64_t seed, WeightType type);

}  // namespace llama_generate
