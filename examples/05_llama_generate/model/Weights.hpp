// The weights of a model on the device.
#pragma once

#include <vector>

#include "model/Checkpoint.hpp"
#include "model/Layers.hpp"

namespace llama_generate {

struct LayerWeights {
  Vector attention_norm;
  Linear query_key_value;  ///< outputs: those of all query heads, key heads, value heads
  Linear output;
  Vector ffn_norm;
  Linear gate_up;  ///< outputs: gates, then what they let through
  Linear down;
};

struct Weights {
  /// Copies them to the device.
  explicit Weights(Checkpoint const& checkpoint);

  Matrix embedding;  ///< [vocab_size, dim]
  std::vector<LayerWeights> layers;
  Vector final_norm;
  Linear classifier;
  /// [context, head_size]: cosine and sine of each pair of elements of a head at each position.
  Matrix rotary;
};

}  // namespace llama_generate
