// What a block costs the page manager in pools from a thousand pages to ten million, all full and
// evicting. `roofline` is the time in a pool of a thousand pages over the time in the pool at hand,
// for the same number of requests.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "../Benchmarks.hpp"
#include "../PairedTiming.hpp"
#include "ManagerSetup.hpp"

namespace KokkosKV::Perf {
namespace {

constexpr std::uint32_t page_size = 16;

/// Requests that begin with one of many documents and go on with what nobody else asks. The
/// documents have as many pages as the pool, whatever its size.
class Traffic {
 public:
  explicit Traffic(std::uint32_t num_pages) : m_num_documents(num_pages / document_pages) {}

  /// Appends a request's tokens.
  void add(std::vector<std::uint32_t>& tokens) {
    auto const document = m_random() % m_num_documents;
    append(tokens, document, document_pages);
    append(tokens, ~m_next_tail++, tail_pages);
  }

  static constexpr std::size_t document_pages = 20;
  static constexpr std::size_t tail_pages     = 10;
  static constexpr std::size_t request_pages  = document_pages + tail_pages;

 private:
  /// Quick to seed, unlike generators with a long state.
  using Generator =
      std::linear_congruential_engine<std::uint64_t, 6364136223846793005u, 1442695040888963407u, 0>;

  static void append(std::vector<std::uint32_t>& tokens, std::uint64_t seed, std::size_t pages) {
    Generator random(seed * 0x9E3779B97F4A7C15u);
    for (std::size_t i = 0; i < pages * page_size; ++i)
      tokens.push_back(static_cast<std::uint32_t>(random() >> 32));
  }

  std::uint64_t m_num_documents;
  std::uint64_t m_next_tail = 0;
  std::mt19937_64 m_random{1};
};

/// A pool in its steady state.
class BusyPool {
 public:
  BusyPool(EvictionKind kind, std::uint32_t num_pages)
      : m_traffic(num_pages),
        m_manager({.num_pages = num_pages, .page_size = page_size, .eviction = kind}) {
    // Most of what is asked is not cached at first: about three turnovers of the pool.
    auto const requests = 3 * num_pages / Traffic::tail_pages / 2 + 1;
    for (std::size_t i = 0; i < requests; i += batch) {
      make_requests();
      serve_requests();
    }
    m_hits = m_tokens = 0;
  }

  static constexpr std::size_t batch = 500;

  void make_requests() {
    m_requests.clear();
    for (std::size_t i = 0; i < batch; ++i) m_traffic.add(m_requests);
  }
  void serve_requests() {
    constexpr auto length = Traffic::request_pages * page_size;
    for (std::size_t i = 0; i < batch; ++i) {
      m_hits += serve(m_manager, std::span(m_requests).subspan(i * length, length));
    }
    m_tokens += batch * length;
  }
  double hit_rate() const { return static_cast<double>(m_hits) / static_cast<double>(m_tokens); }

 private:
  Traffic m_traffic;
  PageManager m_manager;
  std::vector<std::uint32_t> m_requests;
  std::size_t m_hits   = 0;
  std::size_t m_tokens = 0;
};

void scaling(benchmark::State& state, EvictionKind kind, std::uint32_t num_pages) {
  BusyPool small(kind, 1000), pool(kind, num_pages);
  std::vector<double> small_times, times, ratios;
  for ([[maybe_unused]] auto _ : state) {
    small.make_requests();
    small_times.push_back(seconds([&] { small.serve_requests(); }));
    pool.make_requests();
    times.push_back(seconds([&] { pool.serve_requests(); }));
    ratios.push_back(small_times.back() / times.back());
    state.SetIterationTime(times.back());
  }
  constexpr double blocks             = BusyPool::batch * Traffic::request_pages;
  auto const time                     = median(times) / blocks;
  state.counters["blocks_per_second"] = 1 / time;
  state.counters["median_us"]         = time * 1e6;
  state.counters["ns_per_block"]      = time * 1e9;
  state.counters["reference_us"]      = median(small_times) / blocks * 1e6;
  state.counters["roofline"]          = median(ratios);
  state.counters["hit_rate"]          = pool.hit_rate();
}

}  // namespace

void register_manager_scaling_benchmarks(Scale scale) {
  bool const is_full       = scale == Scale::full;
  std::uint32_t const most = is_full ? 10000000 : 10000;
  for (auto const kind : eviction_kinds) {
    for (std::uint32_t num_pages = 1000; num_pages <= most; num_pages *= 10) {
      benchmark::RegisterBenchmark(
          "manager/scaling/" + to_text(kind) + "/pages:" + std::to_string(num_pages),
          [=](benchmark::State& state) { scaling(state, kind, num_pages); })
          ->UseManualTime()
          ->Iterations(is_full ? 31 : 2);
    }
  }
}

}  // namespace KokkosKV::Perf
