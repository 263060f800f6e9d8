// PageHeap: a heap of pages from which any page can be taken.
#ifndef KOKKOSKV_IMPL_PAGEHEAP_HPP
#define KOKKOSKV_IMPL_PAGEHEAP_HPP

#include <cstddef>
#include <cstdint>

#include <kokkos_ext/impl/KokkosKV_LargeVector.hpp>

namespace KokkosKV::Impl {

/// Binary heap with the place of every page: 8 bytes a page, allocated once. `Less` orders pages;
/// the order of pages in the heap must not change.
template <class Less>
class PageHeap {
 public:
  explicit PageHeap(Less less) : m_less(less) {}

  void reset(std::uint32_t num_pages) {
    m_heap.clear();
    m_heap.reserve(num_pages);
    m_places.assign(num_pages, nowhere);
  }
  bool empty() const { return m_heap.empty(); }
  std::uint32_t top() const { return m_heap.front(); }

  void push(std::uint32_t page) {
    m_heap.push_back(page);
    rise(m_heap.size() - 1);
  }
  /// Does nothing where the page is not in the heap.
  void erase(std::uint32_t page) {
    if (m_places[page] == nowhere) return;
    auto const last  = m_heap.back();
    auto const place = m_places[page];
    m_heap.pop_back();
    m_places[page] = nowhere;
    if (last == page) return;
    put(place, last);
    rise(place);
    sink(m_places[last]);
  }

  /// Host memory held.
  std::size_t memory_bytes() const {
    return (m_heap.capacity() + m_places.capacity()) * sizeof(std::uint32_t);
  }

 private:
  static constexpr std::uint32_t nowhere = 0xFFFFFFFFu;

  void put(std::size_t place, std::uint32_t page) {
    m_heap[place]  = page;
    m_places[page] = static_cast<std::uint32_t>(place);
  }
  void rise(std::size_t place) {
    auto const page = m_heap[place];
    while (place > 0 && m_less(page, m_heap[(place - 1) / 2])) {
      put(place, m_heap[(place - 1) / 2]);
      place = (place - 1) / 2;
    }
    put(place, page);
  }
  void sink(std::size_t place) {
    auto const page = m_heap[place];
    for (auto child = 2 * place + 1; child < m_heap.size(); child = 2 * place + 1) {
      if (child + 1 < m_heap.size() && m_less(m_heap[child + 1], m_heap[child])) ++child;
      if (!m_less(m_heap[child], page)) break;
      put(place, m_heap[child]);
      place = child;
    }
    put(place, page);
  }

  Less m_less;
  LargeVector<std::uint32_t> m_heap;
  LargeVector<std::uint32_t> m_places;
};

}  // namespace KokkosKV::Impl

#endif
