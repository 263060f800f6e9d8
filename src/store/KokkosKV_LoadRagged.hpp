// kv_cache_load_ragged(): gathers a range of tokens of every sequence from the paged cache.
#ifndef KOKKOSKV_LOADRAGGED_HPP
#define KOKKOSKV_LOADRAGGED_HPP

#include <Kokkos_Core.hpp>

#include <cache/KokkosKV_PagedKVCache.hpp>
#include <store/impl/KokkosKV_RaggedLoad.hpp>

namespace KokkosKV {

/// \name kv_cache_load_ragged
///
/// For sequence `b` and ragged row `r` in `[offsets(b), offsets(b + 1))`, writes token
/// `first_tokens(b) + (r - offsets(b))` to the output's row `r`; zeros where the token has no page.
/// Any token that the sequence's row of the lookup table can name may be read. Checks and
/// `unchecked` are those of kv_cache_store_ragged().
///
/// \param exec                instance (optional; the default one of the memory space)
/// \param cache               keys or values of a layer
/// \param first_tokens        uint32 `[batch]`: where each sequence's range begins
/// \param output_row_offsets  uint32 `[batch + 1]`, not decreasing, from 0 to `output.extent(0)`
/// \param output              View `[tokens, heads, head_size]` of any layout
/// \throws ShapeError         an extent differs
/// \throws RaggedError        offsets decrease or do not end at the number of tokens
/// \throws LookupTableError   a page does not exist, or a range ends past the sequence's row
/// \{
/// On an execution space instance.
template <class ExecSpace, class T, KVCacheStaticParams Params, int PageSize, class MemorySpace,
          class Scales, class FirstTokens, class Offsets, class Output, class... Options>
  requires(Kokkos::is_execution_space_v<ExecSpace>)
void kv_cache_load_ragged(ExecSpace const& exec,
                          PagedKVCache<T, Params, PageSize, MemorySpace, Scales> const& cache,
                          FirstTokens const& first_tokens, Offsets const& output_row_offsets,
                          Output const& output, [[maybe_unused]] Options... options) {
  Impl::load_ragged<Options...>(exec, {}, cache, first_tokens, output_row_offsets, output);
}

/// On the default instance.
template <class T, KVCacheStaticParams Params, int PageSize, class MemorySpace, class Scales,
          class FirstTokens, class Offsets, class Output, class... Options>
void kv_cache_load_ragged(PagedKVCache<T, Params, PageSize, MemorySpace, Scales> const& cache,
                          FirstTokens const& first_tokens, Offsets const& output_row_offsets,
                          Output const& output, Options... options) {
  kv_cache_load_ragged(typename MemorySpace::execution_space{}, cache, first_tokens,
                       output_row_offsets, output, options...);
}
/// \}

}  // namespace KokkosKV

#endif
