// Scales of a quantised cache: one factor for a run of neighbouring elements, paged like the
// elements.
#ifndef KOKKOSKV_PAGESCALES_HPP
#define KOKKOSKV_PAGESCALES_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

#include <cache/KokkosKV_LookupTable.hpp>

namespace KokkosKV {

/// A cache without scales.
struct NoScales {
  using scale_type              = char;   ///< never used
  static constexpr bool enabled = false;  ///< tells it from PageScales
};

/// Non-owning handle of one layer's key or value scales,
/// `[num_blocks, page_size, num_heads, head_size / granularity]`, for use inside kernels.
template <class ScaleType, class MemorySpace>
class PageScales {
 public:
  using scale_type              = ScaleType;    ///< const where the scales are only read
  using memory_space            = MemorySpace;  ///< where scales and table live
  static constexpr bool enabled = true;         ///< tells it from NoScales

  PageScales() = default;

  /// \param data         first scale of page 0
  /// \param page_pitch   distance between pages in scales
  /// \param num_blocks   physical pages
  /// \param granularity  neighbouring elements that share a scale
  PageScales(ScaleType* data, std::size_t page_pitch, std::size_t num_blocks, int granularity,
             LookupTable<MemorySpace> const& table)
      : m_data(data),
        m_page_pitch(page_pitch),
        m_num_blocks(num_blocks),
        m_granularity(granularity),
        m_table(table) {}

  /// Neighbouring elements of a head that share a scale.
  KOKKOS_FUNCTION int granularity() const { return m_granularity; }

  /// Physical pages of scales.
  KOKKOS_FUNCTION std::size_t num_blocks() const { return m_num_blocks; }

  /// The table that names the scales' pages.
  KOKKOS_FUNCTION LookupTable<MemorySpace> const& lookup_table() const { return m_table; }

  /// First scale of a page.
  KOKKOS_FUNCTION ScaleType* page_data(std::size_t page) const {
    return m_data + page * m_page_pitch;
  }

 private:
  ScaleType* m_data        = nullptr;
  std::size_t m_page_pitch = 0;
  std::size_t m_num_blocks = 0;
  int m_granularity        = 1;
  LookupTable<MemorySpace> m_table;
};

}  // namespace KokkosKV

#endif
