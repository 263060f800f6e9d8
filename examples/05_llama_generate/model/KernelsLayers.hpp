// Layers with the products of Kokkos Kernels, which use the BLAS that it was built with. Keys and
// values go into the cache as they are computed, keys rotated on the way.
#pragma once

#include <KokkosBlas3_gemm.hpp>
#include <utility>
#include <variant>

#include <projection_gemm/KokkosKV_MatmulStoreRagged.hpp>

#include "model/Layers.hpp"
#include "model/RowBuffer.hpp"
#include "model/RowKernels.hpp"
#include "model/Weights.hpp"

namespace llama_generate {

template <class Cache>
class KernelsLayers final : public Layers<Cache> {
 public:
  KernelsLayers(ModelConfig const& config, MatrixWeights weights)
      : m_weights(std::move(weights)),
        m_frequencies(rope_frequencies(config)),
        m_plan(2 * config.kv_dim(), longest_block),
        m_normalised("normalised", config.dim),
        m_gate_up("gate_up", std::size_t(2) * config.hidden_dim),
        m_gated("gated", config.hidden_dim) {}

  std::size_t weight_bytes() const override { return m_weights.bytes_per_step(); }

  void embed(execution_space const& exec, Indices const& tokens, Matrix const& x) override {
    KokkosKV::gather_rows(exec, std::get<Matrix>(m_weights.embedding), tokens, x,
                          KokkosKV::unchecked);
  }

  void store_keys_values(execution_space const& exec, std::size_t layer, Matrix const& x,
                         LayerRows const& rows, Cache const& keys, Cache const& values,
                         Matrix const& queries) override {
    KokkosKV::qkv_matmul_store_ragged(
        exec, m_plan, keys, values, rows.row_offsets, normalised(exec, x),
        KokkosKV::LinearWeights{m_weights.layers[layer].query_key_value},
        as_heads(queries, Cache::head_size), m_frequencies, KokkosKV::unchecked);
  }

  void add_attention(execution_space const& exec, std::size_t layer, Matrix const& attended,
                     Matrix const& x) override {
    multiply(exec, attended, m_weights.layers[layer].output, 1, x);
  }

  void add_feed_forward(execution_space const& exec, std::size_t layer, Matrix const& x) override {
    auto const& weights = m_weights.layers[layer];
    auto const gate_up  = m_gate_up.resize(exec, x.extent(0));
    auto const gated    = m_gated.resize(exec, x.extent(0));
    multiply(exec, normalised(exec, x), weights.gate_up, 0, gate_up);
    swiglu(exec, gate_up, gated);
    multiply(exec, gated, weights.down, 1, x);
  }

  void make_logits(execution_space const& exec, Matrix const& x, Matrix const& logits) override {
    multiply(exec, normalised(exec, x), m_weights.classifier, 0, logits);
  }

 private:
  /// Rows that are multiplied at a time.
  static constexpr std::size_t longest_block = 1024;

  Matrix normalised(execution_space const& exec, Matrix const& x) {
    auto const result = m_normalised.resize(exec, x.extent(0));
    normalise(exec, x, result);
    return result;
  }

  /// out = in * weights^T + beta * out
  static void multiply(execution_space const& exec, Matrix const& in, Matrix const& weights,
                       float beta, Matrix const& out) {
    KokkosBlas::gemm(exec, "N", "T", 1.0f, in, weights, beta, out);
  }

  MatrixWeights m_weights;
  KokkosKV::RopeFrequencies<memory_space> m_frequencies;
  KokkosKV::ProjectionPlan<float, execution_space> m_plan;
  RowBuffer m_normalised, m_gate_up, m_gated;
};

}  // namespace llama_generate
