// Pools filled with numbers and attention steps over them: what every attention benchmark begins
// with.
#ifndef KOKKOSKV_PERF_ATTENTIONSETUP_HPP
#define KOKKOSKV_PERF_ATTENTIONSETUP_HPP

#include <benchmark/benchmark.h>

#include <KokkosKV.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "../HugePages.hpp"
#include "../store/StoreSetup.hpp"

namespace KokkosKV::Perf {

/// Lengths of the sequences of a step.
struct AttentionBatch {
  std::vector<std::uint32_t> cached;  ///< tokens in the cache
  std::vector<std::uint32_t> rows;    ///< new tokens, whose keys and values are stored already
  std::uint32_t shared = 0;           ///< first tokens that all sequences have in common

  std::size_t size() const { return rows.size(); }
  std::uint32_t length(std::size_t b) const { return cached[b] + rows[b]; }

  /// Tokens with keys and values of their own in the pool.
  std::size_t num_tokens() const {
    std::size_t result = shared;
    for (std::size_t b = 0; b < size(); ++b) result += length(b) - shared;
    return result;
  }

  AttentionBatch part(std::size_t begin, std::size_t end) const {
    auto const cut = [&](std::vector<std::uint32_t> const& all) {
      return std::vector<std::uint32_t>(all.data() + begin, all.data() + end);
    };
    return {cut(cached), cut(rows), shared};
  }
};

/// One new token for each of the lengths, which count it.
inline AttentionBatch decode_batch(std::vector<std::uint32_t> lengths) {
  for (auto& length : lengths) --length;
  std::vector<std::uint32_t> const rows(lengths.size(), 1);
  return {lengths, rows};
}

/// Numbers in [-1, 1) that look random, each part by the thread that touched it first.
template <class ViewType>
void fill_with_numbers(ViewType const& view) {
  using value_type = typename ViewType::value_type;
  Kokkos::View<value_type*, typename ViewType::memory_space,
               Kokkos::MemoryTraits<Kokkos::Unmanaged>> const flat(view.data(), view.size());
  Kokkos::parallel_for(
      "KokkosKV::Perf::fill_with_numbers",
      Kokkos::RangePolicy<typename ViewType::execution_space, Kokkos::IndexType<std::size_t>>(
          0, flat.size()),
      KOKKOS_LAMBDA(std::size_t i) {
        auto hash = static_cast<std::uint32_t>(i) * 0x9E3779B1u;
        hash      = (hash ^ (hash >> 15)) * 0x85EBCA77u;
        hash ^= hash >> 13;
        flat(i) = value_type(static_cast<float>(hash >> 8) * 0x1p-23f - 1.0f);
      });
}

/// Keys and values of a batch on pages that are shuffled over the pool.
template <class T, int PageSize>
struct AttentionPool {
  using blocks_type =
      Kokkos::View<T*** [PageSize][bench_heads][bench_head_size], Kokkos::LayoutRight>;

  /// Keys and values of a token.
  static constexpr std::size_t token_bytes =
      std::size_t(2) * bench_heads * bench_head_size * sizeof(T);

  /// As many layers as make the pool larger than the last-level cache, so that no turn finds what
  /// an earlier one has read.
  static std::size_t layers_for(Scale scale, AttentionBatch const& batch) {
    std::size_t const wanted = std::size_t(2) << 30;
    auto const layer         = batch.num_tokens() * token_bytes;
    return scale == Scale::smoke ? 2 : (wanted + layer - 1) / layer;
  }

  AttentionPool(AttentionBatch const& batch, std::size_t num_layers) : pages(batch.size()) {
    auto const pages_of = [](std::size_t tokens) { return (tokens + PageSize - 1) / PageSize; };
    auto const common   = batch.shared / PageSize;
    std::size_t total   = common;
    for (std::size_t b = 0; b < batch.size(); ++b) total += pages_of(batch.length(b)) - common;
    std::vector<std::uint32_t> free_pages(total);
    std::iota(free_pages.begin(), free_pages.end(), 0u);
    std::shuffle(free_pages.begin(), free_pages.end(), std::mt19937(42));
    auto next = free_pages.begin() + static_cast<std::ptrdiff_t>(common);
    for (std::size_t b = 0; b < batch.size(); ++b) {
      auto const own = static_cast<std::ptrdiff_t>(pages_of(batch.length(b)) - common);
      pages[b].assign(free_pages.begin(), free_pages.begin() + static_cast<std::ptrdiff_t>(common));
      pages[b].insert(pages[b].end(), next, next + own);
      next += own;
    }
    blocks = make_data<blocks_type>("blocks", total, std::size_t(2), num_layers);
    fill_with_numbers(blocks);
  }

  /// Memory for a reference that reads `bytes`, another part each turn.
  void const* part(int turn, std::size_t bytes) const {
    auto const parts = std::max<std::size_t>(1, blocks.size() * sizeof(T) / bytes);
    return reinterpret_cast<char const*>(blocks.data()) +
           static_cast<std::size_t>(turn) % parts * bytes;
  }

  blocks_type blocks;
  std::vector<std::vector<std::uint32_t>> pages;  ///< of each sequence
};

/// One attention call for sequences of a pool, with its plan.
template <class T, int PageSize>
struct AttentionStep {
  using pool_type  = AttentionPool<T, PageSize>;
  using exec_space = Kokkos::DefaultExecutionSpace;
  using rows_type  = Kokkos::View<float***, Kokkos::LayoutRight>;
  using lses_type  = Kokkos::View<float**, Kokkos::LayoutRight>;

  /// \param pool     where the sequences lie
  /// \param all      every sequence of the pool
  /// \param group    query heads for each key/value head
  /// \param options  with shared prefixes, the step runs as a cascade
  /// \param begin    first sequence of the step
  /// \param end      one past its last
  AttentionStep(pool_type const& pool, AttentionBatch const& all, int group,
                AttentionPlanOptions const& options, std::size_t begin, std::size_t end)
      : batch(all.part(begin, end)),
        num_query_heads(bench_heads * group),
        cascade(!options.shared_prefixes.empty()),
        num_layers(pool.blocks.extent(2)),
        blocks(pool.blocks),
        pages(pool.pages.data() + begin, pool.pages.data() + end),
        lengths(device_vector("lengths", batch.cached)),
        offsets(device_vector("offsets", row_offsets(batch.rows))) {
    std::size_t longest = 0, num_rows = 0;
    for (auto const& list : pages) longest = std::max(longest, list.size());
    for (auto const count : batch.rows) num_rows += count;
    table                 = decltype(table)("table", batch.size(), longest);
    auto const host_table = Kokkos::create_mirror_view(table);
    Kokkos::deep_copy(host_table, null_page);
    for (std::size_t b = 0; b < batch.size(); ++b) {
      for (std::size_t i = 0; i < pages[b].size(); ++i) host_table(b, i) = pages[b][i];
    }
    Kokkos::deep_copy(table, host_table);
    auto const heads = static_cast<std::size_t>(num_query_heads);
    q                = make_data<rows_type>("q", num_rows, heads, bench_head_size);
    output           = make_data<rows_type>("output", num_rows, heads, bench_head_size);
    lse              = make_data<lses_type>("lse", num_rows, heads);
    fill_with_numbers(q);
    plan = std::make_unique<AttentionPlan<exec_space>>(make_attention_plan(
        exec_space{}, collection().get_key_cache(0), offsets, num_query_heads, 0, {}, options));
  }

  AttentionStep(pool_type const& pool, AttentionBatch const& all, int group,
                AttentionPlanOptions const& options = {})
      : AttentionStep(pool, all, group, options, 0, all.size()) {}

  auto collection() const {
    return generic_get_paged_cache(blocks, lengths, table,
                                   *std::max_element(batch.rows.begin(), batch.rows.end()),
                                   *std::max_element(batch.cached.begin(), batch.cached.end()));
  }

  /// Another layer each turn.
  void run(int turn) const {
    exec_space const exec;
    auto const all    = collection();
    auto const layer  = static_cast<std::size_t>(turn) % num_layers;
    auto const keys   = all.get_key_cache(layer);
    auto const values = all.get_value_cache(layer);
    if (cascade) {
      AttentionParams<> const params;
      cascade_attention(exec, *plan, q, keys, values, offsets, output, lse, params, unchecked);
    } else {
      paged_attention(exec, *plan, q, keys, values, offsets, output, lse);
    }
  }

  /// Bytes of the keys and values, those of a shared prefix once.
  std::size_t bytes() const { return batch.num_tokens() * pool_type::token_bytes; }

  /// Of the scores and of the weighted sums, where the mask lets keys through.
  double flops() const {
    double pairs = 0;
    for (std::size_t b = 0; b < batch.size(); ++b) {
      double const rows = batch.rows[b];
      pairs += rows * batch.cached[b] + rows * (rows + 1) / 2;
    }
    return 4.0 * bench_head_size * num_query_heads * pairs;
  }

  AttentionBatch batch;
  int num_query_heads;
  bool cascade;
  std::size_t num_layers;
  typename pool_type::blocks_type blocks;
  std::vector<std::vector<std::uint32_t>> pages;
  Kokkos::View<std::uint32_t*> lengths;
  Kokkos::View<std::uint32_t*> offsets;
  Kokkos::View<std::uint32_t**, Kokkos::LayoutRight> table;
  rows_type q;
  rows_type output;
  lses_type lse;
  std::unique_ptr<AttentionPlan<exec_space>> plan;
};

/// Registers a case that is measured by `body(state)`.
template <class Body>
void register_attention_case(std::string const& name, int iterations, Body const& body) {
  benchmark::RegisterBenchmark("attention/" + name, body)->UseManualTime()->Iterations(iterations);
}

}  // namespace KokkosKV::Perf

#endif
