// Made-up request traces: kinds of traffic that a cache with prefix reuse meets.
#ifndef KOKKOSKV_TEST_WORKLOADS_HPP
#define KOKKOSKV_TEST_WORKLOADS_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numbers>
#include <queue>
#include <utility>
#include <vector>

#include <reference/Random.hpp>

#include "MooncakeTrace.hpp"
#include "TraceReplay.hpp"

namespace KokkosKVTest {

/// Ranks with probability proportional to 1 / (rank + 1)^exponent.
class Zipf {
 public:
  Zipf(std::size_t count, double exponent) {
    double sum = 0;
    for (std::size_t rank = 0; rank < count; ++rank) {
      m_cumulative.push_back(sum += std::pow(static_cast<double>(rank + 1), -exponent));
    }
  }
  std::size_t operator()(double unit) const {
    auto const found =
        std::lower_bound(m_cumulative.begin(), m_cumulative.end(), unit * m_cumulative.back());
    return static_cast<std::size_t>(found - m_cumulative.begin());
  }

 private:
  std::vector<double> m_cumulative;
};

/// Makes one trace; the same for the same seed.
class Workload {
 public:
  explicit Workload(std::uint64_t seed) : m_random(seed) {}

  /// Conversations of several turns, many at a time: a turn sends the whole history and a few new
  /// blocks, after a time to think. `scan_percent` requests are long and never seen again.
  BlockTrace chat(std::size_t requests, std::size_t scan_percent) {
    Zipf const popularity(20, 1.0);
    auto const systems = documents(20, 1, 8);
    // By time; a conversation or, as in the first entry, the arrival of a new one.
    using Turn             = std::pair<double, std::size_t>;
    constexpr auto arrival = ~std::size_t(0);
    std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
    std::vector<BlockChain> conversations;
    turns.push({0, arrival});
    while (m_trace.size() < requests) {
      auto [time, conversation] = turns.top();
      turns.pop();
      if (m_random.chance(scan_percent)) scan();
      if (conversation == arrival) {
        turns.push({time - std::log(1 - unit()), arrival});
        conversation = conversations.size();
        conversations.push_back(systems[popularity(unit())]);
      }
      auto& history = conversations[conversation];
      append(history, static_cast<std::size_t>(std::clamp(log_normal(5), 1.0, 60.0)));
      m_trace.push_back(history);
      if (m_random.chance(70) && history.size() < 200) {
        turns.push({time + 5 + log_normal(60), conversation});
      }
    }
    return std::move(m_trace);
  }

  /// Long system prompts by popularity, each with a short private tail. A new order of popularity
  /// is drawn every so many requests.
  BlockTrace system_prompts(std::size_t requests, std::size_t shift_every) {
    Zipf const popularity(1000, 1.0);
    auto prompts = documents(1000, 4, 40);
    for (std::size_t i = 0; i < requests; ++i) {
      if (i % shift_every == shift_every - 1) shuffle(prompts);
      with_tail(prompts[popularity(unit())], 6);
    }
    return std::move(m_trace);
  }

  /// A shared instruction, then a document: a long one that nobody else asks about, or one of a
  /// popular set.
  BlockTrace retrieval(std::size_t requests, std::size_t unique_percent) {
    Zipf const popularity(2000, 0.9);
    BlockChain instruction;
    append(instruction, 3);
    std::vector<BlockChain> popular(2000, instruction);
    for (auto& document : popular) append(document, m_random.between(10, 60));
    for (std::size_t i = 0; i < requests; ++i) {
      bool const is_unique = m_random.chance(unique_percent);
      auto document        = is_unique ? instruction : popular[popularity(unit())];
      if (is_unique) append(document, m_random.between(40, 160));
      with_tail(document, 3);
    }
    return std::move(m_trace);
  }

  /// Traffic of different kinds in turn: a loop, recency, scans, popularity. What was learned in
  /// one phase is wrong in the next.
  BlockTrace phases(std::size_t requests_per_phase, std::size_t rounds) {
    Zipf const place(1500, 1.1), popularity(400, 1.0);
    auto const looped = documents(550, 10, 10);
    auto popular      = documents(400, 4, 40);
    std::vector<BlockChain> recent;
    for (std::size_t round = 0; round < rounds; ++round) {
      for (std::size_t i = 0; i < requests_per_phase; ++i) {
        m_trace.push_back(looped[i % looped.size()]);
      }
      for (std::size_t i = 0; i < requests_per_phase; ++i) use_recent(recent, place(unit()));
      for (std::size_t i = 0; i < requests_per_phase / 4; ++i) scan();
      shuffle(popular);
      for (std::size_t i = 0; i < requests_per_phase; ++i) {
        with_tail(popular[popularity(unit())], 4);
      }
    }
    return std::move(m_trace);
  }

  /// The same requests again and again in the same order, of `blocks` blocks in all.
  BlockTrace loop(std::size_t requests, std::size_t blocks) {
    auto const looped = documents(blocks / 10, 10, 10);
    for (std::size_t i = 0; i < requests; ++i) m_trace.push_back(looped[i % looped.size()]);
    return std::move(m_trace);
  }

  /// Long requests that are never seen again.
  BlockTrace scans(std::size_t requests) {
    while (m_trace.size() < requests) scan();
    return std::move(m_trace);
  }

 private:
  double unit() { return static_cast<double>(m_random.bits() >> 11) * 0x1p-53; }
  double log_normal(double median) {
    double const radius = std::sqrt(-2 * std::log(1 - unit()));
    return median * std::exp(radius * std::cos(2 * std::numbers::pi * unit()));
  }
  void append(BlockChain& chain, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) chain.push_back(hash_of_block(m_next++));
  }
  std::vector<BlockChain> documents(std::size_t count, std::size_t shortest, std::size_t longest) {
    std::vector<BlockChain> result(count);
    for (auto& document : result) append(document, m_random.between(shortest, longest));
    return result;
  }
  void shuffle(std::vector<BlockChain>& chains) {
    for (auto i = chains.size(); i > 1; --i) std::swap(chains[i - 1], chains[m_random.below(i)]);
  }
  void scan() { append(m_trace.emplace_back(), m_random.between(20, 120)); }
  void with_tail(BlockChain document, std::size_t longest) {
    append(document, m_random.between(1, longest));
    m_trace.push_back(std::move(document));
  }
  /// The document used so many documents ago, or a new one.
  void use_recent(std::vector<BlockChain>& recent, std::size_t depth) {
    BlockChain document;
    if (depth < recent.size()) {
      auto const place = recent.end() - 1 - static_cast<std::ptrdiff_t>(depth);
      document         = std::move(*place);
      recent.erase(place);
    } else {
      append(document, m_random.between(5, 40));
    }
    m_trace.push_back(document);
    recent.push_back(std::move(document));
  }

  Random m_random;
  std::uint64_t m_next = 1;
  BlockTrace m_trace;
};

}  // namespace KokkosKVTest

#endif
