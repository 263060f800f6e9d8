// ReleaseLists: unreferenced pages in the order of their release, and the first of them that is a
// leaf.
#ifndef KOKKOSKV_IMPL_RELEASELISTS_HPP
#define KOKKOSKV_IMPL_RELEASELISTS_HPP

#include <cstddef>
#include <cstdint>

#include <cache/KokkosKV_StaticParams.hpp>
#include <kokkos_ext/impl/KokkosKV_LargeVector.hpp>
#include <manager/KokkosKV_EvictionPolicy.hpp>
#include <manager/impl/KokkosKV_PageLists.hpp>

namespace KokkosKV::Impl {

/// Each list holds covered pages (those with cached children) too: most parents are released after
/// their children, so that the front is nearly always a leaf, and uncovering a page costs nothing.
/// A covered page that comes to the front is set aside and put back at its place when it is
/// uncovered. 16 bytes a page; O(1) a call, amortised.
class ReleaseLists {
 public:
  void reset(std::uint32_t num_pages, std::uint32_t num_lists) {
    m_time = 0;
    m_releases.assign(num_pages, 0);
    m_lists.reset(num_pages, num_lists);
  }

  /// Takes a page out of its list, if it is in one.
  void unlink(std::uint32_t page) { m_lists.unlink(page); }
  void release(std::uint32_t list, std::uint32_t page, bool is_leaf) {
    m_releases[page] = (m_time++ << 1) | (is_leaf ? 0u : covered);
    m_lists.push_back(list, page);
  }
  /// The page got a cached child; it may be in a list or not.
  void cover(std::uint32_t page) { m_releases[page] |= covered; }
  /// The page lost its last cached child. It was released to this list and is not referenced.
  void uncover(std::uint32_t list, std::uint32_t page) {
    m_releases[page] &= ~covered;
    if (m_lists.is_listed(page)) return;
    // It was the front when it was set aside: only others that were put back can be older.
    auto next = m_lists.front(list);
    while (next != m_lists.end(list) && m_releases[next] < m_releases[page]) {
      next = m_lists.after(next);
    }
    m_lists.insert_before(next, page);
  }
  /// Takes the leaf that was released first out of a list; null_page where there is none.
  std::uint32_t take_first(std::uint32_t list) {
    while (!m_lists.empty(list)) {
      auto const page = m_lists.front(list);
      m_lists.unlink(page);
      prefetch(upcoming(list));
      if ((m_releases[page] & covered) == 0) return page;
    }
    return null_page;
  }

  /// As EvictionPolicy::upcoming(), where all pages are of this list.
  std::uint32_t upcoming(std::uint32_t list) const {
    return m_lists.behind_front(list, EvictionPolicy::upcoming_distance);
  }
  /// Asks for the memory of a page.
  void prefetch(std::uint32_t page) const {
    if (page == null_page) return;
    Impl::prefetch(&m_releases[page]);
    m_lists.prefetch(page);
  }
  /// Host memory held.
  std::size_t memory_bytes() const {
    return m_releases.capacity() * sizeof(std::uint64_t) + m_lists.memory_bytes();
  }

 private:
  /// Known of unreferenced pages only.
  static constexpr std::uint64_t covered = 1;

  std::uint64_t m_time = 0;
  /// Twice the time of the last release, plus `covered`: no two pages have the same time.
  LargeVector<std::uint64_t> m_releases;
  PageLists m_lists;
};

}  // namespace KokkosKV::Impl

#endif
