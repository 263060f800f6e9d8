// The loop of an engine around the cache: plan a step, make its keys and values, store them in
// every layer, and read complete requests back.
#include "replay/Replay.hpp"

#include <KokkosKV.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>

#include "common/ProgressBar.hpp"
#include "common/UsageError.hpp"
#include "replay/BatchTables.hpp"
#include "replay/CacheUnderTest.hpp"
#include "replay/MemcpyReference.hpp"
#include "scheduler/Scheduler.hpp"

namespace ragged_store {
namespace {

struct StorageType {
  std::size_t bytes;
  decltype(&make_cache<float>) make;
};

/// In the order of type_names.
constexpr StorageType storage_types[] = {{sizeof(float), &make_cache<float>},
                                         {sizeof(KokkosKV::half), &make_cache<KokkosKV::half>},
                                         {sizeof(KokkosKV::bf16), &make_cache<KokkosKV::bf16>},
                                         {sizeof(std::int8_t), &make_cache<std::int8_t>}};
static_assert(std::size(storage_types) == std::size(type_names));

StorageType const& storage_type(std::string const& name) {
  auto const index = std::ranges::find(type_names, name) - std::begin(type_names);
  return storage_types[index];
}

/// The input of several layers is made at once, so that the stores read it from memory and not from
/// the caches.
constexpr std::size_t largest_input = std::size_t(256) << 20;

/// Every how many steps a memcpy is measured too.
constexpr std::uint64_t memcpy_interval = 4;

SchedulerLimits scheduler_limits(Options const& options, CacheGeometry const& geometry) {
  auto const pages = options.pool_gib * 0x1p30 / static_cast<double>(geometry.page_bytes());
  return {static_cast<std::uint32_t>(std::min(pages, 0x1p32 - 2)), geometry.page_size,
          options.max_batch, options.budget, options.chunk};
}

std::unique_ptr<CacheUnderTest> allocate_cache(Options const& options,
                                               CacheGeometry const& geometry,
                                               std::uint32_t num_pages,
                                               std::size_t input_elements) {
  std::unique_ptr<CacheUnderTest> cache;
  try {
    cache = storage_type(options.type).make(geometry, num_pages, input_elements);
  } catch (std::exception const&) {
    throw example::UsageError("no memory for a pool of " + std::to_string(num_pages) +
                              " pages of " + std::to_string(geometry.page_bytes()) +
                              " bytes (see --pool-gib)");
  }
  if (cache == nullptr)
    throw example::UsageError("this shape, type and page size are not compiled together");
  return cache;
}

class Replay {
 public:
  Replay(Options const& options, CacheGeometry const& geometry, SchedulerLimits const& limits,
         std::span<example::Request const> requests)
      : m_geometry(geometry),
        m_requests(requests),
        m_scheduler(requests, limits, options.seed),
        m_tables(limits.max_batch, longest_row(), limits.budget),
        m_layers_at_once(std::clamp<std::size_t>(
            largest_input / geometry.layer_bytes(limits.budget), 1, geometry.shape.num_layers)),
        m_memcpy(m_layers_at_once * geometry.layer_bytes(limits.budget)),
        m_cache(allocate_cache(options, geometry, limits.num_pages,
                               m_layers_at_once * geometry.layer_elements(limits.budget))),
        m_progress(total_tokens(), !options.quiet) {}

  ReplayResults run() {
    Kokkos::Timer const timer;
    while (!m_scheduler.is_done() && m_results.failure.empty()) {
      auto const step = m_scheduler.next_step();
      if (step.tokens == 0) continue;
      m_tables.update(step, m_scheduler);
      m_cache->begin_step(m_tables);
      store(step);
      for (auto const slot : m_scheduler.complete(step)) {
        verify(slot);
        m_scheduler.release(slot);
      }
      m_progress.update(m_results.tokens, std::to_string(m_scheduler.finished()) + " of " +
                                              std::to_string(m_requests.size()) + " requests");
    }
    m_results.total_seconds = timer.seconds();
    check_totals();
    return m_results;
  }

 private:
  std::uint64_t total_tokens() const {
    std::uint64_t tokens = 0;
    for (auto const& request : m_requests) tokens += request.tokens();
    return tokens;
  }

  std::size_t longest_row() const {
    std::uint64_t pages = 1;
    for (auto const& request : m_requests) {
      pages = std::max(pages, pages_needed(request, m_geometry.page_size));
    }
    return pages;
  }

  void store(Step const& step) {
    auto const num_layers = std::size_t(m_geometry.shape.num_layers);
    for (std::size_t first = 0; first < num_layers; first += m_layers_at_once) {
      auto const layers = std::min(m_layers_at_once, num_layers - first);
      Kokkos::Timer timer;
      m_cache->fill(first, layers);
      Kokkos::fence("ragged_store::fill");
      m_results.fill_seconds += timer.seconds();

      timer.reset();
      m_cache->store(first, layers);
      Kokkos::fence("ragged_store::store");
      auto const seconds = timer.seconds();

      auto const bytes = layers * m_geometry.layer_bytes(step.tokens);
      m_results.store_seconds += seconds;
      m_results.bytes_stored += bytes;
      if (m_results.steps % memcpy_interval == 0) {
        m_results.sampled_copy_seconds += m_memcpy.run(m_cache->input(), bytes);
        m_results.sampled_store_seconds += seconds;
        ++m_results.sampled_stores;
      }
    }
    m_results.elements_stored += num_layers * m_geometry.layer_elements(step.tokens);
    m_results.tokens += step.tokens;
    ++m_results.steps;
  }

  /// Reads all layers of a complete request back.
  void verify(std::uint32_t slot) {
    Kokkos::Timer const timer;
    auto const request = m_scheduler.request(slot);
    auto const tokens  = m_scheduler.cached(slot);
    auto const heads   = static_cast<std::size_t>(m_geometry.shape.params.num_heads);
    auto const kv_dim  = m_geometry.shape.kv_dim();
    auto const all     = heads * tokens * kv_dim * m_geometry.shape.num_layers;
    auto const wrong   = m_cache->find_wrong(slot, request, tokens);
    if (wrong < all) {
      auto const plane  = wrong / heads / tokens;
      m_results.failure = "request " + std::to_string(request + 1) + ", layer " +
                          std::to_string(plane / kv_dim) +
                          (plane % kv_dim == 0 ? ": key" : ": value") + " of token " +
                          std::to_string(wrong / heads % tokens) + ", head " +
                          std::to_string(wrong % heads) + " is not what was stored";
    } else {
      m_results.elements_verified +=
          m_geometry.shape.num_layers * m_geometry.layer_elements(tokens);
    }
    m_results.verify_seconds += timer.seconds();
  }

  void check_totals() {
    auto const& pages     = m_scheduler.free_pages();
    m_results.requests    = m_scheduler.finished();
    m_results.pages_total = pages.total();
    m_results.pages_peak  = pages.peak();
    if (!m_results.failure.empty()) return;
    if (m_results.tokens != total_tokens() ||
        m_results.elements_verified != m_results.elements_stored) {
      m_results.failure = "not every token was stored and verified";
    } else if (pages.available() != pages.total()) {
      m_results.failure = "pages were lost";
    }
  }

  CacheGeometry m_geometry;
  std::span<example::Request const> m_requests;
  Scheduler m_scheduler;
  BatchTables m_tables;
  std::size_t m_layers_at_once;
  MemcpyReference<memory_space> m_memcpy;
  std::unique_ptr<CacheUnderTest> m_cache;
  example::ProgressBar m_progress;
  ReplayResults m_results;
};

}  // namespace

ReplayResults replay(Options const& options, ModelShape const& shape,
                     std::span<example::Request const> requests) {
  CacheGeometry const geometry{shape, static_cast<std::uint32_t>(options.page_size),
                               storage_type(options.type).bytes};
  auto const limits = scheduler_limits(options, geometry);
  if (auto const reason = Scheduler::find_unservable(requests, limits)) {
    throw example::UsageError(*reason + " (see --pool-gib)");
  }
  return Replay(options, geometry, limits, requests).run();
}

}  // namespace ragged_store
