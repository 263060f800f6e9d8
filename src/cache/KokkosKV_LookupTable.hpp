// The lookup table (block table): which physical page holds a sequence's n-th logical page.
#ifndef KOKKOSKV_LOOKUPTABLE_HPP
#define KOKKOSKV_LOOKUPTABLE_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <cache/KokkosKV_StaticParams.hpp>

namespace KokkosKV {

/// Non-owning handle of a row-major `[batch, max_pages]` table, for use inside kernels.
template <class MemorySpace>
class LookupTable {
 public:
  using memory_space = MemorySpace;  ///< where the entries live

  LookupTable() = default;

  /// \param data        first entry, accessible from `MemorySpace`
  /// \param row_stride  distance between rows in entries, at least max_pages
  LookupTable(std::uint32_t const* data, std::size_t row_stride, std::size_t batch_size,
              std::size_t max_pages)
      : m_data(data), m_row_stride(row_stride), m_batch_size(batch_size), m_max_pages(max_pages) {}

  /// Number of sequences.
  KOKKOS_FUNCTION std::size_t batch_size() const { return m_batch_size; }

  /// Pages that a row can name.
  KOKKOS_FUNCTION std::size_t max_pages() const { return m_max_pages; }

  /// True for the same entries in memory, seen in the same shape.
  bool is_same(LookupTable const& other) const {
    return m_data == other.m_data && m_row_stride == other.m_row_stride &&
           m_batch_size == other.m_batch_size && m_max_pages == other.m_max_pages;
  }

  /// First entry of a row.
  KOKKOS_FUNCTION std::uint32_t const* row(std::size_t batch) const {
    return m_data + batch * m_row_stride;
  }

  /// The raw entry; `logical_page` must be below max_pages().
  KOKKOS_FUNCTION std::uint32_t entry(std::size_t batch, std::size_t logical_page) const {
    return row(batch)[logical_page];
  }

  /// Physical page of a logical one; null_page past the end of the row, so that no index, however
  /// wrong, reads a neighbouring row.
  KOKKOS_FUNCTION std::uint32_t page(std::size_t batch, std::size_t logical_page) const {
    return logical_page < m_max_pages ? entry(batch, logical_page) : null_page;
  }

 private:
  std::uint32_t const* m_data = nullptr;
  std::size_t m_row_stride    = 0;
  std::size_t m_batch_size    = 0;
  std::size_t m_max_pages     = 0;
};

}  // namespace KokkosKV

#endif
