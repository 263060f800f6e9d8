// Eviction policies as their definitions say: all pages are searched each time.
#ifndef KOKKOSKV_TEST_PLAINPOLICIES_HPP
#define KOKKOSKV_TEST_PLAINPOLICIES_HPP

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <manager/KokkosKV_EvictionPolicy.hpp>

namespace KokkosKVTest {

/// What a definition can refer to.
struct PlainPage {
  bool is_evictable      = false;
  std::uint64_t released = 0;  ///< time of the last release
  std::uint64_t used     = 0;  ///< time of the last use
  std::uint64_t uses     = 0;
  std::uint64_t key      = 0;  ///< uses, and the age of the cache at the last one
};

/// `order(page)` gives what is least for the page that goes first.
template <class Order>
class PlainPolicy : public KokkosKV::EvictionPolicy {
 public:
  explicit PlainPolicy(Order order) : m_order(order) {}

  void reset(std::uint32_t num_pages) override {
    m_pages.assign(num_pages, {});
    m_age = 0;
  }
  void insert(std::uint32_t page, std::uint64_t, std::uint32_t parent) override {
    m_pages[page] = {};
    if (parent != no_page) m_pages[parent].is_evictable = false;
    touch(page);
  }
  void touch(std::uint32_t page) override {
    auto& own = m_pages[page];
    own.used  = ++m_time;
    own.key   = m_age + ++own.uses;
  }
  void retain(std::uint32_t page, bool) override { m_pages[page].is_evictable = false; }
  void release(std::uint32_t page, bool is_leaf) override {
    m_pages[page].released     = ++m_time;
    m_pages[page].is_evictable = is_leaf;
  }
  void uncover(std::uint32_t page) override { m_pages[page].is_evictable = true; }
  std::uint32_t evict() override {
    auto best = no_page;
    for (std::uint32_t page = 0; page < m_pages.size(); ++page) {
      if (!m_pages[page].is_evictable) continue;
      if (best == no_page || m_order(m_pages[page]) < m_order(m_pages[best])) best = page;
    }
    if (best == no_page) return best;
    m_age                      = std::max(m_age, m_pages[best].key);
    m_pages[best].is_evictable = false;
    return best;
  }
  void remove(std::uint32_t page, bool is_listed) override {
    EXPECT_EQ(m_pages[page].is_evictable, is_listed);
    m_pages[page].is_evictable = false;
  }

 private:
  Order m_order;
  std::vector<PlainPage> m_pages;
  std::uint64_t m_age  = 0;
  std::uint64_t m_time = 0;
};

inline auto plain_lru() {
  return PlainPolicy([](PlainPage const& page) { return page.released; });
}
inline auto plain_lfu() {
  return PlainPolicy([](PlainPage const& page) { return std::pair(page.key, page.used); });
}

/// Tells two policies the same and expects the same answers.
class BothPolicies : public KokkosKV::EvictionPolicy {
 public:
  BothPolicies(EvictionPolicy& first, EvictionPolicy& second) : m_first(first), m_second(second) {}

  void reset(std::uint32_t num_pages) override {
    m_first.reset(num_pages);
    m_second.reset(num_pages);
  }
  void insert(std::uint32_t page, std::uint64_t hash, std::uint32_t parent) override {
    m_first.insert(page, hash, parent);
    m_second.insert(page, hash, parent);
  }
  void touch(std::uint32_t page) override {
    m_first.touch(page);
    m_second.touch(page);
  }
  void retain(std::uint32_t page, bool is_leaf) override {
    m_first.retain(page, is_leaf);
    m_second.retain(page, is_leaf);
  }
  void release(std::uint32_t page, bool is_leaf) override {
    m_first.release(page, is_leaf);
    m_second.release(page, is_leaf);
  }
  void uncover(std::uint32_t page) override {
    m_first.uncover(page);
    m_second.uncover(page);
  }
  std::uint32_t evict() override {
    auto const page = m_first.evict();
    EXPECT_EQ(page, m_second.evict());
    return page;
  }
  void remove(std::uint32_t page, bool is_listed) override {
    m_first.remove(page, is_listed);
    m_second.remove(page, is_listed);
  }

 private:
  EvictionPolicy& m_first;
  EvictionPolicy& m_second;
};

}  // namespace KokkosKVTest

#endif
