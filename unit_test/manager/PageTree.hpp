// Cached pages with parents and references, which reports to a policy what happens to them.
#ifndef KOKKOSKV_TEST_PAGETREE_HPP
#define KOKKOSKV_TEST_PAGETREE_HPP

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <manager/KokkosKV_EvictionPolicy.hpp>

namespace KokkosKVTest {

using KokkosKV::EvictionPolicy;

inline constexpr std::uint32_t no_page = EvictionPolicy::no_page;

/// A page of the pool.
struct TreePage {
  std::uint64_t hash       = 0;
  std::uint32_t parent     = no_page;
  std::uint32_t children   = 0;
  std::uint32_t references = 0;
  bool is_cached           = false;

  bool is_leaf() const { return children == 0; }
  bool is_evictable() const { return is_cached && is_leaf() && references == 0; }
};

/// Does what the owner of a cache does, and expects of every answer that it is an evictable page,
/// or that there is none.
class PageTree {
 public:
  PageTree(EvictionPolicy& policy, std::uint32_t num_pages) : m_policy(policy), m_pages(num_pages) {
    for (auto page = num_pages; page-- > 0;) m_free.push_back(page);
    m_policy.reset(num_pages);
  }

  TreePage const& operator[](std::uint32_t page) const { return m_pages[page]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(m_pages.size()); }
  bool is_full() const { return m_free.empty(); }

  /// A block below a parent, in a free page, with one reference.
  std::uint32_t write(std::uint64_t hash, std::uint32_t parent = no_page) {
    auto const page = m_free.back();
    m_free.pop_back();
    m_pages[page] = {hash, parent, 0, 1, true};
    if (parent != no_page) ++m_pages[parent].children;
    m_policy.insert(page, hash, parent);
    return page;
  }
  void retain(std::uint32_t page) {
    auto& own = m_pages[page];
    if (own.references++ == 0) m_policy.retain(page, own.is_leaf());
  }
  void touch(std::uint32_t page) { m_policy.touch(page); }
  void release(std::uint32_t page) {
    auto& own = m_pages[page];
    if (--own.references == 0) m_policy.release(page, own.is_leaf());
  }
  void release(std::vector<std::uint32_t> const& pages) {
    for (auto const page : pages) release(page);
  }
  /// The page that went; its hash can be asked for until it is written again.
  std::uint32_t evict() {
    auto const page = m_policy.evict();
    if (page == no_page) {
      EXPECT_TRUE(std::none_of(m_pages.begin(), m_pages.end(),
                               [](auto const& each) { return each.is_evictable(); }));
      return no_page;
    }
    if (page >= size() || !m_pages[page].is_evictable()) {
      ADD_FAILURE() << "page " << page << " is not evictable";
      return no_page;
    }
    forget(page);
    return page;
  }
  /// Children lose their parent.
  void remove(std::uint32_t page) {
    m_policy.remove(page, m_pages[page].is_evictable());
    for (auto& each : m_pages) {
      if (each.parent == page) each.parent = no_page;
    }
    forget(page);
  }
  /// All pages in the order in which they go.
  std::vector<std::uint32_t> evict_all() {
    std::vector<std::uint32_t> order;
    for (auto page = evict(); page != no_page && order.size() < size(); page = evict()) {
      order.push_back(page);
    }
    return order;
  }

 private:
  void forget(std::uint32_t page) {
    auto const parent = m_pages[page].parent;
    m_pages[page]     = {.hash = m_pages[page].hash};
    m_free.push_back(page);
    if (parent == no_page) return;
    auto& above = m_pages[parent];
    if (--above.children == 0 && above.references == 0) m_policy.uncover(parent);
  }

  EvictionPolicy& m_policy;
  std::vector<TreePage> m_pages;
  std::vector<std::uint32_t> m_free;
};

}  // namespace KokkosKVTest

#endif
