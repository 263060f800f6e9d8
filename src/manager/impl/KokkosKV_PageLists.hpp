// PageLists: lists of pages that a page leaves without knowing which one it is in.
#ifndef KOKKOSKV_IMPL_PAGELISTS_HPP
#define KOKKOSKV_IMPL_PAGELISTS_HPP

#include <cstddef>
#include <cstdint>

#include <cache/KokkosKV_StaticParams.hpp>
#include <kokkos_ext/impl/KokkosKV_LargeVector.hpp>
#include <kokkos_ext/impl/KokkosKV_Prefetch.hpp>

namespace KokkosKV::Impl {

/// Circular doubly linked lists threaded through one array of 8 bytes a page: its first nodes are
/// the pages, those after them the ends of the lists. A page that is in no list is linked to
/// itself, so that unlinking it once more changes nothing.
class PageLists {
 public:
  void reset(std::uint32_t num_pages, std::uint32_t num_lists) {
    m_num_pages = num_pages;
    m_links.resize(std::size_t(num_pages) + num_lists);
    for (std::uint32_t node = 0; node < num_pages + num_lists; ++node) isolate(node);
  }

  bool empty(std::uint32_t list) const { return front(list) == end(list); }
  bool is_listed(std::uint32_t page) const { return m_links[page].next != page; }
  /// The first page of a list; its end where there is none.
  std::uint32_t front(std::uint32_t list) const { return after(end(list)); }
  /// The page that stands so many behind the first one of a list; null_page where there is none.
  std::uint32_t behind_front(std::uint32_t list, std::size_t distance) const {
    auto page = front(list);
    for (; distance > 0 && page < m_num_pages; --distance) page = after(page);
    return page < m_num_pages ? page : null_page;
  }
  std::uint32_t after(std::uint32_t node) const { return m_links[node].next; }
  /// The node that stands behind the last page of a list.
  std::uint32_t end(std::uint32_t list) const { return m_num_pages + list; }

  void push_back(std::uint32_t list, std::uint32_t page) { insert_before(end(list), page); }
  void insert_before(std::uint32_t node, std::uint32_t page) {
    join(m_links[node].previous, page);
    join(page, node);
  }
  void unlink(std::uint32_t page) {
    join(m_links[page].previous, m_links[page].next);
    isolate(page);
  }
  /// Moves all of one list behind the last page of another.
  void append_all(std::uint32_t from, std::uint32_t to) {
    if (empty(from)) return;
    Links const moved = m_links[end(from)];
    join(m_links[end(to)].previous, moved.next);
    join(moved.previous, end(to));
    isolate(end(from));
  }

  /// Asks for the memory of a page's links.
  void prefetch(std::uint32_t page) const { Impl::prefetch(&m_links[page]); }
  /// Host memory held.
  std::size_t memory_bytes() const { return m_links.capacity() * sizeof(Links); }

 private:
  struct Links {
    std::uint32_t next;
    std::uint32_t previous;
  };

  void isolate(std::uint32_t node) { m_links[node] = {node, node}; }
  void join(std::uint32_t first, std::uint32_t second) {
    m_links[first].next      = second;
    m_links[second].previous = first;
  }

  std::uint32_t m_num_pages = 0;
  LargeVector<Links> m_links;
};

}  // namespace KokkosKV::Impl

#endif
