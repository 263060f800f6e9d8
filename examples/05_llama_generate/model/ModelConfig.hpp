// The sizes of a Llama model.
#pragma once

#include <cstdint>

#include <projection/KokkosKV_RopeScaling.hpp>

namespace llama_generate {

struct ModelConfig {
  std::uint32_t dim        = 0;  ///< elements of a token's hidden state
  std::uint32_t hidden_dim = 0;  ///< of the feed-forward part
  std::uint32_t num_layers = 0;
  std::uint32_t num_heads  = 0;  ///< query heads
  /// Key/value heads, each shared by num_heads / num_kv_heads query heads (GQA).
  std::uint32_t num_kv_heads = 0;
  std::uint32_t vocab_size   = 0;
  std::uint32_t context      = 0;  ///< most tokens of a sequence whose keys are stored
  // Rotary embedding, of pairs of neighbouring elements.
  double rope_theta                  = 10000;
  KokkosKV::RopeScaling rope_scaling = {};

  std::uint32_t head_size() const { return dim / num_heads; }
  std::uint32_t kv_dim() const { return num_kv_heads * head_size(); }
};

/// Ids that the vocabularies of Llama begin with.
inline constexpr std::uint32_t bos_token = 1, eos_token = 2;

}  // namespace llama_generate
