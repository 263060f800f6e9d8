// rms_norm_ragged() and rms_norm_key_cache(): RMSNorm of the heads of queries and keys.
#ifndef KOKKOSKV_RMSNORM_HPP
#define KOKKOSKV_RMSNORM_HPP

#include <Kokkos_Core.hpp>

#include <cache/KokkosKV_PagedKVCache.hpp>
#include <projection/KokkosKV_RmsNormParams.hpp>
#include <projection/impl/KokkosKV_RmsNormRows.hpp>
#include <store/KokkosKV_StoreRagged.hpp>

namespace KokkosKV {

/// \name rms_norm_ragged
///
/// Normalises every head of every row in place: element `x(d)` becomes
/// `x(d) / sqrt(mean of x^2 + epsilon) * (weight(d) + weight_offset)`. Sums are in float (double
/// for rows of double), and the result is rounded once. Zhang and Sennrich, "Root Mean Square Layer
/// Normalization" (2019). Shapes are all that is checked: the call is asynchronous.
///
/// \param exec    instance (optional; the default one of the memory space)
/// \param rows    View `[rows, heads, head_size]` of any layout: float, double, half or bf16
/// \param weight  View `[head_size]`: float, double, half or bf16
/// \param params  epsilon and weight_offset
/// \throws ShapeError  an extent or stride differs, or epsilon has no meaning
/// \{
/// On an execution space instance.
template <class ExecSpace, class Rows, class Weight>
  requires(Kokkos::is_execution_space_v<ExecSpace>)
void rms_norm_ragged(ExecSpace const& exec, Rows const& rows, Weight const& weight,
                     RmsNormParams const& params = {}) {
  Impl::norm_rows(exec, {}, rows, weight, params);
}

/// On the default instance.
template <class Rows, class Weight>
  requires(Kokkos::is_view_v<Rows>)
void rms_norm_ragged(Rows const& rows, Weight const& weight, RmsNormParams const& params = {}) {
  rms_norm_ragged(typename Rows::execution_space{}, rows, weight, params);
}
/// \}

/// \name rms_norm_key_cache
///
/// Normalises the keys of a layer that the same batch has just stored, as rms_norm_ragged() does:
/// for sequence `b` and ragged row `r` in `[offsets(b), offsets(b + 1))`, every head of token
/// `cache_length(b) + (r - offsets(b))`. Rows whose token has no page are left out, and nothing
/// else in the pool changes. Everything is checked before the first write as by
/// kv_cache_store_ragged(); with `unchecked` as last argument the contents are not, and the call is
/// asynchronous. Quantised and MLA caches do not compile.
///
/// \param exec               instance (optional; the default one of the memory space)
/// \param key_cache          keys of a layer
/// \param input_shape        `{tokens, heads, head_size}` of what was stored
/// \param input_row_offsets  uint32 `[batch + 1]`, not decreasing, from 0 to `tokens`
/// \param weight             View `[head_size]`: float, double, half or bf16
/// \param params             epsilon and weight_offset
/// \throws ShapeError        an extent or stride differs, or epsilon has no meaning
/// \throws RaggedError       offsets, max_prompt_length or max_cache_length contradict the contents
/// \throws LookupTableError  a page does not exist, or a sequence would outgrow its row
/// \throws ConflictError     two rows lie in the same slot
/// \{
/// On an execution space instance.
template <class ExecSpace, class T, KVCacheStaticParams Params, int PageSize, class MemorySpace,
          class Scales, class Offsets, class Weight, class... Options>
  requires(Kokkos::is_execution_space_v<ExecSpace>)
void rms_norm_key_cache(ExecSpace const& exec,
                        PagedKVCache<T, Params, PageSize, MemorySpace, Scales> const& key_cache,
                        RaggedShape const& input_shape, Offsets const& input_row_offsets,
                        Weight const& weight, RmsNormParams const& params,
                        [[maybe_unused]] Options... options) {
  Impl::norm_keys<Options...>(exec, {}, key_cache, input_shape, input_row_offsets, weight, params);
}

/// On the default instance.
template <class T, KVCacheStaticParams Params, int PageSize, class MemorySpace, class Scales,
          class Offsets, class Weight, class... Options>
void rms_norm_key_cache(PagedKVCache<T, Params, PageSize, MemorySpace, Scales> const& key_cache,
                        RaggedShape const& input_shape, Offsets const& input_row_offsets,
                        Weight const& weight, RmsNormParams const& params, Options... options) {
  rms_norm_key_cache(typename MemorySpace::execution_space{}, key_cache, input_shape,
                     input_row_offsets, weight, params, options...);
}
/// \}

}  // namespace KokkosKV

#endif
