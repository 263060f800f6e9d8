// LruPolicy: the leaf that was released longest ago gives way.
#ifndef KOKKOSKV_IMPL_LRUPOLICY_HPP
#define KOKKOSKV_IMPL_LRUPOLICY_HPP

#include <cstdint>
#include <vector>

#include <manager/KokkosKV_EvictionPolicy.hpp>
#include <manager/impl/KokkosKV_PageLists.hpp>

namespace KokkosKV::Impl {

/// Least recently used. One list holds the unreferenced pages in the order of their release,
/// covered ones too: most parents are released after their children, so that the front is nearly
/// always a leaf, and uncovering a page costs nothing. A covered page that comes to the front is
/// set aside and put back at its place when it is uncovered. 17 bytes a page; O(1) a call,
/// amortised.
class LruPolicy final : public EvictionPolicy {
 public:
  void reset(std::uint32_t num_pages) override {
    m_time = 0;
    m_released.assign(num_pages, 0);
    m_is_covered.assign(num_pages, false);
    m_lists.reset(num_pages, 1);
  }
  void insert(std::uint32_t page, std::uint64_t /*hash*/, std::uint32_t parent) override {
    m_is_covered[page] = false;
    if (parent != no_page) m_is_covered[parent] = true;
  }
  void touch(std::uint32_t /*page*/) override {}
  void retain(std::uint32_t page, bool /*is_leaf*/) override { m_lists.unlink(page); }
  void release(std::uint32_t page, bool is_leaf) override {
    m_released[page]   = m_time++;
    m_is_covered[page] = !is_leaf;
    m_lists.push_back(0, page);
  }
  void uncover(std::uint32_t page) override {
    m_is_covered[page] = false;
    if (m_lists.is_listed(page)) return;
    // It was the front when it was set aside: only others that were put back can be older.
    auto next = m_lists.front(0);
    while (next != m_lists.end(0) && m_released[next] < m_released[page]) {
      next = m_lists.after(next);
    }
    m_lists.insert_before(next, page);
  }
  std::uint32_t evict() override {
    while (!m_lists.empty(0)) {
      auto const page = m_lists.front(0);
      m_lists.unlink(page);
      if (!m_is_covered[page]) return page;
    }
    return no_page;
  }
  void remove(std::uint32_t page, bool /*is_listed*/) override { m_lists.unlink(page); }

 private:
  std::uint64_t m_time = 0;
  std::vector<std::uint64_t> m_released;  ///< time of the last release
  std::vector<bool> m_is_covered;         ///< has cached children; known of unreferenced pages only
  PageLists m_lists;
};

}  // namespace KokkosKV::Impl

#endif
