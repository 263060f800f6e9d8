// The free list of the pool's pages, shuffled so that a sequence's pages lie scattered.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "Random.hpp"

namespace ragged_store {

class FreePages {
 public:
  FreePages(std::uint32_t num_pages, std::uint64_t seed) : m_free(num_pages), m_total(num_pages) {
    std::iota(m_free.begin(), m_free.end(), 0u);
    Random(seed).shuffle(m_free);
  }

  std::size_t total() const { return m_total; }
  std::size_t available() const { return m_free.size(); }
  /// Most pages that were in use at once.
  std::size_t peak() const { return m_peak; }

  /// Takes `count` pages, which must be available.
  std::vector<std::uint32_t> take(std::size_t count) {
    auto const first = m_free.end() - static_cast<std::ptrdiff_t>(count);
    std::vector<std::uint32_t> pages(first, m_free.end());
    m_free.erase(first, m_free.end());
    m_peak = std::max(m_peak, m_total - m_free.size());
    return pages;
  }

  void give_back(std::span<std::uint32_t const> pages) {
    m_free.insert(m_free.end(), pages.begin(), pages.end());
  }

 private:
  std::vector<std::uint32_t> m_free;
  std::size_t m_total;
  std::size_t m_peak = 0;
};

}  // namespace ragged_store
