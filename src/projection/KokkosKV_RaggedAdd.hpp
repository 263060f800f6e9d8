// kv_cache_ragged_radd(): adds a ragged tensor onto rows that are in the paged cache.
#ifndef KOKKOSKV_RAGGEDADD_HPP
#define KOKKOSKV_RAGGEDADD_HPP

#include <Kokkos_Core.hpp>

#include <cache/KokkosKV_PagedKVCache.hpp>
#include <projection/KokkosKV_SequenceRange.hpp>
#include <projection/impl/KokkosKV_RaggedAddRows.hpp>

namespace KokkosKV {

/// \name kv_cache_ragged_radd
///
/// Adds a ragged input onto rows that the batch has just stored, for some of its sequences alone
/// (those with an adapter, for instance): for sequence `sequences.first + b` and ragged row `r` in
/// `[offsets(b), offsets(b + 1))`, the input's row `r` is added to token
/// `cache_length(sequences.first + b) + (r - offsets(b))`. Sums are in float (double where either
/// side is) and rounded once. Rows whose token has no page are left out, and nothing else in the
/// pool changes.
///
/// Everything is checked before the first write as by kv_cache_store_ragged(), for the sequences of
/// the range; messages number these from 0. With `unchecked` as last argument the contents are not
/// checked, and the call is asynchronous. Quantised caches do not compile.
///
/// \param exec               instance (optional; the default one of the memory space)
/// \param cache              keys or values of a layer
/// \param sequences          which sequences of the batch
/// \param input_row_offsets  uint32 `[sequences.count + 1]`, not decreasing, from 0 to `tokens`
/// \param input              View `[tokens, heads, head_size]` of any layout
/// \throws ShapeError        an extent differs, or the batch has fewer sequences
/// \throws RaggedError       offsets, max_prompt_length or max_cache_length contradict the contents
/// \throws LookupTableError  a page does not exist, or a sequence would outgrow its row
/// \throws ConflictError     two rows would be added in the same slot
/// \{
/// On an execution space instance.
template <class ExecSpace, class T, KVCacheStaticParams Params, int PageSize, class MemorySpace,
          class Scales, class Offsets, class Input, class... Options>
  requires(Kokkos::is_execution_space_v<ExecSpace> && Kokkos::is_view_v<Input>)
void kv_cache_ragged_radd(ExecSpace const& exec,
                          PagedKVCache<T, Params, PageSize, MemorySpace, Scales> const& cache,
                          SequenceRange const& sequences, Offsets const& input_row_offsets,
                          Input const& input, [[maybe_unused]] Options... options) {
  Impl::add_rows<Options...>(Impl::ragged_add_names, exec, {}, sequences, input_row_offsets,
                             Impl::Addition{cache, input});
}

/// On the default instance.
template <class T, KVCacheStaticParams Params, int PageSize, class MemorySpace, class Scales,
          class Offsets, class Input, class... Options>
  requires(Kokkos::is_view_v<Input>)
void kv_cache_ragged_radd(PagedKVCache<T, Params, PageSize, MemorySpace, Scales> const& cache,
                          SequenceRange const& sequences, Offsets const& input_row_offsets,
                          Input const& input, Options... options) {
  kv_cache_ragged_radd(typename MemorySpace::execution_space{}, cache, sequences, input_row_offsets,
                       input, options...);
}
/// \}

/// \name kv_cache_ragged_radd_key_value
///
/// Adds onto the keys and the values of a layer in one launch, after one check; otherwise as
/// kv_cache_ragged_radd(). Both caches must come from the same collection. Also throws ShapeError
/// where the caches do not belong together.
/// \{
/// On an execution space instance.
template <class ExecSpace, class Cache, class Offsets, class Keys, class Values, class... Options>
  requires(Kokkos::is_execution_space_v<ExecSpace> && Kokkos::is_view_v<Keys> &&
           Kokkos::is_view_v<Values>)
void kv_cache_ragged_radd_key_value(ExecSpace const& exec, Cache const& key_cache,
                                    Cache const& value_cache, SequenceRange const& sequences,
                                    Offsets const& input_row_offsets, Keys const& keys,
                                    Values const& values, [[maybe_unused]] Options... options) {
  Impl::check_same_extents<3>(Impl::ragged_add_key_value_names, keys, values);
  Impl::add_rows<Options...>(Impl::ragged_add_key_value_names, exec, {}, sequences,
                             input_row_offsets, Impl::Addition{key_cache, keys},
                             Impl::Addition{value_cache, values});
}

/// On the default instance.
template <class Cache, class Offsets, class Keys, class Values, class... Options>
  requires(!Kokkos::is_execution_space_v<Cache> && Kokkos::is_view_v<Keys> &&
           Kokkos::is_view_v<Values>)
void kv_cache_ragged_radd_key_value(Cache const& key_cache, Cache const& value_cache,
                                    SequenceRange const& sequences,
                                    Offsets const& input_row_offsets, Keys const& keys,
                                    Values const& values, Options... options) {
  kv_cache_ragged_radd_key_value(typename Cache::memory_space::execution_space{}, key_cache,
                                 value_cache, sequences, input_row_offsets, keys, values,
                                 options...);
}
/// \}

}  // namespace KokkosKV

#endif
