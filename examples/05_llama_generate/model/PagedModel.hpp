// The forward pass of a Llama model over a pool of pages.
#pragma once

#include <KokkosKV.hpp>
#include <Kokkos_Core.hpp>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "model/LanguageModel.hpp"
#include "model/MakeLayers.hpp"
#include "model/RowBuffer.hpp"
#include "model/StepRows.hpp"

namespace llama_generate {

/// All sequences of a step go through the layers together, as one batch of rows.
/// \tparam T         storage type of the cache
/// \tparam Params    key/value heads and their size
/// \tparam PageSize  tokens of a page
template <class T, KokkosKV::KVCacheStaticParams Params, int PageSize>
class PagedModel final : public LanguageModel {
 public:
  PagedModel(execution_space const& exec, ModelConfig const& config, AnyWeights weights,
             std::uint32_t num_pages)
      : m_exec(exec),
        m_config(config),
        m_layers(make_layers<cache_type>(config, std::move(weights))),
        m_blocks("llama_generate::blocks", num_pages, 2, config.num_layers),
        m_batcher(exec, 1, 1),
        m_hidden_state("hidden_state", config.dim),
        m_queries("queries", config.dim),
        m_attended("attended", config.dim),
        m_last_rows("last_rows", config.dim),
        m_logits("logits", config.vocab_size),
        m_host_logits("llama_generate::host_logits", 0) {}

  ModelConfig const& config() const override { return m_config; }
  std::size_t weight_bytes() const override { return m_layers->weight_bytes(); }

  void launch(KokkosKV::PageManager const& manager, KokkosKV::StepLayout const& layout,
              std::span<std::uint32_t const> sequences) override {
    // The numbers of the step before may still be on their way.
    m_exec.fence("llama_generate::PagedModel: next step");
    auto const batch = m_batcher.load(m_exec, manager, layout);
    m_rows.load(m_exec, manager, layout, sequences);
    // What the manager made need not be checked again.
    auto const cache = KokkosKV::generic_get_paged_cache<Params, PageSize>(
        m_blocks, batch.cache_lengths, batch.lookup_table, batch.max_prompt_length,
        batch.max_cache_length, KokkosKV::unchecked);
    batch.copy_pages(m_exec, cache);
    KokkosKV::AttentionShape const shape{static_cast<int>(m_config.num_heads), Params.num_heads,
                                         Params.head_size, Params.head_size};
    KokkosKV::AttentionPlan<execution_space> const plan(m_exec, shape, batch.host_row_offsets,
                                                        batch.host_cache_lengths);

    auto const x         = m_hidden_state.resize(m_exec, m_rows.num_rows());
    auto const queries   = m_queries.resize(m_exec, m_rows.num_rows());
    auto const attended  = m_attended.resize(m_exec, m_rows.num_rows());
    LayerRows const rows = {batch.row_offsets, m_rows.positions()};
    m_layers->embed(m_exec, m_rows.tokens(), x);
    for (std::size_t layer = 0; layer < m_config.num_layers; ++layer) {
      auto const keys   = cache.get_key_cache(layer);
      auto const values = cache.get_value_cache(layer);
      m_layers->store_keys_values(m_exec, layer, x, rows, keys, values, queries);
      KokkosKV::paged_attention(m_exec, plan, as_heads(queries, Params.head_size), keys, values,
                                batch.row_offsets, as_heads(attended, Params.head_size));
      m_layers->add_attention(m_exec, layer, attended, x);
      m_layers->add_feed_forward(m_exec, layer, x);
    }
    m_num_logits = m_rows.num_wanted() * m_config.vocab_size;
    if (m_rows.num_wanted() == 0) return;
    auto const last = m_last_rows.resize(m_exec, m_rows.num_wanted());
    KokkosKV::gather_rows(m_exec, x, m_rows.wanted(), last, KokkosKV::unchecked);
    m_layers->make_logits(m_exec, last, m_logits.resize(m_exec, m_rows.num_wanted()));
  }

  std::span<float const> logits() override {
    auto const from = m_logits.resize(m_exec, m_num_logits / m_config.vocab_size);
    if (m_host_logits.size() < m_num_logits) {
      Kokkos::realloc(Kokkos::WithoutInitializing, m_host_logits, m_num_logits);
    }
    Kokkos::View<float*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const host(
        m_host_logits.data(), m_num_logits);
    Kokkos::deep_copy(m_exec, host,
                      Kokkos::View<float*, memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                          from.data(), m_num_logits));
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
  using cache_type  = KokkosKV::PagedKVCache<T, Params, PageSize, memory_space>;

  execution_space m_exec;
  ModelConfig m_config;
  std::unique_ptr<Layers<cache_type>> m_layers;
  blocks_type m_blocks;
  KokkosKV::StepBatcher<execution_space> m_batcher;
  StepRows m_rows;
  RowBuffer m_hidden_state, m_queries, m_attended;
  RowBuffer m_last_rows, m_logits;  ///< of the wanted sequences
  std::size_t m_num_logits = 0;
  Kokkos::View<float*, Kokkos::HostSpace> m_host_logits;
};

}  // namespace llama_generate
