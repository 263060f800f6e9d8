// The forward pass of a Llama model over a pool of pages.
#pragma once

#include <KokkosKV.hpp>
#include <Kokkos_Core.hpp>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <variant>

#include "model/Activations.hpp"
#include "model/LanguageModel.hpp"
#include "model/Products.hpp"
#include "model/Rotary.hpp"
#include "model/StepRows.hpp"
#include "model/Weights.hpp"

namespace llama_generate {

/// All sequences of a step go through the layers together, as one batch of rows.
/// \tparam T         storage type of the cache
/// \tparam Params    key/value heads and their size
/// \tparam PageSize  tokens of a page
template <class T, KokkosKV::KVCacheStaticParams Params, int PageSize>
class PagedModel final : public LanguageModel {
 public:
  PagedModel(execution_space const& exec, ModelConfig const& config, Weights weights,
             std::uint32_t num_pages)
      : m_exec(exec),
        m_config(config),
        m_weights(std::move(weights)),
        m_rotary(rope_frequencies(config), config.context),
        m_blocks("llama_generate::blocks", num_pages, 2, config.num_layers),
        m_batcher(exec, 1, 1),
        m_activations(config),
        m_host_logits("llama_generate::host_logits", 0) {}

  ModelConfig const& config() const override { return m_config; }
  std::size_t weight_bytes() const override { return m_weights.bytes_per_step(); }

  void launch(KokkosKV::PageManager const& manager, KokkosKV::StepLayout const& layout,
              std::span<std::uint32_t const> sequences) override {
    // The numbers of the step before may still be on their way.
    m_exec.fence("llama_generate::PagedModel: next step");
    auto const batch = m_batcher.load(m_exec, manager, layout);
    m_rows.load(m_exec, manager, layout, sequences);
    m_activations.resize(m_exec, m_rows.num_rows(), m_rows.num_wanted());
    // What the manager made need not be checked again.
    auto const cache = KokkosKV::generic_get_paged_cache<Params, PageSize>(
        m_blocks, batch.cache_lengths, batch.lookup_table, batch.max_prompt_length,
        batch.max_cache_length, KokkosKV::unchecked);
    batch.copy_pages(m_exec, cache);
    KokkosKV::AttentionShape const shape{static_cast<int>(m_config.num_heads), Params.num_heads,
                                         Params.head_size, Params.head_size};
    KokkosKV::AttentionPlan<execution_space> const plan(m_exec, shape, batch.host_row_offsets,
                                                        batch.host_cache_lengths);

    auto const& x = m_activations.hidden_state.rows();
    std::visit(
        [&](auto const& embedding) {
          KokkosKV::gather_rows(m_exec, embedding, m_rows.tokens(), x, KokkosKV::unchecked);
        },
        m_weights.embedding);
    for (std::size_t layer = 0; layer < m_weights.layers.size(); ++layer) {
      attend(layer, batch, plan, cache);
      feed_forward(m_weights.layers[layer]);
    }
    if (m_rows.num_wanted() == 0) return;
    auto const& last = m_activations.last_rows.rows();
    KokkosKV::gather_rows(m_exec, x, m_rows.wanted(), last, KokkosKV::unchecked);
    project_normalised(m_exec, last, m_weights.classifier, m_activations.logits.rows());
  }

  std::span<float const> logits() override {
    auto const& logits = m_activations.logits.rows();
    if (m_host_logits.size() < logits.size()) {
      Kokkos::realloc(Kokkos::WithoutInitializing, m_host_logits, logits.size());
    }
    Kokkos::View<float*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const host(
        m_host_logits.data(), logits.size());
    Kokkos::deep_copy(m_exec, host,
                      Kokkos::View<float*, memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                          logits.data(), logits.size()));
    m_exec.fence("llama_generate::PagedModel: logits");
    return {host.data(), host.size()};
  }

  std::shared_ptr<KokkosKV::PageTransfer> make_transfer(std::uint32_t num_host_pages) override {
    using transfer_type = KokkosKV::PoolTransfer<execution_space, blocks_type>;
    return std::make_shared<transfer_type>(m_exec, m_blocks, num_host_pages);
  }

 private:
  /// `[pages, keys and values, layers, page size, heads, head size]`
  using blocks_type = Kokkos::View<T*** [PageSize][Params.num_heads][Params.head_size],
                                   Kokkos::LayoutRight, memory_space>;
  using heads_type  = Kokkos::View<float***, Kokkos::LayoutRight, memory_space>;

  static KokkosKV::RopeFrequencies<memory_space> rope_frequencies(ModelConfig const& config) {
    return KokkosKV::RopeFrequencies<memory_space>({.rotary_dim = Params.head_size,
                                                    .theta      = config.rope_theta,
                                                    .form       = KokkosKV::RopeForm::interleaved,
                                                    .scaling    = config.rope_scaling});
  }

  /// Rows of heads, as the cache takes them.
  static heads_type heads(Matrix const& rows) {
    return heads_type(rows.data(), rows.extent(0), rows.extent(1) / Params.head_size,
                      Params.head_size);
  }

  template <class Batch, class Plan, class Cache>
  void attend(std::size_t layer, Batch const& batch, Plan const& plan, Cache const& cache) {
    auto const& weights  = m_weights.layers[layer];
    auto const& x        = m_activations.hidden_state.rows();
    auto const& queries  = m_activations.queries.rows();
    auto const& keys     = m_activations.keys.rows();
    auto const& values   = m_activations.values.rows();
    auto const& attended = m_activations.attended.rows();
    project_attention(m_exec, x, weights.query_key_value, m_rotary, m_rows.positions(),
                      {queries, keys, values});
    auto const key_cache   = cache.get_key_cache(layer);
    auto const value_cache = cache.get_value_cache(layer);
    KokkosKV::kv_cache_store_ragged_key_value(m_exec, key_cache, value_cache, batch.row_offsets,
                                              heads(keys), heads(values), KokkosKV::unchecked);
    KokkosKV::paged_attention(m_exec, plan, heads(queries), key_cache, value_cache,
                              batch.row_offsets, heads(attended));
    project_and_add(m_exec, attended, weights.output, x);
  }

  void feed_forward(LayerWeights const& weights) {
    auto const& x = m_activations.hidden_state.rows();
    project_gated(m_exec, x, weights.gate_up, m_activations.gated.rows());
    project_and_add(m_exec, m_activations.gated.rows(), weights.down, x);
  }

  execution_space m_exec;
  ModelConfig m_config;
  Weights m_weights;
  Rotary m_rotary;
  blocks_type m_blocks;
  KokkosKV::StepBatcher<execution_space> m_batcher;
  StepRows m_rows;
  Activations m_activations;
  Kokkos::View<float*, Kokkos::HostSpace> m_host_logits;
};

}  // namespace llama_generate
