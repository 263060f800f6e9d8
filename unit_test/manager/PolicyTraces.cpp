// Hits of the eviction policies on a real trace and on made-up traffic.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include <manager/KokkosKV_EvictionPolicies.hpp>

#include "MooncakeTrace.hpp"
#include "TraceReplay.hpp"
#include "Workloads.hpp"

namespace KokkosKVTest {

using KokkosKV::EvictionKind;
using KokkosKV::make_eviction_policy;

std::size_t count_hits(EvictionKind kind, BlockTrace const& trace, std::uint32_t num_pages) {
  auto const policy = make_eviction_policy(kind);
  return count_hits(*policy, trace, num_pages);
}

TEST_F(ConversationTrace, LruHasTheKnownHits) {
  EXPECT_EQ(trace.size(), 12031u);
  expect_known_lru_hits(
      [&](std::uint32_t num_pages) { return count_hits(EvictionKind::lru, trace, num_pages); });
}

TEST_F(ConversationTrace, NothingIsEvictedFromALargePool) {
  for (auto const kind : {EvictionKind::reuse_rate, EvictionKind::lru, EvictionKind::lfu}) {
    EXPECT_EQ(count_hits(kind, trace, 200000), 105710u) << to_text(kind);
  }
}

TEST_F(ConversationTrace, ReuseRateHasMoreHits) {
  expect_reuse_rate_hits([&](std::uint32_t num_pages) {
    return count_hits(EvictionKind::reuse_rate, trace, num_pages);
  });
}

struct Traffic {
  std::string name;
  std::function<BlockTrace(std::uint64_t seed)> make;
};

std::ostream& operator<<(std::ostream& out, Traffic const& traffic) { return out << traffic.name; }

class AgainstLru : public testing::TestWithParam<Traffic> {};

// Hits of several seeds are added up: no single run's luck decides.
TEST_P(AgainstLru, ReuseRateIsHardlyEverWorse) {
  for (std::uint32_t const num_pages : {500, 1000, 5000}) {
    std::size_t lru = 0, reuse_rate = 0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      auto const trace = GetParam().make(seed);
      lru += count_hits(EvictionKind::lru, trace, num_pages);
      reuse_rate += count_hits(EvictionKind::reuse_rate, trace, num_pages);
    }
    EXPECT_GT(lru, 1000u);
    EXPECT_GE(reuse_rate * 100, lru * 97)
        << reuse_rate << " against " << lru << " with " << num_pages << " pages";
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, AgainstLru,
    testing::Values(
        Traffic{"chat", [](std::uint64_t seed) { return Workload(seed).chat(6000, 0); }},
        Traffic{"chat_with_scans",
                [](std::uint64_t seed) { return Workload(seed).chat(6000, 30); }},
        Traffic{"system_prompts",
                [](std::uint64_t seed) { return Workload(seed).system_prompts(6000, 6000); }},
        Traffic{"shifting_prompts",
                [](std::uint64_t seed) { return Workload(seed).system_prompts(6000, 300); }},
        Traffic{"retrieval", [](std::uint64_t seed) { return Workload(seed).retrieval(4000, 30); }},
        Traffic{"long_documents",
                [](std::uint64_t seed) { return Workload(seed).retrieval(3000, 90); }},
        Traffic{"phases", [](std::uint64_t seed) { return Workload(seed).phases(1000, 2); }},
        Traffic{"short_phases", [](std::uint64_t seed) { return Workload(seed).phases(300, 5); }}),
    [](auto const& given) { return given.param.name; });

// Least recently used gives up each block just before it comes round again.
TEST(MadeUpTraffic, ALoopLargerThanThePoolIsKeptInPart) {
  for (std::uint32_t const num_pages : {1000, 5000}) {
    std::size_t const blocks = num_pages + num_pages / 10, rounds = 30;
    auto const trace = Workload(1).loop(rounds * blocks / 10, blocks);
    EXPECT_EQ(count_hits(EvictionKind::lru, trace, num_pages), 0u);
    // From the second round on no more can be hit than the pool holds.
    auto const most = (rounds - 1) * num_pages;
    EXPECT_GE(count_hits(EvictionKind::reuse_rate, trace, num_pages) * 10, most * 9);
  }
}

TEST(MadeUpTraffic, WhatNeverComesBackIsNeverHit) {
  auto const trace = Workload(1).scans(2000);
  for (auto const kind : {EvictionKind::reuse_rate, EvictionKind::lru, EvictionKind::lfu}) {
    EXPECT_EQ(count_hits(kind, trace, 1000), 0u) << to_text(kind);
  }
}

// Longer than the pool: all of its pages are referenced when the request ends.
TEST(MadeUpTraffic, ARequestLargerThanThePoolKeepsItsBeginning) {
  BlockTrace const trace(3, Workload(1).loop(1, 10).front());
  for (auto const kind : {EvictionKind::reuse_rate, EvictionKind::lru, EvictionKind::lfu}) {
    EXPECT_EQ(count_hits(kind, trace, 4), 8u) << to_text(kind);
    EXPECT_EQ(count_hits(kind, trace, 1), 2u) << to_text(kind);
    EXPECT_EQ(count_hits(kind, trace, 0), 0u) << to_text(kind);
  }
}

}  // namespace KokkosKVTest
