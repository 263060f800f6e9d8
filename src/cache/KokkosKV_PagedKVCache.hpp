// PagedKVCache: the keys or the values of one layer, as kernels see them.
#ifndef KOKKOSKV_PAGEDKVCACHE_HPP
#define KOKKOSKV_PAGEDKVCACHE_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <cache/KokkosKV_LookupTable.hpp>
#include <cache/KokkosKV_PageScales.hpp>
#include <cache/KokkosKV_StaticParams.hpp>
#include <kokkos_ext/KokkosKV_SimdVector.hpp>

namespace KokkosKV {

/// A view `[num_blocks, page_size, num_heads, head_size]` with a run-time distance between pages,
/// together with the lookup table and cache lengths of the current batch. Copied by value into
/// kernels; owns nothing, so the PagedKVCacheCollection (or the Views behind it) must outlive its
/// use.
///
/// Token `t` of sequence `b` lives in page `lookup_table(b, t / page_size)`, slot `t % page_size`.
/// Every address goes through row(), with 64-bit arithmetic.
///
/// \tparam T            storage type
/// \tparam Params       heads and head size
/// \tparam PageSize     tokens of a page, any number from 1
/// \tparam MemorySpace  where pages, table and lengths live
/// \tparam Scales       NoScales or PageScales
template <class T, KVCacheStaticParams Params, int PageSize, class MemorySpace,
          class Scales = NoScales>
class PagedKVCache {
  static_assert(Params.num_heads >= 1, "KokkosKV: num_heads must be at least 1");
  static_assert(Params.head_size >= 1, "KokkosKV: head_size must be at least 1");
  static_assert(PageSize >= 1, "KokkosKV: page_size must be at least 1");

 public:
  using value_type   = T;            ///< storage type
  using memory_space = MemorySpace;  ///< where pages, table and lengths live
  using scales_type  = Scales;       ///< NoScales or PageScales

  static constexpr KVCacheStaticParams kv_params = Params;  ///< heads and head size

  static constexpr int rank      = 4;                 ///< page, slot, head, dim
  static constexpr int page_size = PageSize;          ///< tokens of a page
  static constexpr int num_heads = Params.num_heads;  ///< key/value heads
  static constexpr int head_size = Params.head_size;  ///< elements of one head
  /// Elements of one token.
  static constexpr std::size_t token_size =
      static_cast<std::size_t>(num_heads) * static_cast<std::size_t>(head_size);
  /// Elements of this layer's keys (or values) in one page.
  static constexpr std::size_t page_elements = static_cast<std::size_t>(page_size) * token_size;

  PagedKVCache() = default;

  /// Usually made by PagedKVCacheCollection::get_key_cache() or get_value_cache().
  /// \param data        element (page 0, slot 0, head 0, dim 0) of this layer
  /// \param num_blocks  physical pages in the pool
  /// \param page_pitch  distance between pages in elements
  PagedKVCache(T* data, std::size_t num_blocks, std::size_t page_pitch,
               LookupTable<MemorySpace> const& table, std::uint32_t const* cache_lengths,
               std::uint32_t max_prompt_length, std::uint32_t max_cache_length,
               Scales const& scales = {})
      : m_data(data),
        m_num_blocks(num_blocks),
        m_page_pitch(page_pitch),
        m_table(table),
        m_cache_lengths(cache_lengths),
        m_max_prompt_length(max_prompt_length),
        m_max_cache_length(max_cache_length),
        m_scales(scales) {}

  // Extents ---------------------------------------------------------------------------------------

  /// Extent of a dimension: 0 = pages, 1 = slots, 2 = heads, 3 = elements of a head.
  KOKKOS_FUNCTION std::size_t extent(int dimension) const {
    constexpr std::size_t inner[] = {page_size, num_heads, head_size};
    return dimension == 0 ? m_num_blocks : inner[dimension - 1];
  }
  /// Physical pages in the pool.
  KOKKOS_FUNCTION std::size_t num_blocks() const { return m_num_blocks; }
  /// Distance between pages in elements.
  KOKKOS_FUNCTION std::size_t page_pitch() const { return m_page_pitch; }
  /// Sequences of the batch.
  KOKKOS_FUNCTION std::size_t batch_size() const { return m_table.batch_size(); }
  /// Longest new input that the batch announces.
  KOKKOS_FUNCTION std::uint32_t max_prompt_length() const { return m_max_prompt_length; }
  /// Longest cache length that the batch announces.
  KOKKOS_FUNCTION std::uint32_t max_cache_length() const { return m_max_cache_length; }

  // The batch -------------------------------------------------------------------------------------

  /// Tokens of a sequence that are in the cache before this step.
  KOKKOS_FUNCTION std::uint32_t cache_length(std::size_t batch) const {
    return m_cache_lengths[batch];
  }
  /// Cache lengths of all sequences.
  KOKKOS_FUNCTION std::uint32_t const* cache_lengths() const { return m_cache_lengths; }
  /// The table that names the pages of the batch.
  KOKKOS_FUNCTION LookupTable<MemorySpace> const& lookup_table() const { return m_table; }

  /// Physical page of a token; null_page where there is none.
  KOKKOS_FUNCTION std::uint32_t page(std::size_t batch, std::size_t token) const {
    return m_table.page(batch, token / static_cast<std::size_t>(page_size));
  }
  /// Slot of a token within its page.
  KOKKOS_FUNCTION static int slot(std::size_t token) {
    return static_cast<int>(token % static_cast<std::size_t>(page_size));
  }
  /// False for null_page and for any other entry that names no page of the pool.
  KOKKOS_FUNCTION bool is_mapped(std::uint32_t page) const { return page < m_num_blocks; }

  // Elements --------------------------------------------------------------------------------------

  /// The `head_size` neighbouring elements at (page, slot, head); `page` must be mapped.
  KOKKOS_FUNCTION T* row(std::size_t page, int slot, int head) const {
    return m_data + page * m_page_pitch + static_cast<std::size_t>(slot) * token_size +
           static_cast<std::size_t>(head) * static_cast<std::size_t>(head_size);
  }

  /// One element; `page` must be mapped.
  KOKKOS_FUNCTION T& operator()(std::size_t page, int slot, int head, int dim) const {
    return row(page, slot, head)[dim];
  }

  /// Loads elements [dim, dim + Width) of a token's head; zeros where the token has no page.
  /// \tparam Alignment  alignment in bytes that the caller vouches for, see is_aligned()
  template <int Width, std::size_t Alignment = alignof(T)>
  KOKKOS_FUNCTION SimdVector<std::remove_const_t<T>, Width> load(std::size_t batch, int head,
                                                                 std::size_t token, int dim) const {
    auto const physical = page(batch, token);
    if (!is_mapped(physical)) return {};
    return load_vector<Width, Alignment>(
        static_cast<std::remove_const_t<T> const*>(row(physical, slot(token), head) + dim));
  }

  /// Stores elements [dim, dim + Width) of a token's head; dropped where the token has no page.
  /// \tparam Alignment  alignment in bytes that the caller vouches for, see is_aligned()
  template <int Width, std::size_t Alignment = alignof(T)>
    requires(!std::is_const_v<T>)
  KOKKOS_FUNCTION void store(std::size_t batch, int head, std::size_t token, int dim,
                             SimdVector<T, Width> const& vector) const {
    auto const physical = page(batch, token);
    if (is_mapped(physical)) {
      store_vector<Width, Alignment>(row(physical, slot(token), head) + dim, vector);
    }
  }

  /// True when every element whose `dim` is a multiple of `bytes / sizeof(T)` has an address that
  /// is a multiple of `bytes` (a power of two): depends on the pool's address and on the page
  /// pitch.
  bool is_aligned(std::size_t bytes) const {
    return reinterpret_cast<std::uintptr_t>(m_data) % bytes == 0 &&
           (m_page_pitch * sizeof(T)) % bytes == 0 &&
           (static_cast<std::size_t>(head_size) * sizeof(T)) % bytes == 0;
  }

  // Scales ----------------------------------------------------------------------------------------

  /// The scales of this layer's keys or values.
  KOKKOS_FUNCTION Scales const& scales() const { return m_scales; }

  /// The scales of (page, slot, head), where `page` comes from the scales' own lookup table.
  KOKKOS_FUNCTION auto scale_row(std::size_t page, int slot, int head) const
    requires(Scales::enabled)
  {
    auto const groups = static_cast<std::size_t>(head_size / m_scales.granularity());
    return m_scales.page_data(page) +
           (static_cast<std::size_t>(slot) * static_cast<std::size_t>(num_heads) +
            static_cast<std::size_t>(head)) *
               groups;
  }

  /// The scale of an element; zero where the token has no page of scales.
  KOKKOS_FUNCTION auto load_scale(std::size_t batch, int head, std::size_t token, int dim) const
    requires(Scales::enabled)
  {
    using scale_type    = std::remove_const_t<typename Scales::scale_type>;
    auto const physical = scale_page(batch, token);
    if (physical >= m_scales.num_blocks()) return scale_type{};
    return scale_type(scale_row(physical, slot(token), head)[dim / m_scales.granularity()]);
  }

  /// Sets the scale that an element shares; dropped where the token has no page of scales.
  KOKKOS_FUNCTION void store_scale(std::size_t batch, int head, std::size_t token, int dim,
                                   typename Scales::scale_type scale) const
    requires(Scales::enabled)
  {
    auto const physical = scale_page(batch, token);
    if (physical < m_scales.num_blocks()) {
      scale_row(physical, slot(token), head)[dim / m_scales.granularity()] = scale;
    }
  }

  /// Physical page of a token's scales; null_page where there is none.
  KOKKOS_FUNCTION std::uint32_t scale_page(std::size_t batch, std::size_t token) const
    requires(Scales::enabled)
  {
    return m_scales.lookup_table().page(batch, token / static_cast<std::size_t>(page_size));
  }

 private:
  T* m_data                = nullptr;
  std::size_t m_num_blocks = 0;
  std::size_t m_page_pitch = 0;
  LookupTable<MemorySpace> m_table;
  std::uint32_t const* m_cache_lengths = nullptr;
  std::uint32_t m_max_prompt_length    = 0;
  std::uint32_t m_max_cache_length     = 0;
  [[no_unique_address]] Scales m_scales;
};

}  // namespace KokkosKV

#endif
