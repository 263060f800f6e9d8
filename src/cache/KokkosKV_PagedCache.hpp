// generic_get_paged_cache(): a typed collection from raw block storage and lookup tables.
#ifndef KOKKOSKV_PAGEDCACHE_HPP
#define KOKKOSKV_PAGEDCACHE_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <cache/KokkosKV_PagedKVCacheCollection.hpp>
#include <cache/KokkosKV_Unchecked.hpp>
#include <cache/impl/KokkosKV_CollectionFactory.hpp>

namespace KokkosKV {

/// Scales of a quantised cache, as an argument of generic_get_paged_cache().
///
/// \tparam ScalesView  rank 6, `[num_blocks, kv_dim, num_layers, page_size, num_heads, groups]`;
///                     `groups` divides head_size (1 = one scale per token and head)
/// \tparam TableView   uint32 `[batch, max_pages]`, or void: the lookup table of the blocks serves
template <class ScalesView, class TableView = void>
struct CacheScales {
  ScalesView scales;       ///< one factor for each run of neighbouring elements
  TableView lookup_table;  ///< names the pages of the scales alone
};
/// Scales that the lookup table of the blocks serves too.
template <class ScalesView>
struct CacheScales<ScalesView, void> {
  ScalesView scales;  ///< one factor for each run of neighbouring elements
};
/// Deduces scales that the lookup table of the blocks serves.
template <class ScalesView>
CacheScales(ScalesView) -> CacheScales<ScalesView>;
/// Deduces scales with a table of their own.
template <class ScalesView, class TableView>
CacheScales(ScalesView, TableView) -> CacheScales<ScalesView, TableView>;

/// \name generic_get_paged_cache
///
/// Makes a PagedKVCacheCollection. The page pitch is `blocks.stride(0)`: a LayoutRight View is
/// packed, a LayoutStride View may have padded pages (see padded_blocks()); the inner dimensions
/// must be packed.
///
/// \param blocks             `[num_blocks, kv_dim, num_layers, page_size, num_heads, head_size]`,
///                           kv_dim 2 (0 = keys, 1 = values) or 1 (MLA)
/// \param cache_lengths      uint32 `[batch]`: tokens already in the cache before this step
/// \param lookup_table       uint32 `[batch, max_pages]`, row-major: physical page or null_page
/// \param max_prompt_length  bound of the batch's new rows per sequence: a number or a
///                           host-accessible View of one uint32
/// \param max_cache_length   bound of the batch's cache lengths, likewise
/// \param options            in any order: CacheScales, and `unchecked` to leave the contents of
///                           cache_lengths unread (the call is then free of kernels and fences)
/// \throws ShapeError        an extent or stride does not fit
/// \throws RaggedError       a cache length exceeds max_cache_length
/// \throws LookupTableError  a cache length exceeds what a row of the table can hold
/// \{

/// From Views whose static extents carry page size, heads and head size
/// (`T***[page_size][num_heads][head_size]`); MLA is told by the kv dimension.
template <class Blocks, class Lengths, class Table, class MaxPrompt, class MaxCache,
          class... Options>
  requires(Kokkos::is_view_v<Blocks> && Impl::has_static_page_v<Blocks>)
auto generic_get_paged_cache(Blocks const& blocks, Lengths const& cache_lengths,
                             Table const& lookup_table, MaxPrompt const& max_prompt_length,
                             MaxCache const& max_cache_length, Options const&... options) {
  return Impl::make_collection<Impl::static_params<Blocks>,
                               static_cast<int>(Blocks::static_extent(3))>(
      blocks, cache_lengths, lookup_table, max_prompt_length, max_cache_length, options...);
}

/// With explicit parameters, for Views with run-time extents, which are checked against them.
template <KVCacheStaticParams Params, int PageSize, class Blocks, class Lengths, class Table,
          class MaxPrompt, class MaxCache, class... Options>
  requires(Kokkos::is_view_v<Blocks>)
auto generic_get_paged_cache(Blocks const& blocks, Lengths const& cache_lengths,
                             Table const& lookup_table, MaxPrompt const& max_prompt_length,
                             MaxCache const& max_cache_length, Options const&... options) {
  Impl::check_static_params<Params, PageSize>(blocks);
  return Impl::make_collection<Params, PageSize>(blocks, cache_lengths, lookup_table,
                                                 max_prompt_length, max_cache_length, options...);
}
/// \}

/// Blocks over existing memory with a distance between pages of `page_pitch` elements, for example
/// pages padded to a boundary or interleaved with other data. `data` holds at least
/// `(num_blocks - 1) * page_pitch + packed page` elements.
/// \throws ShapeError  page_pitch is less than a packed page
template <class T, int PageSize, int NumHeads, int HeadSize,
          class MemorySpace = Kokkos::DefaultExecutionSpace::memory_space>
auto padded_blocks(T* data, std::size_t num_blocks, std::size_t kv_dim, std::size_t num_layers,
                   std::size_t page_pitch) {
  std::size_t const token = static_cast<std::size_t>(NumHeads) * HeadSize;
  std::size_t const layer = token * PageSize;
  if (page_pitch < kv_dim * num_layers * layer) {
    throw ShapeError("padded_blocks", "page_pitch", std::to_string(page_pitch),
                     "at least " + std::to_string(kv_dim * num_layers * layer));
  }
  using blocks_type = Kokkos::View<T*** [PageSize][NumHeads][HeadSize], Kokkos::LayoutStride,
                                   MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  return blocks_type(
      data, Kokkos::LayoutStride(num_blocks, page_pitch, kv_dim, num_layers * layer, num_layers,
                                 layer, PageSize, token, NumHeads, HeadSize, HeadSize, 1));
}

}  // namespace KokkosKV

#endif
