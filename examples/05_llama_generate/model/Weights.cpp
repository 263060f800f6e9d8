// Cuts the checkpoint's arrays into layers.
#include "model/Weights.hpp"

#include <cmath>

namespace llama_generate {
namespace {

constexpr float rotary_base = 10000;

std::vector<float> rotary_table(ModelConfig const& config) {
  auto const head_size = config.head_size();
  std::vector<float> result(std::size_t(config.context) * head_size);
  for (std::size_t i = 0; i < result.size(); i += 2) {
    auto const exponent = static_cast<float>(i % head_size) / static_cast<float>(head_size);
    auto const angle    = static_cast<float>(i / head_size) / std::pow(rotary_base, exponent);
    result[i]           = std::cos(angle);
    result[i + 1]       = std::sin(angle);
  }
  return result;
}

}  // namespace

Weights::Weights(Checkpoint const& checkpoint) {
  auto const& config = checkpoint.config;
  auto const dim     = config.dim;
  embedding          = make_matrix("embedding", dim, checkpoint.embedding);
  for (std::size_t layer = 0; layer < config.num_layers; ++layer) {
    auto const part = [&](std::vector<float> const& all) {
      auto const size = all.size() / config.num_layers;
      return std::span<float const>(all).subspan(layer * size, size);
    };
    layers.push_back(
        {make_vector("attention_norm", part(checkpoint.attention_norm)),
         make_linear("query_key_value", dim,
                     {part(checkpoint.query), part(checkpoint.key), part(checkpoint.value)}),
         make_linear("output", dim, {part(checkpoint.output)}),
         make_vector("ffn_norm", part(checkpoint.ffn_norm)),
         make_linear("gate_up", dim, {part(checkpoint.gate), part(checkpoint.up)}),
         make_linear("down", config.hidden_dim, {part(checkpoint.down)})});
  }
  final_norm = make_vector("final_norm", checkpoint.final_norm);
  classifier = make_linear("classifier", dim, {checkpoint.classifier_or_embedding()});
  rotary     = make_matrix("rotary", config.head_size(), rotary_table(config));
}

}  // namespace llama_generate
