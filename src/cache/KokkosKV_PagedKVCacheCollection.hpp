// PagedKVCacheCollection: the pool of pages of all layers with the batch that is being worked on.
#ifndef KOKKOSKV_PAGEDKVCACHECOLLECTION_HPP
#define KOKKOSKV_PAGEDKVCACHECOLLECTION_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <cache/KokkosKV_Errors.hpp>
#include <cache/KokkosKV_PagedKVCache.hpp>
#include <cache/impl/KokkosKV_Check.hpp>

namespace KokkosKV {

/// Blocks `[num_blocks, kv_dim, num_layers, page_size, num_heads, head_size]`, cache lengths and
/// lookup table of one batch; made by generic_get_paged_cache(). Holds the Views, and so keeps
/// managed allocations alive.
///
/// \tparam T            storage type
/// \tparam Params       heads, head size, and whether MLA is known at compile time
/// \tparam PageSize     tokens of a page
/// \tparam MemorySpace  where everything lives
/// \tparam ScaleType    type of the scales, void where there are none
template <class T, KVCacheStaticParams Params, int PageSize, class MemorySpace,
          class ScaleType = void>
class PagedKVCacheCollection {
 public:
  static constexpr bool has_scales = !std::is_void_v<ScaleType>;  ///< quantised or not

  using value_type   = T;            ///< storage type
  using memory_space = MemorySpace;  ///< where everything lives
  using scale_type   = ScaleType;    ///< void where there are none
  /// The pool; the distance between pages is its stride(0).
  using blocks_type = Kokkos::View<T*** [PageSize][Params.num_heads][Params.head_size],
                                   Kokkos::LayoutStride, MemorySpace>;
  /// One length a sequence.
  using lengths_type = Kokkos::View<std::uint32_t const*, MemorySpace>;
  /// Physical pages, one row a sequence.
  using table_type = Kokkos::View<std::uint32_t const**, Kokkos::LayoutStride, MemorySpace>;
  /// Scales, or an unused stand-in.
  using scales_type = Kokkos::View<std::conditional_t<has_scales, ScaleType, char>******,
                                   Kokkos::LayoutStride, MemorySpace>;
  /// What the caches of the layers carry for scales.
  using cache_scales_type =
      std::conditional_t<has_scales, PageScales<typename scales_type::value_type, MemorySpace>,
                         NoScales>;
  /// Keys or values of one layer.
  using cache_type = PagedKVCache<T, Params, PageSize, MemorySpace, cache_scales_type>;

  static constexpr KVCacheStaticParams kv_params = Params;            ///< heads and head size
  static constexpr int page_size                 = PageSize;          ///< tokens of a page
  static constexpr int num_heads                 = Params.num_heads;  ///< key/value heads
  static constexpr int head_size                 = Params.head_size;  ///< elements of one head

  /// Takes checked parts; use generic_get_paged_cache().
  PagedKVCacheCollection(blocks_type const& blocks, lengths_type const& cache_lengths,
                         table_type const& lookup_table, std::uint32_t max_prompt_length,
                         std::uint32_t max_cache_length, scales_type const& scales = {},
                         table_type const& scales_lookup_table = {})
      : m_blocks(blocks),
        m_cache_lengths(cache_lengths),
        m_lookup_table(lookup_table),
        m_scales(scales),
        m_scales_lookup_table(scales_lookup_table),
        m_max_prompt_length(max_prompt_length),
        m_max_cache_length(max_cache_length) {}

  /// Keys of a layer. Throws ShapeError for a layer that is not there.
  cache_type get_key_cache(std::size_t layer) const {
    return layer_cache("get_key_cache", 0, layer);
  }

  /// Values of a layer. Throws ShapeError for a layer that is not there, and for an MLA cache,
  /// which has no values.
  cache_type get_value_cache(std::size_t layer) const
    requires(!Params.is_mla)
  {
    if (is_mla()) {
      throw ShapeError("get_value_cache", "blocks.extent(1)", "1",
                       "2 (an MLA cache has no value cache)");
    }
    return layer_cache("get_value_cache", 1, layer);
  }

  /// Physical pages in the pool.
  std::size_t num_blocks() const { return m_blocks.extent(0); }
  /// 2 for keys and values, 1 for MLA.
  std::size_t kv_dim() const { return m_blocks.extent(1); }
  /// Layers of the model.
  std::size_t num_layers() const { return m_blocks.extent(2); }
  /// True where keys and values are one latent.
  bool is_mla() const { return kv_dim() == 1; }
  /// Sequences of the batch.
  std::size_t batch_size() const { return m_lookup_table.extent(0); }
  /// Logical pages that a row of the lookup table can name.
  std::size_t max_pages() const { return m_lookup_table.extent(1); }
  /// Distance between pages in elements.
  std::size_t page_pitch() const { return Impl::strides<6>(m_blocks)[0]; }
  /// Elements of a page without its padding: all layers, keys and values.
  std::size_t page_elements() const { return kv_dim() * num_layers() * cache_type::page_elements; }
  /// Longest new input that the batch announces.
  std::uint32_t max_prompt_length() const { return m_max_prompt_length; }
  /// Longest cache length that the batch announces.
  std::uint32_t max_cache_length() const { return m_max_cache_length; }

  /// The pool.
  blocks_type const& blocks() const { return m_blocks; }
  /// Tokens of each sequence that are in the cache before this step.
  lengths_type const& cache_lengths() const { return m_cache_lengths; }
  /// The table that names the pages of the batch.
  table_type const& lookup_table() const { return m_lookup_table; }

  /// Scales of all pages, layers, keys and values.
  scales_type const& scales() const
    requires has_scales
  {
    return m_scales;
  }
  /// True when the scales have a table of their own.
  bool has_scales_lookup_table() const
    requires has_scales
  {
    return m_scales_lookup_table.data() != nullptr;
  }
  /// The table that names the scales' pages: their own, else that of the blocks.
  table_type const& scales_lookup_table() const
    requires has_scales
  {
    return has_scales_lookup_table() ? m_scales_lookup_table : m_lookup_table;
  }
  /// Neighbouring elements of a head that share a scale.
  int granularity() const
    requires has_scales
  {
    return head_size / static_cast<int>(m_scales.extent(5));
  }
  /// Scales of a page without its padding.
  std::size_t scale_page_elements() const
    requires has_scales
  {
    return m_scales.extent(1) * m_scales.extent(2) * m_scales.extent(3) * m_scales.extent(4) *
           m_scales.extent(5);
  }
  /// Distance between pages of scales in scales.
  std::size_t scale_page_pitch() const
    requires has_scales
  {
    return Impl::strides<6>(m_scales)[0];
  }

 private:
  static LookupTable<MemorySpace> handle(table_type const& table) {
    return {table.data(), Impl::strides<2>(table)[0], table.extent(0), table.extent(1)};
  }

  cache_type layer_cache(char const* function, std::size_t kv_index, std::size_t layer) const {
    if (layer >= num_layers()) {
      throw ShapeError(function, "layer", std::to_string(layer),
                       "below " + std::to_string(num_layers()));
    }
    auto const plane = kv_index * num_layers() + layer;
    auto const first = [](auto* data, std::size_t offset) {
      return data == nullptr ? data : data + offset;
    };
    auto const table = handle(m_lookup_table);
    cache_scales_type layer_scales;
    if constexpr (has_scales) {
      auto const offset = plane * m_scales.extent(3) * m_scales.extent(4) * m_scales.extent(5);
      layer_scales      = {first(m_scales.data(), offset), scale_page_pitch(), m_scales.extent(0),
                           granularity(), handle(scales_lookup_table())};
    }
    return {first(m_blocks.data(), plane * cache_type::page_elements),
            num_blocks(),
            page_pitch(),
            table,
            m_cache_lengths.data(),
            m_max_prompt_length,
            m_max_cache_length,
            layer_scales};
  }

  blocks_type m_blocks;
  lengths_type m_cache_lengths;
  table_type m_lookup_table;
  scales_type m_scales;
  table_type m_scales_lookup_table;
  std::uint32_t m_max_prompt_length;
  std::uint32_t m_max_cache_length;
};

}  // namespace KokkosKV

#endif
