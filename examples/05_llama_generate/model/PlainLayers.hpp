// Layers with our own products: few kernels, any storage type of the weights.
#pragma once

#include <utility>
#include <variant>

#include "model/Layers.hpp"
#include "model/Products.hpp"
#include "model/RowBuffer.hpp"
#include "model/Weights.hpp"

namespace llama_generate {

template <class Cache>
class PlainLayers final : public Layers<Cache> {
 public:
  PlainLayers(ModelConfig const& config, PackedWeights weights)
      : m_weights(std::move(weights)),
        m_rotary(rope_frequencies(config), config.context),
        m_keys("keys", config.kv_dim()),
        m_values("values", config.kv_dim()),
        m_gated("gated", config.hidden_dim) {}

  std::size_t weight_bytes() const override { return m_weights.bytes_per_step(); }

  void embed(execution_space const& exec, Indices const& tokens, Matrix const& x) override {
    std::visit(
        [&](auto const& embedding) {
          KokkosKV::gather_rows(exec, embedding, tokens, x, KokkosKV::unchecked);
        },
        m_weights.embedding);
  }

  void store_keys_values(execution_space const& exec, std::size_t layer, Matrix const& x,
                         LayerRows const& rows, Cache const& keys, Cache const& values,
                         Matrix const& queries) override {
    auto const key_rows   = m_keys.resize(exec, x.extent(0));
    auto const value_rows = m_values.resize(exec, x.extent(0));
    project_attention(exec, x, m_weights.layers[layer].query_key_value, m_rotary, rows.positions,
                      {queries, key_rows, value_rows});
    KokkosKV::kv_cache_store_ragged_key_value(
        exec, keys, values, rows.row_offsets, as_heads(key_rows, Cache::head_size),
        as_heads(value_rows, Cache::head_size), KokkosKV::unchecked);
  }

  void add_attention(execution_space const& exec, std::size_t layer, Matrix const& attended,
                     Matrix const& x) override {
    project_and_add(exec, attended, m_weights.layers[layer].output, x);
  }

  void add_feed_forward(execution_space const& exec, std::size_t layer, Matrix const& x) override {
    auto const gated = m_gated.resize(exec, x.extent(0));
    project_gated(exec, x, m_weights.layers[layer].gate_up, gated);
    project_and_add(exec, gated, m_weights.layers[layer].down, x);
  }

  void make_logits(execution_space const& exec, Matrix const& x, Matrix const& logits) override {
    project_normalised(exec, x, m_weights.classifier, logits);
  }

 private:
  PackedWeights m_weights;
  Rotary m_rotary;
  RowBuffer m_keys, m_values, m_gated;
};

}  // namespace llama_generate
