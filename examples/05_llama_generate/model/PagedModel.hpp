// The forward pass of a Llama model over a pool of pages.
#pragma once

#include <KokkosKV.hpp>
#include <Kokkos_Core.hpp>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "model/Activations.hpp"
#include "model/LanguageModel.hpp"
#include "model/Layers.hpp"
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
  PagedModel(execution_space const& exec, Checkpoint const& checkpoint, std::uint32_t num_pages)
      : m_exec(exec),
        m_config(checkpoint.config),
        m_weights(checkpoint),
        m_blocks("llama_generate::blocks", num_pages, 2, checkpoint.config.num_layers),
        m_batcher(exec, 1, 1),
        m_activations(checkpoint.config),
        m_host_logits("llama_generate::host_logits", 0) {}

  ModelConfig const& config() const override { return m_config; }

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
    KokkosKV::gather_rows(m_exec, m_weights.embedding, m_rows.tokens(), x, KokkosKV::unchecked);
    for (std::size_t layer = 0; layer < m_weights.layers.size(); ++layer) {
      attend(layer, batch, plan, cache);
      feed_forward(m_weights.layers[layer]);
    }
    if (m_rows.num_wanted() == 0) return;
    auto const& last = m_activations.last_rows.rows();
    rms_norm_rows(m_exec, x, m_rows.wanted(), m_weights.final_norm, last);
    multiply(m_exec, last, m_weights.classifier, m_activations.logits.rows());
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

  /// Rows of query heads, as attention takes them.
  heads_type query_heads(Matrix const& rows) const {
    return heads_type(rows.data(), rows.extent(0), m_config.num_heads, m_config.head_size());
  }

  template <class Batch, class Plan, class Cache>
  void attend(std::size_t layer, Batch const& batch, Plan const& plan, Cache const& cache) {
    auto const& weights = m_weights.layers[layer];
    auto const& x       = m_activations.hidden_state.rows();
    auto const& heads   = m_activations.heads.rows();
    rms_norm(m_exec, x, weights.attention_norm, m_activations.normalised.rows());
    multiply(m_exec, m_activations.normalised.rows(), weights.query_key_value, heads);

    constexpr int size   = Params.head_size;
    auto const first_key = static_cast<int>(m_config.dim);
    auto const rotated   = [&](int first_column) {
      return RotatedHeads{heads, m_rows.positions(), m_weights.rotary, first_column, size};
    };
    auto const keys = cache.get_key_cache(layer);
    auto const vals = cache.get_value_cache(layer);
    KokkosKV::kv_cache_store_ragged_key_value(
        m_exec, keys, vals,
        KokkosKV::RaggedShape{m_rows.num_rows(), std::size_t(Params.num_heads),
                              std::size_t(Params.head_size)},
        batch.row_offsets, rotated(first_key),
        PlainHeads{heads, first_key + static_cast<int>(m_config.kv_dim()), size},
        KokkosKV::unchecked);

    auto const& queries  = m_activations.queries.rows();
    auto const& attended = m_activations.attended.rows();
    Kokkos::parallel_for(
        "llama_generate::rotate_queries",
        Kokkos::MDRangePolicy<execution_space, Kokkos::Rank<2>, Kokkos::IndexType<std::size_t>>(
            m_exec, {0, 0}, {queries.extent(0), queries.extent(1)}),
        RotateQueries{rotated(0), queries});
    KokkosKV::paged_attention(m_exec, plan, query_heads(queries), keys, vals, batch.row_offsets,
                              query_heads(attended));
    multiply_add(m_exec, attended, weights.output, x);
  }

  void feed_forward(LayerWeights const& weights) {
    auto const& x = m_activations.hidden_state.rows();
    rms_norm(m_exec, x, weights.ffn_norm, m_activations.normalised.rows());
    multiply(m_exec, m_activations.normalised.rows(), weights.gate_up,
             m_activations.gate_up.rows());
    swiglu(m_exec, m_activations.gate_up.rows(), m_activations.gated.rows());
    multiply_add(m_exec, m_activations.gated.rows(), weights.down, x);
  }

  execution_space m_exec;
  ModelConfig m_config;
  Weights m_weights;
  blocks_type m_blocks;
  KokkosKV::StepBatcher<execution_space> m_batcher;
  StepRows m_rows;
  Activations m_activations;
  Kokkos::View<float*, Kokkos::HostSpace> m_host_logits;
};

}  // namespace llama_generate
