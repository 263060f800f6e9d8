// kv_cache_store_ragged(): writes a ragged batch of keys or values into the paged cache.
#ifndef KOKKOSKV_STORERAGGED_HPP
#define KOKKOSKV_STORERAGGED_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>

#include <cache/KokkosKV_PagedKVCache.hpp>
#include <store/impl/KokkosKV_RowStore.hpp>

namespace KokkosKV {

/// Shape of a ragged input: tokens of the whole batch, key/value heads, head size.
using RaggedShape = Kokkos::Array<std::size_t, 3>;

/// \name kv_cache_store_ragged
///
/// For sequence `b` and ragged row `r` in `[offsets(b), offsets(b + 1))`, writes the input's row
/// `r` at token `cache_length(b) + (r - offsets(b))`. Nothing else in the pool changes. Rows whose
/// token has no page (null_page) are dropped. Values are rounded to nearest even when the storage
/// type is narrower.
///
/// Everything is checked before the first write, which waits for `exec`; with `unchecked` as last
/// argument the contents are not, and the call is asynchronous.
///
/// The functor is one of
/// - elements: `value operator()(std::size_t row, int head, int dim) const`;
/// - vectors: a member type `value_type` and
///   `template <int Width, std::size_t Alignment>
///   SimdVector<value_type, Width> operator()(std::size_t row, int head, int dim) const`,
///   which gives elements `[dim, dim + Width)`. `Alignment` (bytes) divides the byte offset of
///   (row, head, dim) in a packed array, so that a functor over such an array at an aligned
///   address may load the vector in one access: `load_vector<Width, Alignment>(pointer)`.
///
/// \param exec               instance (optional; the default one of the memory space)
/// \param cache              keys or values of a layer
/// \param input_shape        `{tokens, heads, head_size}`
/// \param input_row_offsets  uint32 `[batch + 1]`, not decreasing, from 0 to `tokens`
/// \param input              functor, or a View `[tokens, heads, head_size]` of any layout
/// \throws ShapeError        an extent differs
/// \throws RaggedError       offsets, max_prompt_length or max_cache_length contradict the contents
/// \throws LookupTableError  a page does not exist, or a sequence would outgrow its row
/// \throws ConflictError     two rows would be written in the same slot
/// \{
/// From a functor.
template <class ExecSpace, class T, KVCacheStaticParams Params, int PageSize, class MemorySpace,
          class Scales, class Offsets, class Functor, class... Options>
  requires(Kokkos::is_execution_space_v<ExecSpace> && Kokkos::is_view_v<Offsets>)
void kv_cache_store_ragged(ExecSpace const& exec,
                           PagedKVCache<T, Params, PageSize, MemorySpace, Scales> const& cache,
                           RaggedShape const& input_shape, Offsets const& input_row_offsets,
                           Functor const& input, [[maybe_unused]] Options... options) {
  Impl::store_rows<Options...>(Impl::ragged_store_names, exec, {}, input_shape, input_row_offsets,
                               Impl::functor_transfer<false>(cache, input));
}

/// From a View.
template <class ExecSpace, class T, KVCacheStaticParams Params, int PageSize, class MemorySpace,
          class Scales, class Offsets, class Input, class... Options>
  requires(Kokkos::is_execution_space_v<ExecSpace> && Kokkos::is_view_v<Input>)
void kv_cache_store_ragged(ExecSpace const& exec,
                           PagedKVCache<T, Params, PageSize, MemorySpace, Scales> const& cache,
                           Offsets const& input_row_offsets, Input const& input,
                           [[maybe_unused]] Options... options) {
  Impl::store_rows<Options...>(Impl::ragged_store_names, exec, {}, Impl::extents<3>(input),
                               input_row_offsets, Impl::input_transfer(cache, input));
}

/// From a functor, on the default instance.
template <class T, KVCacheStaticParams Params, int PageSize, class MemorySpace, class Scales,
          class Offsets, class Functor, class... Options>
  requires(Kokkos::is_view_v<Offsets>)
void kv_cache_store_ragged(PagedKVCache<T, Params, PageSize, MemorySpace, Scales> const& cache,
                           RaggedShape const& input_shape, Offsets const& input_row_offsets,
                           Functor const& input, Options... options) {
  kv_cache_store_ragged(typename MemorySpace::execution_space{}, cache, input_shape,
                        input_row_offsets, input, options...);
}

/// From a View, on the default instance.
template <class T, KVCacheStaticParams Params, int PageSize, class MemorySpace, class Scales,
          class Offsets, class Input, class... Options>
  requires(Kokkos::is_view_v<Offsets> && Kokkos::is_view_v<Input>)
void kv_cache_store_ragged(PagedKVCache<T, Params, PageSize, MemorySpace, Scales> const& cache,
                           Offsets const& input_row_offsets, Input const& input,
                           Options... options) {
  kv_cache_store_ragged(typename MemorySpace::execution_space{}, cache, input_row_offsets, input,
                        options...);
}
/// \}

/// \name kv_cache_store_ragged_key_value
///
/// Stores the keys and the values of a layer in one launch, after one check; otherwise as
/// kv_cache_store_ragged(). Both caches must come from the same collection; the inputs may be two
/// functors or two Views. Also throws ShapeError where the caches do not belong together.
/// \{
/// From functors.
template <class ExecSpace, class Cache, class Offsets, class KeyFunctor, class ValueFunctor,
          class... Options>
  requires(Kokkos::is_execution_space_v<ExecSpace> && Kokkos::is_view_v<Offsets>)
void kv_cache_store_ragged_key_value(ExecSpace const& exec, Cache const& key_cache,
                                     Cache const& value_cache, RaggedShape const& input_shape,
                                     Offsets const& input_row_offsets, KeyFunctor const& keys,
                                     ValueFunctor const& values,
                                     [[maybe_unused]] Options... options) {
  Impl::store_rows<Options...>(Impl::ragged_key_value_names, exec, {}, input_shape,
                               input_row_offsets, Impl::functor_transfer<false>(key_cache, keys),
                               Impl::functor_transfer<false>(value_cache, values));
}

/// From Views.
template <class ExecSpace, class Cache, class Offsets, class Keys, class Values, class... Options>
  requires(Kokkos::is_execution_space_v<ExecSpace> && Kokkos::is_view_v<Keys> &&
           Kokkos::is_view_v<Values>)
void kv_cache_store_ragged_key_value(ExecSpace const& exec, Cache const& key_cache,
                                     Cache const& value_cache, Offsets const& input_row_offsets,
                                     Keys const& keys, Values const& values,
                                     [[maybe_unused]] Options... options) {
  Impl::check_same_extents<3>(Impl::ragged_key_value_names, keys, values);
  Impl::store_rows<Options...>(Impl::ragged_key_value_names, exec, {}, Impl::extents<3>(keys),
                               input_row_offsets, Impl::input_transfer(key_cache, keys),
                               Impl::input_transfer(value_cache, values));
}
/// With functors, on the default instance of the memory space.
template <class Cache, class Offsets, class KeyFunctor, class ValueFunctor, class... Options>
  requires(!Kokkos::is_execution_space_v<Cache> && Kokkos::is_view_v<Offsets>)
void kv_cache_store_ragged_key_value(Cache const& key_cache, Cache const& value_cache,
                                     RaggedShape const& input_shape,
                                     Offsets const& input_row_offsets, KeyFunctor const& keys,
                                     ValueFunctor const& values, Options... options) {
  kv_cache_store_ragged_key_value(typename Cache::memory_space::execution_space{}, key_cache,
                                  value_cache, input_shape, input_row_offsets, keys, values,
                                  options...);
}

/// With Views, on the default instance of the memory space.
template <class Cache, class Offsets, class Keys, class Values, class... Options>
  requires(!Kokkos::is_execution_space_v<Cache> && Kokkos::is_view_v<Keys> &&
           Kokkos::is_view_v<Values>)
void kv_cache_store_ragged_key_value(Cache const& key_cache, Cache const& value_cache,
                                     Offsets const& input_row_offsets, Keys const& keys,
                                     Values const& values, Options... options) {
  kv_cache_store_ragged_key_value(typename Cache::memory_space::execution_space{}, key_cache,
                                  value_cache, input_row_offsets, keys, values, options...);
}
/// \}

}  // namespace KokkosKV

#endif
