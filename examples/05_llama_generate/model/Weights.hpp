// The weights of a model on the device. Gains of norms are part of the matrices that follow them.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "model/Checkpoint.hpp"
#include "model/Linear.hpp"

namespace llama_generate {

struct LayerWeights {
  Linear query_key_value;  ///< paired; each of the three begins a panel
  Linear output;
  Linear gate_up;  ///< paired: gates, and what they let through
  Linear down;
};

struct Weights {
  template <class T>
  using table = Kokkos::View<T**, Kokkos::LayoutRight, memory_space>;

  /// `[vocab_size, dim]`
  using embedding_type = std::variant<table<float>, table<KokkosKV::half>, table<KokkosKV::bf16>>;

  embedding_type embedding;
  std::vector<LayerWeights> layers;
  Linear classifier;

  /// Bytes that each step reads, whatever its rows are.
  std::size_t bytes_per_step() const;
};

/// Those of a file, rounded to a storage type.
Weights load_weights(Checkpoint const& checkpoint, WeightType type);

/// Random ones, made on the device. The same numbers on every machine.
Weights make_random_weights(ModelConfig const& config, std::uint64_t seed, WeightType type);

}  // namespace llama_generate
