// kv_cache_store_padded(): writes a padded batch of keys or values into the paged cache.
#ifndef KOKKOSKV_STOREPADDED_HPP
#define KOKKOSKV_STOREPADDED_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>

#include <cache/KokkosKV_PagedKVCache.hpp>
#include <store/impl/KokkosKV_RowStore.hpp>

namespace KokkosKV {

/// Shape of a padded input: sequences, rows of the longest one, key/value heads, head size.
using PaddedShape = Kokkos::Array<std::size_t, 4>;

/// \name kv_cache_store_padded
///
/// For sequence `b` and position `s < valid_lengths(b)`, writes the input's row `(b, s)` at token
/// `cache_length(b) + s`. Rows at and after the valid length are neither read nor written. Checks,
/// dropped rows, rounding, `unchecked` and the functor's two forms are those of
/// kv_cache_store_ragged(), the functor's index being `(sequence, position, head, dim)`.
///
/// \param exec           execution space instance (optional; the default one of the memory space)
/// \param cache          keys or values of a layer
/// \param input_shape    `{batch, max_rows, heads, head_size}`
/// \param valid_lengths  uint32 `[batch]`, at most max_rows
/// \param input          functor, or a View `[batch, max_rows, heads, head_size]` of any layout
/// \throws ShapeError        an extent differs
/// \throws RaggedError       lengths, max_prompt_length or max_cache_length contradict the contents
/// \throws LookupTableError  a page does not exist, or a sequence would outgrow its row
/// \throws ConflictError     two rows would be written in the same slot
/// \{
/// From a functor.
template <class ExecSpace, class T, KVCacheStaticParams Params, int PageSize, class MemorySpace,
          class Scales, class Lengths, class Functor, class... Options>
  requires(Kokkos::is_execution_space_v<ExecSpace> && Kokkos::is_view_v<Lengths>)
void kv_cache_store_padded(ExecSpace const& exec,
                           PagedKVCache<T, Params, PageSize, MemorySpace, Scales> const& cache,
                           PaddedShape const& input_shape, Lengths const& valid_lengths,
                           Functor const& input, [[maybe_unused]] Options... options) {
  Impl::store_rows<Options...>(Impl::padded_store_names, exec, {}, input_shape, valid_lengths,
                               Impl::functor_transfer<true>(cache, input));
}

/// From a View.
template <class ExecSpace, class T, KVCacheStaticParams Params, int PageSize, class MemorySpace,
          class Scales, class Lengths, class Input, class... Options>
  requires(Kokkos::is_execution_space_v<ExecSpace> && Kokkos::is_view_v<Input>)
void kv_cache_store_padded(ExecSpace const& exec,
                           PagedKVCache<T, Params, PageSize, MemorySpace, Scales> const& cache,
                           Lengths const& valid_lengths, Input const& input,
                           [[maybe_unused]] Options... options) {
  Impl::store_rows<Options...>(Impl::padded_store_names, exec, {}, Impl::extents<4>(input),
                               valid_lengths, Impl::input_transfer(cache, input));
}

/// From a functor, on the default instance.
template <class T, KVCacheStaticParams Params, int PageSize, class MemorySpace, class Scales,
          class Lengths, class Functor, class... Options>
  requires(Kokkos::is_view_v<Lengths>)
void kv_cache_store_padded(PagedKVCache<T, Params, PageSize, MemorySpace, Scales> const& cache,
                           PaddedShape const& input_shape, Lengths const& valid_lengths,
                           Functor const& input, Options... options) {
  kv_cache_store_padded(typename MemorySpace::execution_space{}, cache, input_shape, valid_lengths,
                        input, options...);
}

/// From a View, on the default instance.
template <class T, KVCacheStaticParams Params, int PageSize, class MemorySpace, class Scales,
          class Lengths, class Input, class... Options>
  requires(Kokkos::is_view_v<Lengths> && Kokkos::is_view_v<Input>)
void kv_cache_store_padded(PagedKVCache<T, Params, PageSize, MemorySpace, Scales> const& cache,
                           Lengths const& valid_lengths, Input const& input, Options... options) {
  kv_cache_store_padded(typename MemorySpace::execution_space{}, cache, valid_lengths, input,
                        options...);
}
/// \}

/// \name kv_cache_store_padded_key_value
///
/// Stores the keys and the values of a layer in one launch, after one check; otherwise as
/// kv_cache_store_padded(). Both caches must come from the same collection. Also throws ShapeError
/// where the caches do not belong together.
/// \{
/// From functors.
template <class ExecSpace, class Cache, class Lengths, class KeyFunctor, class ValueFunctor,
          class... Options>
  requires(Kokkos::is_execution_space_v<ExecSpace> && Kokkos::is_view_v<Lengths>)
void kv_cache_store_padded_key_value(ExecSpace const& exec, Cache const& key_cache,
                                     Cache const& value_cache, PaddedShape const& input_shape,
                                     Lengths const& valid_lengths, KeyFunctor const& keys,
                                     ValueFunctor const& values,
                                     [[maybe_unused]] Options... options) {
  Impl::store_rows<Options...>(Impl::padded_key_value_names, exec, {}, input_shape, valid_lengths,
                               Impl::functor_transfer<true>(key_cache, keys),
                               Impl::functor_transfer<true>(value_cache, values));
}

/// From Views.
template <class ExecSpace, class Cache, class Lengths, class Keys, class Values, class... Options>
  requires(Kokkos::is_execution_space_v<ExecSpace> && Kokkos::is_view_v<Keys> &&
           Kokkos::is_view_v<Values>)
void kv_cache_store_padded_key_value(ExecSpace const& exec, Cache const& key_cache,
                                     Cache const& value_cache, Lengths const& valid_lengths,
                                     Keys const& keys, Values const& values,
                                     [[maybe_unused]] Options... options) {
  Impl::check_same_extents<4>(Impl::padded_key_value_names, keys, values);
  Impl::store_rows<Options...>(Impl::padded_key_value_names, exec, {}, Impl::extents<4>(keys),
                               valid_lengths, Impl::input_transfer(key_cache, keys),
                               Impl::input_transfer(value_cache, values));
}
/// With functors, on the default instance of the memory space.
template <class Cache, class Lengths, class KeyFunctor, class ValueFunctor, class... Options>
  requires(!Kokkos::is_execution_space_v<Cache> && Kokkos::is_view_v<Lengths>)
void kv_cache_store_padded_key_value(Cache const& key_cache, Cache const& value_cache,
                                     PaddedShape const& input_shape, Lengths const& valid_lengths,
                                     KeyFunctor const& keys, ValueFunctor const& values,
                                     Options... options) {
  kv_cache_store_padded_key_value(typename Cache::memory_space::execution_space{}, key_cache,
                                  value_cache, input_shape, valid_lengths, keys, values,
                                  options...);
}

/// With Views, on the default instance of the memory space.
template <class Cache, class Lengths, class Keys, class Values, class... Options>
  requires(!Kokkos::is_execution_space_v<Cache> && Kokkos::is_view_v<Keys> &&
           Kokkos::is_view_v<Values>)
void kv_cache_store_padded_key_value(Cache const& key_cache, Cache const& value_cache,
                                     Lengths const& valid_lengths, Keys const& keys,
                                     Values const& values, Options... options) {
  kv_cache_store_padded_key_value(typename Cache::memory_space::execution_space{}, key_cache,
                                  value_cache, valid_lengths, keys, values, options...);
}
/// \}

}  // namespace KokkosKV

#endif
