// Levels of pages on top of the eviction policies: facts with known answers, and random operations
// against a plain reference.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <manager/KokkosKV_EvictionPolicies.hpp>
#include <manager/impl/KokkosKV_PriorityPolicy.hpp>
#include <reference/Random.hpp>

#include "PageTree.hpp"
#include "PlainPolicies.hpp"
#include "RandomOwner.hpp"

namespace KokkosKVTest {
namespace {

using KokkosKV::EvictionKind;
using KokkosKV::make_eviction_policy;
using KokkosKV::Impl::PriorityPolicy;
using Pages = std::vector<std::uint32_t>;

struct Pool {
  explicit Pool(std::uint32_t num_pages)
      : policy(make_eviction_policy(EvictionKind::lru)), tree(policy, num_pages) {}

  std::uint32_t write(std::uint64_t hash, std::uint8_t level, std::uint32_t parent = no_page) {
    auto const page = tree.write(hash, parent);
    policy.raise(page, level);
    return page;
  }

  PriorityPolicy policy;
  PageTree tree;
};

TEST(Priorities, LowLevelsGoFirst) {
  Pool pool(8);
  auto const a = pool.write(1, 255), b = pool.write(2, 1), c = pool.write(3, 0),
             d = pool.write(4, 7), e = pool.write(5, 1);
  pool.tree.release({a, d, e, b, c});
  EXPECT_EQ(pool.tree.evict_all(), Pages({c, e, b, d, a}));
}

TEST(Priorities, TheHighestLevelThatWasAskedForCounts) {
  Pool pool(4);
  auto const a = pool.write(1, 3), b = pool.write(2, 2);
  pool.policy.raise(a, 1);
  pool.policy.raise(a, 0);
  EXPECT_EQ(pool.policy.level(a), 3);
  pool.tree.release({a, b});
  pool.tree.retain(b);
  pool.policy.raise(b, 4);
  pool.tree.release(b);
  EXPECT_EQ(pool.tree.evict_all(), Pages({a, b}));
}

TEST(Priorities, EndWithThePagesStay) {
  Pool pool(4);
  auto const a = pool.write(1, 9), b = pool.write(2, 9);
  pool.tree.release({a, b});
  EXPECT_EQ(pool.tree.evict(), a);
  pool.tree.remove(b);
  EXPECT_EQ(pool.policy.level(a), 0);
  EXPECT_EQ(pool.policy.level(b), 0);
}

TEST(Priorities, AParentWaitsForAChildOfAHigherLevel) {
  Pool pool(8);
  auto const a = pool.write(1, 0), b = pool.write(2, 5, a), c = pool.write(3, 4);
  pool.tree.release({b, a, c});
  EXPECT_EQ(pool.tree.evict_all(), Pages({c, b, a}));
}

TEST(Priorities, AnUncoveredPageGoesInTheOrderOfRelease) {
  Pool pool(8);
  auto const a = pool.write(1, 2), b = pool.write(2, 0, a), c = pool.write(3, 2);
  pool.tree.release({a, c, b});
  EXPECT_EQ(pool.tree.evict_all(), Pages({b, a, c}));
}

TEST(Priorities, NeedMemoryOnlyWhenTheyAreUsed) {
  constexpr std::uint32_t num_pages = 100000;
  PriorityPolicy policy(make_eviction_policy(EvictionKind::lru));
  policy.reset(num_pages);
  auto const before = policy.memory_bytes();
  EXPECT_GE(before, 16u * num_pages);
  policy.insert(0, 1, no_page);
  policy.raise(0, 0);
  EXPECT_EQ(policy.memory_bytes(), before);
  policy.raise(0, 1);
  EXPECT_GT(policy.memory_bytes(), before);
  EXPECT_LE(policy.memory_bytes(), before + 17u * num_pages + 8192);
  policy.reset(num_pages);
  EXPECT_EQ(policy.memory_bytes(), before);
  EXPECT_EQ(policy.level(0), 0);
}

/// Levels by their definition: all pages are searched each time.
class PlainPriorities : public EvictionPolicy {
 public:
  explicit PlainPriorities(std::unique_ptr<EvictionPolicy> inner) : m_inner(std::move(inner)) {}

  void raise(std::uint32_t page, std::uint8_t level) {
    if (m_pages[page].level < level) m_pages[page].level = level;
  }
  void reset(std::uint32_t num_pages) override {
    m_pages.assign(num_pages, {});
    m_inner->reset(num_pages);
  }
  void insert(std::uint32_t page, std::uint64_t hash, std::uint32_t parent) override {
    m_pages[page] = {};
    if (parent != no_page) m_pages[parent].is_evictable = false;
    m_inner->insert(page, hash, parent);
  }
  void touch(std::uint32_t page) override { m_inner->touch(page); }
  void retain(std::uint32_t page, bool is_leaf) override {
    m_pages[page].is_evictable = false;
    if (m_pages[page].level == 0) m_inner->retain(page, is_leaf);
  }
  void release(std::uint32_t page, bool is_leaf) override {
    m_pages[page].is_evictable = is_leaf;
    m_pages[page].released     = ++m_time;
    if (m_pages[page].level == 0) m_inner->release(page, is_leaf);
  }
  void uncover(std::uint32_t page) override {
    m_pages[page].is_evictable = true;
    if (m_pages[page].level == 0) m_inner->uncover(page);
  }
  std::uint32_t evict() override {
    auto best = m_inner->evict();
    if (best != no_page) return best;
    auto const key = [&](std::uint32_t page) {
      return std::pair(m_pages[page].level, m_pages[page].released);
    };
    for (std::uint32_t page = 0; page < m_pages.size(); ++page) {
      if (m_pages[page].level == 0 || !m_pages[page].is_evictable) continue;
      if (best == no_page || key(page) < key(best)) best = page;
    }
    if (best == no_page) return best;
    m_inner->remove(best, false);
    ++m_raised_evictions;
    m_pages[best] = {};
    return best;
  }
  void remove(std::uint32_t page, bool is_listed) override {
    m_inner->remove(page, is_listed && m_pages[page].level == 0);
    m_pages[page] = {};
  }

  std::size_t raised_evictions() const { return m_raised_evictions; }

 private:
  struct Page {
    std::uint8_t level     = 0;
    bool is_evictable      = false;
    std::uint64_t released = 0;
  };

  std::unique_ptr<EvictionPolicy> m_inner;
  std::vector<Page> m_pages;
  std::uint64_t m_time           = 0;
  std::size_t m_raised_evictions = 0;
};

/// Raises some of the pages that it is told of while they are referenced.
class Raising : public BothPolicies {
 public:
  Raising(PriorityPolicy& policy, PlainPriorities& plain, std::size_t percent)
      : BothPolicies(policy, plain), m_policy(policy), m_plain(plain), m_percent(percent) {}

  void insert(std::uint32_t page, std::uint64_t hash, std::uint32_t parent) override {
    BothPolicies::insert(page, hash, parent);
    raise(page);
  }
  void touch(std::uint32_t page) override {
    BothPolicies::touch(page);
    raise(page);
  }

 private:
  void raise(std::uint32_t page) {
    if (!m_random.chance(m_percent)) return;
    auto const level = m_random.pick<std::uint8_t>({0, 1, 2, 3, 64, 254, 255});
    m_policy.raise(page, level);
    m_plain.raise(page, level);
  }

  PriorityPolicy& m_policy;
  PlainPriorities& m_plain;
  std::size_t m_percent;
  Random m_random{5};
};

class PrioritiesOver : public testing::TestWithParam<EvictionKind> {};

INSTANTIATE_TEST_SUITE_P(Kinds, PrioritiesOver,
                         testing::Values(EvictionKind::reuse_rate, EvictionKind::lru,
                                         EvictionKind::lfu),
                         [](auto const& given) { return to_text(given.param); });

TEST_P(PrioritiesOver, RandomOperationsDoWhatTheDefinitionSays) {
  for (std::size_t const percent : {5, 40, 100}) {
    PriorityPolicy policy(make_eviction_policy(GetParam()));
    PlainPriorities plain(make_eviction_policy(GetParam()));
    Raising both(policy, plain, percent);
    run_random_operations(both);
    EXPECT_GT(plain.raised_evictions(), 500u);
  }
}

TEST_P(PrioritiesOver, WithoutLevelsTheInnerPolicyDecides) {
  PriorityPolicy policy(make_eviction_policy(GetParam()));
  auto const alone = make_eviction_policy(GetParam());
  BothPolicies both(policy, *alone);
  run_random_operations(both);
}

}  // namespace
}  // namespace KokkosKVTest
