// rope_ragged() and rope_key_cache(): rotary embedding of a ragged batch's queries and keys.
#ifndef KOKKOSKV_ROPERAGGED_HPP
#define KOKKOSKV_ROPERAGGED_HPP

#include <Kokkos_Core.hpp>

#include <cache/KokkosKV_PagedKVCache.hpp>
#include <projection/KokkosKV_PositionIds.hpp>
#include <projection/KokkosKV_RopeFrequencies.hpp>
#include <projection/impl/KokkosKV_RopeRows.hpp>
#include <store/KokkosKV_StoreRagged.hpp>

namespace KokkosKV {

/// \name rope_ragged
///
/// Rotates the first `rotary_dim` elements of every head of every query row in place: with the
/// angle `a = position * inverse_frequency(i)`, pair `(x, y)` number `i` becomes
/// `m (x cos a - y sin a, x sin a + y cos a)`, where `m` is the attention factor. The position of
/// ragged row `r` of sequence `b` is `cache_length(b) + (r - offsets(b))`, or `ids(r)` with the
/// option PositionIds. Su et al., "RoFormer" (2021).
///
/// Angles are those of the double frequencies to a relative 2^-52 and to 2^-62 radians a position:
/// positions up to 2^32 lose no bit of a float. Products are computed in float (double for rows of
/// double) and rounded once. Everything is checked before the first write as by
/// kv_cache_store_ragged(); with `unchecked` the contents are not, and the call is asynchronous.
///
/// Queries of an MLA model turn in their last elements: pass a subview of these.
///
/// \param exec               instance (optional; the default one of the memory space)
/// \param frequencies        RopeFrequencies of the model
/// \param cache              keys or values of any layer, whose batch the rows belong to
/// \param input_row_offsets  uint32 `[batch + 1]`, not decreasing, from 0 to the number of rows
/// \param queries            View `[rows, num_q_heads, head_size]` of any layout: float, double,
///                           half or bf16
/// \param options            in any order: PositionIds, and `unchecked`
/// \throws ShapeError        an extent differs, or heads are shorter than rotary_dim
/// \throws RaggedError       offsets, max_prompt_length or max_cache_length contradict the contents
/// \throws LookupTableError  a page does not exist, or a sequence would outgrow its row
/// \{
/// On an execution space instance.
template <class ExecSpace, class Space, class T, KVCacheStaticParams Params, int PageSize,
          class MemorySpace, class Scales, class Offsets, class Queries, class... Options>
  requires(Kokkos::is_execution_space_v<ExecSpace>)
void rope_ragged(ExecSpace const& exec, RopeFrequencies<Space> const& frequencies,
                 PagedKVCache<T, Params, PageSize, MemorySpace, Scales> const& cache,
                 Offsets const& input_row_offsets, Queries const& queries,
                 Options const&... options) {
  Impl::rope_queries(exec, {}, frequencies, cache, input_row_offsets, queries, options...);
}

/// On the default instance.
template <class Space, class T, KVCacheStaticParams Params, int PageSize, class MemorySpace,
          class Scales, class Offsets, class Queries, class... Options>
void rope_ragged(RopeFrequencies<Space> const& frequencies,
                 PagedKVCache<T, Params, PageSize, MemorySpace, Scales> const& cache,
                 Offsets const& input_row_offsets, Queries const& queries,
                 Options const&... options) {
  rope_ragged(typename MemorySpace::execution_space{}, frequencies, cache, input_row_offsets,
              queries, options...);
}
/// \}

/// \name rope_key_cache
///
/// Rotates the keys of a layer that the same batch has just stored: for sequence `b` and ragged row
/// `r` in `[offsets(b), offsets(b + 1))`, token `cache_length(b) + (r - offsets(b))`. Rotation,
/// position and options are those of rope_ragged(); rows whose token has no page are left out, and
/// nothing else in the pool changes. Rows are rounded to the storage type a second time: where that
/// matters, rotate them before they are stored. Quantised and MLA caches do not compile.
///
/// \param exec               instance (optional; the default one of the memory space)
/// \param frequencies        RopeFrequencies of the model
/// \param key_cache          keys of a layer
/// \param input_shape        `{tokens, heads, head_size}` of what was stored
/// \param input_row_offsets  uint32 `[batch + 1]`, not decreasing, from 0 to `tokens`
/// \param options            in any order: PositionIds, and `unchecked`
/// \throws ConflictError     two rows lie in the same slot; otherwise as rope_ragged()
/// \{
/// On an execution space instance.
template <class ExecSpace, class Space, class T, KVCacheStaticParams Params, int PageSize,
          class MemorySpace, class Scales, class Offsets, class... Options>
  requires(Kokkos::is_execution_space_v<ExecSpace>)
void rope_key_cache(ExecSpace const& exec, RopeFrequencies<Space> const& frequencies,
                    PagedKVCache<T, Params, PageSize, MemorySpace, Scales> const& key_cache,
                    RaggedShape const& input_shape, Offsets const& input_row_offsets,
                    Options const&... options) {
  Impl::rope_keys(exec, {}, frequencies, key_cache, input_shape, input_row_offsets, options...);
}

/// On the default instance.
template <class Space, class T, KVCacheStaticParams Params, int PageSize, class MemorySpace,
          class Scales, class Offsets, class... Options>
void rope_key_cache(RopeFrequencies<Space> const& frequencies,
                    PagedKVCache<T, Params, PageSize, MemorySpace, Scales> const& key_cache,
                    RaggedShape const& input_shape, Offsets const& input_row_offsets,
                    Options const&... options) {
  rope_key_cache(typename MemorySpace::execution_space{}, frequencies, key_cache, input_shape,
                 input_row_offsets, options...);
}
/// \}

}  // namespace KokkosKV

#endif
