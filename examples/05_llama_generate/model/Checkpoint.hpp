// A trained model as its file has it: the "legacy" layout of llama2.c.
#pragma once

#include <string>
#include <vector>

#include "model/ModelConfig.hpp"

namespace llama_generate {

/// Weights in the order of the file; all matrices are [out, in], those of layers one after another.
struct Checkpoint {
  ModelConfig config;
  std::vector<float> embedding;       ///< [vocab_size, dim]
  std::vector<float> attention_norm;  ///< [layers, dim]
  std::vector<float> query;           ///< [layers, dim, dim]
  std::vector<float> key;             ///< [layers, kv_dim, dim]
  std::vector<float> value;           ///< [layers, kv_dim, dim]
  std::vector<float> output;          ///< [layers, dim, dim]
  std::vector<float> ffn_norm;        ///< [layers, dim]
  std::vector<float> gate;            ///< [layers, hidden_dim, dim]
  std::vector<float> down;            ///< [layers, dim, hidden_dim]
  std::vector<float> up;              ///< [layers, hidden_dim, dim]
  std::vector<float> final_norm;      ///< [dim]
  /// [vocab_size, dim]; empty where the embedding serves (tied).
  std::vector<float> classifier;

  /// What makes logits of hidden states.
  std::vector<float> const& classifier_or_embedding() const {
    return classifier.empty() ? embedding : classifier;
  }
};

/// Reads a checkpoint. A negative vocabulary size in the file says that the classifier is not tied.
/// \throws UsageError  the file cannot be read, its sizes contradict one another, or it is not as
///                     long as they demand
Checkpoint read_checkpoint(std::string const& path);

}  // namespace llama_generate
