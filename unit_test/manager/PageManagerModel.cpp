// PageManager against the model, by random operations.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include <manager/KokkosKV_PageManager.hpp>
#include <reference/Random.hpp>
#include "ManagerModel.hpp"

namespace KokkosKVTest {

using namespace KokkosKV;

/// Sixteen keys for all pages.
PageKey hash_of_four_bits(PageKey parent, std::span<std::uint32_t const> tokens) {
  return {hash_page(parent, tokens).low & 15, 0};
}

class RandomSteps {
 public:
  RandomSteps(PageManagerOptions const& options, std::uint64_t seed)
      : m_model(options), m_random(seed) {}

  void run(int operations) {
    for (int i = 0; i < operations && !testing::Test::HasFatalFailure(); ++i) {
      SCOPED_TRACE("operation " + std::to_string(i));
      operate();
      if (i % 8 == 0) m_model.check();
    }
    m_model.check();
    while (!m_model.sequences.empty()) free_one();
    m_model.check();
    EXPECT_EQ(m_model.manager.page_counts().used, 0u);
  }

  PageStatistics const& statistics() const { return m_model.manager.statistics(); }

 private:
  void operate() {
    auto const choice = m_random.below(100);
    if (m_model.sequences.size() < 3 || choice < 12) return create();
    if (choice < 30) return append();
    if (choice < 36) return fork();
    if (choice < 46) return truncate();
    if (choice < 58) return free_one();
    step();
  }

  /// Few different tokens and beginnings, so that prompts have much in common.
  std::vector<std::uint32_t> random_tokens(std::size_t most) {
    std::vector<std::uint32_t> result(m_random.below(most + 1));
    auto const kind = m_random.below(4);
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] =
          static_cast<std::uint32_t>(m_random.chance(97) ? kind * 1000 + i / 3 : m_random.below(5));
    }
    return result;
  }

  auto pick() {
    return std::next(m_model.sequences.begin(),
                     static_cast<std::ptrdiff_t>(m_random.below(m_model.sequences.size())));
  }

  void create() {
    auto const tokens = random_tokens(40);
    PrefixDomain const domain{m_random.pick<std::string>({"", "", "x"}), "",
                              m_random.pick<std::string>({"", "", "x"})};
    auto const id         = m_model.manager.create(tokens, domain);
    m_model.sequences[id] = {tokens, domain, 0};
  }

  void append() {
    auto const place  = pick();
    auto const tokens = random_tokens(6);
    m_model.manager.append(place->first, tokens);
    place->second.tokens.insert(place->second.tokens.end(), tokens.begin(), tokens.end());
  }

  void fork() {
    auto const place = pick();
    if (place->second.tokens.empty()) {
      EXPECT_THROW(m_model.manager.fork(place->first), SequenceError);
      return;
    }
    auto const copy       = place->second;
    auto const id         = m_model.manager.fork(place->first);
    m_model.sequences[id] = copy;
  }

  void truncate() {
    auto const place = pick();
    auto& sequence   = place->second;
    auto const size  = m_random.chance(70) && sequence.tokens.size() > 3
                           ? sequence.tokens.size() - m_random.below(4)
                           : m_random.below(sequence.tokens.size() + 1);
    m_model.manager.truncate(place->first, size);
    sequence.tokens.resize(size);
    sequence.num_stored = std::min(sequence.num_stored, static_cast<std::uint32_t>(size));
  }

  void free_one() {
    auto const place = pick();
    m_model.manager.free(place->first);
    EXPECT_THROW(m_model.manager.free(place->first), SequenceError);
    m_model.sequences.erase(place);
  }

  void step() {
    std::vector<StepRequest> requests;
    for (auto const& [id, sequence] : m_model.sequences) {
      if (m_random.chance(60)) {
        requests.push_back({id, m_random.chance(50)
                                    ? StepRequest::all_rows
                                    : static_cast<std::uint32_t>(m_random.below(9))});
      }
    }
    auto& manager     = m_model.manager;
    auto const before = manager.page_counts();
    auto const layout = manager.prepare_step(requests);
    if (!layout.fits()) {
      auto const after = manager.page_counts();
      EXPECT_EQ(before.free, after.free);
      EXPECT_EQ(before.cached, after.cached);
      m_model.check();
      // Room for the next attempt.
      for (int i = 0; i < 3 && !m_model.sequences.empty(); ++i) free_one();
      return;
    }
    ASSERT_EQ(layout.sequences.size(), requests.size());
    if (m_random.chance(15)) {
      manager.abandon_step();
      m_model.check();
      return;
    }
    m_model.run_step(layout);
    manager.commit_step();
    for (std::size_t i = 0; i < requests.size(); ++i) {
      auto const rows = layout.row_offsets[i + 1] - layout.row_offsets[i];
      m_model.sequences.at(requests[i].sequence).num_stored = layout.cache_lengths[i] + rows;
    }
  }

  ManagerModel m_model;
  Random m_random;
};

void run_random_steps(PageManagerOptions options, std::uint64_t seed, int operations) {
  for (auto const kind : {EvictionKind::reuse_rate, EvictionKind::lru, EvictionKind::lfu}) {
    SCOPED_TRACE(to_text(kind));
    options.eviction = kind;
    RandomSteps steps(options, seed);
    steps.run(operations);
    EXPECT_GT(steps.statistics().hit_pages, 0u);
    EXPECT_GT(steps.statistics().evicted_pages, 0u);
    // A page of one token is never written twice.
    EXPECT_EQ(steps.statistics().copied_pages > 0, options.page_size > 1);
    EXPECT_GT(steps.statistics().refused_steps, 0u);
  }
}

TEST(PageManagerModel, SmallPages) {
  run_random_steps({.num_pages = 60, .page_size = 4}, 1, 30000);
}

TEST(PageManagerModel, PagesOfOneToken) {
  run_random_steps({.num_pages = 200, .page_size = 1}, 2, 10000);
}

TEST(PageManagerModel, OddPages) {
  run_random_steps({.num_pages = 40, .page_size = 7, .recompute_last_token = false}, 3, 20000);
}

TEST(PageManagerModel, HashesCollide) {
  run_random_steps({.num_pages = 60, .page_size = 4, .hash = &hash_of_four_bits}, 4, 10000);
}

}  // namespace KokkosKVTest
