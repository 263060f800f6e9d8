// Eviction policies on small trees of pages: facts with known answers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <manager/KokkosKV_EvictionPolicies.hpp>
#include <support/Refusal.hpp>

#include "PageTree.hpp"

namespace KokkosKVTest {

using KokkosKV::EvictionKind;
using KokkosKV::make_eviction_policy;
using Pages = std::vector<std::uint32_t>;

/// A policy with the pages that it is told of.
struct Pool {
  Pool(EvictionKind kind, std::uint32_t num_pages)
      : policy(make_eviction_policy(kind)), tree(*policy, num_pages) {}

  /// Another use of a page, from beginning to end.
  void use(std::uint32_t page, int times = 1) {
    for (int i = 0; i < times; ++i) {
      tree.retain(page);
      tree.touch(page);
      tree.release(page);
    }
  }
  /// A block used once.
  std::uint32_t write(std::uint64_t hash) {
    auto const page = tree.write(hash);
    tree.release(page);
    return page;
  }

  std::unique_ptr<EvictionPolicy> policy;
  PageTree tree;
};

class EveryPolicy : public testing::TestWithParam<EvictionKind> {};

INSTANTIATE_TEST_SUITE_P(Kinds, EveryPolicy,
                         testing::Values(EvictionKind::reuse_rate, EvictionKind::lru,
                                         EvictionKind::lfu),
                         [](auto const& given) { return to_text(given.param); });

TEST_P(EveryPolicy, EvictsNothingFromAnEmptyCache) {
  EXPECT_EQ(Pool(GetParam(), 4).tree.evict(), no_page);
  EXPECT_EQ(Pool(GetParam(), 0).tree.evict(), no_page);
}

TEST_P(EveryPolicy, EvictsNoReferencedPage) {
  Pool pool(GetParam(), 4);
  auto const a = pool.tree.write(1), b = pool.tree.write(2);
  EXPECT_EQ(pool.tree.evict(), no_page);
  pool.tree.release({a, b});
  pool.tree.retain(a);
  EXPECT_EQ(pool.tree.evict_all(), Pages({b}));
  pool.tree.release(a);
  EXPECT_EQ(pool.tree.evict_all(), Pages({a}));
}

TEST_P(EveryPolicy, TwoReferencesAreReleasedTwice) {
  Pool pool(GetParam(), 4);
  auto const a = pool.tree.write(1);
  pool.tree.retain(a);
  pool.tree.release(a);
  EXPECT_EQ(pool.tree.evict(), no_page);
  pool.tree.release(a);
  EXPECT_EQ(pool.tree.evict(), a);
}

TEST_P(EveryPolicy, EvictsAChainFromItsEnd) {
  Pool pool(GetParam(), 4);
  auto const a = pool.tree.write(1), b = pool.tree.write(2, a), c = pool.tree.write(3, b);
  pool.tree.release({c, b, a});
  EXPECT_EQ(pool.tree.evict_all(), Pages({c, b, a}));
}

TEST_P(EveryPolicy, KeepsTheParentOfAReferencedPage) {
  Pool pool(GetParam(), 4);
  auto const a = pool.tree.write(1), b = pool.tree.write(2, a);
  pool.tree.release(a);
  EXPECT_EQ(pool.tree.evict(), no_page);
  pool.tree.release(b);
  EXPECT_EQ(pool.tree.evict_all(), Pages({b, a}));
}

TEST_P(EveryPolicy, KeepsTheParentOfBothBranches) {
  Pool pool(GetParam(), 4);
  auto const a = pool.tree.write(1), b = pool.tree.write(2, a);
  pool.tree.release({b, a});
  pool.tree.retain(a);
  pool.tree.touch(a);
  auto const c = pool.tree.write(3, a);
  pool.tree.release({c, a});
  auto const order = pool.tree.evict_all();
  ASSERT_EQ(order.size(), 3u);
  EXPECT_EQ(order.back(), a);
}

// A sequence with a copy of its own of the parent's block appends to the cached one.
TEST_P(EveryPolicy, APageThatGetsAChildWhileUnreferencedStays) {
  Pool pool(GetParam(), 4);
  auto const a = pool.write(1);
  auto const b = pool.tree.write(2, a);
  EXPECT_EQ(pool.tree.evict(), no_page);
  pool.tree.release(b);
  EXPECT_EQ(pool.tree.evict_all(), Pages({b, a}));
}

TEST_P(EveryPolicy, ForgetsWhatIsRemoved) {
  Pool pool(GetParam(), 8);
  auto const a = pool.write(1), b = pool.write(2), c = pool.tree.write(3);
  auto const d = pool.tree.write(4), e = pool.tree.write(5, d);
  pool.tree.release({e, d});
  pool.tree.remove(a);  // evictable
  pool.tree.remove(c);  // referenced
  pool.tree.remove(d);  // a parent
  auto order = pool.tree.evict_all();
  std::sort(order.begin(), order.end());
  EXPECT_EQ(order, Pages({b, e}));
}

TEST_P(EveryPolicy, UncoversTheParentOfWhatIsRemoved) {
  Pool pool(GetParam(), 4);
  auto const a = pool.tree.write(1), b = pool.tree.write(2, a);
  pool.tree.release({b, a});
  pool.tree.remove(b);
  EXPECT_EQ(pool.tree.evict_all(), Pages({a}));
}

TEST_P(EveryPolicy, ARemovedPageCanBeWrittenAgain) {
  Pool pool(GetParam(), 1);
  auto const a = pool.write(1);
  pool.tree.remove(a);
  EXPECT_EQ(pool.write(1), a);
  EXPECT_EQ(pool.tree.evict_all(), Pages({a}));
}

TEST_P(EveryPolicy, ResetForgetsEverything) {
  auto const policy = make_eviction_policy(GetParam());
  std::vector<Pages> orders;
  for (int round = 0; round < 2; ++round) {
    PageTree tree(*policy, 8);
    Pages order;
    for (std::uint64_t i = 0; i < 5000; ++i) {
      if (tree.is_full()) order.push_back(tree.evict());
      auto const page = tree.write(i * i % 23);
      if (i % 3 == 0) tree.touch(page);
      tree.release(page);
    }
    orders.push_back(order);
  }
  EXPECT_EQ(orders[0], orders[1]);
}

TEST_P(EveryPolicy, KnowingNothingTheOldestGoes) {
  Pool pool(GetParam(), 4);
  auto const a = pool.write(1), b = pool.write(2), c = pool.write(3);
  EXPECT_EQ(pool.tree.evict_all(), Pages({a, b, c}));
}

TEST(LruPolicy, EvictsInTheOrderOfRelease) {
  Pool pool(EvictionKind::lru, 4);
  auto const a = pool.tree.write(1), b = pool.tree.write(2), c = pool.tree.write(3);
  pool.tree.release({b, a, c});
  pool.use(b, 5);
  pool.use(a);
  EXPECT_EQ(pool.tree.evict_all(), Pages({c, b, a}));
}

TEST(LruPolicy, AParentReleasedBeforeItsChildGoesRightAfterIt) {
  Pool pool(EvictionKind::lru, 4);
  auto const a = pool.tree.write(1), b = pool.tree.write(2, a);
  pool.tree.release({a, b});
  auto const c = pool.write(3), d = pool.write(4);
  EXPECT_EQ(pool.tree.evict_all(), Pages({b, a, c, d}));
}

TEST(LruPolicy, UncoveredPagesGoInTheOrderOfRelease) {
  Pool pool(EvictionKind::lru, 8);
  auto const a = pool.tree.write(1), b = pool.tree.write(2, a);
  auto const c = pool.tree.write(3), d = pool.tree.write(4, c);
  pool.tree.release({a, c});
  auto const e = pool.write(5), f = pool.write(6);
  pool.tree.release({d, b});
  EXPECT_EQ(pool.tree.evict(), e);  // a and c are older, but have children
  pool.tree.remove(d);
  pool.tree.remove(b);
  EXPECT_EQ(pool.tree.evict_all(), Pages({a, c, f}));
}

TEST(LfuPolicy, EvictsWhatWasUsedLeast) {
  Pool pool(EvictionKind::lfu, 4);
  auto const a = pool.write(1), b = pool.write(2), c = pool.write(3), d = pool.write(4);
  pool.use(a, 3);
  pool.use(b, 1);
  pool.use(d, 1);
  EXPECT_EQ(pool.tree.evict_all(), Pages({c, b, d, a}));
}

// Every eviction makes the cache older: with the fifth a page is as good as one used five times,
// and it was used more recently.
TEST(LfuPolicy, OldUsesCountLess) {
  Pool pool(EvictionKind::lfu, 2);
  auto const a = pool.write(1);
  pool.use(a, 4);
  for (std::uint64_t i = 2; i <= 5; ++i) {
    auto const b = pool.write(i);
    EXPECT_EQ(pool.tree.evict(), b);
  }
  pool.write(6);
  EXPECT_EQ(pool.tree.evict(), a);
}

/// Rounds over 32 blocks that come back and 100 that do not, in 64 pages; hits of the last round.
std::size_t hits_beside_scans(EvictionKind kind) {
  Pool pool(kind, 64);
  std::vector<std::uint32_t> page_of(32, no_page);
  std::uint64_t next_hash = 1000;
  std::size_t hits        = 0;
  auto const write        = [&](std::uint64_t hash) {
    if (pool.tree.is_full()) {
      auto const victim = pool.tree[pool.tree.evict()].hash;
      if (victim < page_of.size()) page_of[victim] = no_page;
    }
    return pool.write(hash);
  };
  for (int round = 0; round < 50; ++round) {
    hits = 0;
    for (std::uint64_t hash = 0; hash < page_of.size(); ++hash) {
      if (page_of[hash] == no_page) {
        page_of[hash] = write(hash);
      } else {
        pool.use(page_of[hash]);
        ++hits;
      }
    }
    for (int i = 0; i < 100; ++i) write(next_hash++);
  }
  return hits;
}

TEST(ReuseRatePolicy, LearnsWhatComesBack) {
  EXPECT_EQ(hits_beside_scans(EvictionKind::lru), 0u);
  EXPECT_GE(hits_beside_scans(EvictionKind::reuse_rate), 30u);
}

TEST(EvictionPolicies, RefuseKindsThatDoNotExist) {
  auto const kind = static_cast<EvictionKind>(7);
  expect_refusal<KokkosKV::ArgumentError>(
      "make_eviction_policy: kind: found 7, expected a value of EvictionKind",
      [&] { make_eviction_policy(kind); });
  expect_refusal<KokkosKV::ArgumentError>(
      "to_text: kind: found 7, expected a value of EvictionKind", [&] { to_text(kind); });
}

TEST(EvictionPolicies, KindsHaveNames) {
  EXPECT_EQ(to_text(EvictionKind::reuse_rate), "reuse_rate");
  EXPECT_EQ(to_text(EvictionKind::lru), "lru");
  EXPECT_EQ(to_text(EvictionKind::lfu), "lfu");
}

}  // namespace KokkosKVTest
