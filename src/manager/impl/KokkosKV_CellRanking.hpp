// CellRanking: the order in which cells give up their pages, and the first one that has any.
#ifndef KOKKOSKV_IMPL_CELLRANKING_HPP
#define KOKKOSKV_IMPL_CELLRANKING_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace KokkosKV::Impl {

/// Cells in order, with one bit for each that says whether it may have pages. A set bit may be out
/// of date, since a page leaves its list without knowing which one it is; a clear bit never is.
template <std::size_t Count>
class CellRanking {
 public:
  CellRanking() {
    std::iota(m_order.begin(), m_order.end(), std::size_t(0));
    std::iota(m_rank.begin(), m_rank.end(), std::uint16_t(0));
  }

  /// Ranks the cells anew; no cell is marked then.
  template <class Less>
  void sort(Less const& less) {
    std::sort(m_order.begin(), m_order.end(), less);
    for (std::size_t rank = 0; rank < Count; ++rank) {
      m_rank[m_order[rank]] = static_cast<std::uint16_t>(rank);
    }
    m_marks.fill(0);
  }
  std::size_t rank(std::size_t cell) const { return m_rank[cell]; }
  /// Says that a cell has pages.
  void mark(std::size_t cell) { m_marks[rank(cell) / 64] |= bit(rank(cell)); }
  /// The first cell in order for which `is_filled(cell)`; Count if there is none.
  template <class IsFilled>
  std::size_t first(IsFilled const& is_filled) {
    for (std::size_t word = 0; word < m_marks.size(); ++word) {
      for (auto& marks = m_marks[word]; marks != 0; marks &= marks - 1) {
        auto const cell = m_order[word * 64 + static_cast<std::size_t>(std::countr_zero(marks))];
        if (is_filled(cell)) return cell;
      }
    }
    return Count;
  }

 private:
  static constexpr std::uint64_t bit(std::size_t rank) { return std::uint64_t(1) << rank % 64; }

  std::array<std::size_t, Count> m_order;   ///< cells, the first to go first
  std::array<std::uint16_t, Count> m_rank;  ///< its inverse
  std::array<std::uint64_t, (Count + 63) / 64> m_marks{};
};

}  // namespace KokkosKV::Impl

#endif
