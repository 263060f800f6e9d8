// rope_store_ragged(): rotary embedding of keys on their way into the paged cache.
#ifndef KOKKOSKV_ROPESTORE_HPP
#define KOKKOSKV_ROPESTORE_HPP

#include <Kokkos_Core.hpp>

#include <cache/KokkosKV_PagedKVCache.hpp>
#include <projection/KokkosKV_PositionIds.hpp>
#include <projection/KokkosKV_RopeFrequencies.hpp>
#include <projection/impl/KokkosKV_RopeRows.hpp>
#include <store/KokkosKV_StoreRagged.hpp>

namespace KokkosKV {

/// \name rope_store_ragged
///
/// kv_cache_store_ragged() of keys that are rotated on the way: read once, written once and rounded
/// once, where a store and rope_key_cache() do each twice. Rotation, position and options are those
/// of rope_ragged(); elements of a head behind `rotary_dim` are stored as they are. Quantised and
/// MLA caches do not compile.
///
/// \param exec               instance (optional; the default one of the memory space)
/// \param frequencies        RopeFrequencies of the model
/// \param key_cache          keys of a layer
/// \param input_shape        `{tokens, heads, head_size}`
/// \param input_row_offsets  uint32 `[batch + 1]`, not decreasing, from 0 to `tokens`
/// \param keys               functor as for kv_cache_store_ragged(), or a View
///                           `[tokens, heads, head_size]` of any layout: float, double, half or
///                           bf16
/// \param options            in any order: PositionIds, and `unchecked`
/// \throws ShapeError        an extent differs, or heads are shorter than rotary_dim
/// \throws RaggedError       offsets, max_prompt_length or max_cache_length contradict the contents
/// \throws LookupTableError  a page does not exist, or a sequence would outgrow its row
/// \throws ConflictError     two rows would be written in the same slot
/// \{
/// From a functor.
template <class ExecSpace, class Space, class T, KVCacheStaticParams Params, int PageSize,
          class MemorySpace, class Scales, class Offsets, class Functor, class... Options>
  requires(Kokkos::is_execution_space_v<ExecSpace> && Kokkos::is_view_v<Offsets>)
void rope_store_ragged(ExecSpace const& exec, RopeFrequencies<Space> const& frequencies,
                       PagedKVCache<T, Params, PageSize, MemorySpace, Scales> const& key_cache,
                       RaggedShape const& input_shape, Offsets const& input_row_offsets,
                       Functor const& keys, Options const&... options) {
  Impl::rope_store(exec, {}, frequencies, input_shape, input_row_offsets,
                   Impl::functor_transfer<false>(key_cache, keys), options...);
}

/// From a View.
template <class ExecSpace, class Space, class T, KVCacheStaticParams Params, int PageSize,
          class MemorySpace, class Scales, class Offsets, class Keys, class... Options>
  requires(Kokkos::is_execution_space_v<ExecSpace> && Kokkos::is_view_v<Keys>)
void rope_store_ragged(ExecSpace const& exec, RopeFrequencies<Space> const& frequencies,
                       PagedKVCache<T, Params, PageSize, MemorySpace, Scales> const& key_cache,
                       Offsets const& input_row_offsets, Keys const& keys,
                       Options const&... options) {
  Impl::rope_store(exec, {}, frequencies, Impl::extents<3>(keys), input_row_offsets,
                   Impl::input_transfer(key_cache, keys), options...);
}

/// From a functor, on the default instance.
template <class Space, class T, KVCacheStaticParams Params, int PageSize, class MemorySpace,
          class Scales, class Offsets, class Functor, class... Options>
  requires(Kokkos::is_view_v<Offsets>)
void rope_store_ragged(RopeFrequencies<Space> const& frequencies,
                       PagedKVCache<T, Params, PageSize, MemorySpace, Scales> const& key_cache,
                       RaggedShape const& input_shape, Offsets const& input_row_offsets,
                       Functor const& keys, Options const&... options) {
  rope_store_ragged(typename MemorySpace::execution_space{}, frequencies, key_cache, input_shape,
                    input_row_offsets, keys, options...);
}

/// From a View, on the default instance.
template <class Space, class T, KVCacheStaticParams Params, int PageSize, class MemorySpace,
          class Scales, class Offsets, class Keys, class... Options>
  requires(Kokkos::is_view_v<Offsets> && Kokkos::is_view_v<Keys>)
void rope_store_ragged(RopeFrequencies<Space> const& frequencies,
                       PagedKVCache<T, Params, PageSize, MemorySpace, Scales> const& key_cache,
                       Offsets const& input_row_offsets, Keys const& keys,
                       Options const&... options) {
  rope_store_ragged(typename MemorySpace::execution_space{}, frequencies, key_cache,
                    input_row_offsets, keys, options...);
}
/// \}

}  // namespace KokkosKV

#endif
