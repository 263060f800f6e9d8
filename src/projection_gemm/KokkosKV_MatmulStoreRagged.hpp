// qkv_matmul_store_ragged() and its kin: products with weights whose results go into the cache.
// Needs Kokkos Kernels.
#ifndef KOKKOSKV_MATMULSTORERAGGED_HPP
#define KOKKOSKV_MATMULSTORERAGGED_HPP

#include <Kokkos_Core.hpp>

#include <tuple>

#include <cache/KokkosKV_PagedKVCache.hpp>
#include <projection_gemm/KokkosKV_LinearWeights.hpp>
#include <projection_gemm/KokkosKV_ProjectionPlan.hpp>
#include <projection_gemm/impl/KokkosKV_MatmulStore.hpp>

namespace KokkosKV {

/// \name qkv_matmul_store_ragged
///
/// Multiplies hidden states with the weights of queries, keys and values: queries go to an output,
/// keys and values straight into the caches of a layer, where ragged row `r` of sequence `b`
/// becomes token `cache_length(b) + (r - offsets(b))`. Products are those of `KokkosBlas::gemm`, in
/// the type of the plan; the caches may have another, to which results are rounded once. Rows whose
/// token has no page are left out of the caches, and nothing else in the pool changes.
///
/// Everything is checked before the first write as by kv_cache_store_ragged(), which waits for
/// `exec`; with the option `unchecked` the contents are not, and the call is as asynchronous as the
/// products are.
///
/// With RopeFrequencies among the options queries and keys are rotated as by rope_ragged() and
/// rope_store_ragged(): queries where they lie, keys on their way into the cache. Then key caches
/// that are quantised or MLA do not compile.
///
/// \param exec               instance (optional; the default one of the plan's execution space)
/// \param plan               ProjectionPlan with at least `2 * heads * head_size` outputs
/// \param key_cache          keys of a layer
/// \param value_cache        values of a layer of the same collection
/// \param input_row_offsets  uint32 `[batch + 1]`, not decreasing, from 0 to `tokens`
/// \param hidden             View `[tokens, dim]`, rows packed in themselves
/// \param weights            QueryKeyValueWeights, or LinearWeights with the rows of queries, keys
///                           and values in this order
/// \param queries            View `[tokens, query heads, head size]`, rows packed in themselves
/// \param options            in any order: RopeFrequencies, with these PositionIds, and `unchecked`
/// \throws ShapeError        an extent or stride differs, the plan is too small, the caches do not
///                           belong together, or heads are shorter than rotary_dim
/// \throws RaggedError       offsets, max_prompt_length or max_cache_length contradict the contents
/// \throws LookupTableError  a page does not exist, or a sequence would outgrow its row
/// \throws ConflictError     two rows would be written in the same slot
/// \{
/// On an execution space instance.
template <class ExecSpace, class Real, class KeyCache, class ValueCache, class Offsets,
          class Hidden, class Weights, class Queries, class... Options>
  requires(Kokkos::is_execution_space_v<ExecSpace>)
void qkv_matmul_store_ragged(ExecSpace const& exec, ProjectionPlan<Real, ExecSpace> const& plan,
                             KeyCache const& key_cache, ValueCache const& value_cache,
                             Offsets const& input_row_offsets, Hidden const& hidden,
                             Weights const& weights, Queries const& queries,
                             Options const&... options) {
  Impl::matmul_store(Impl::qkv_matmul_names, exec, {}, plan, input_row_offsets, hidden, weights,
                     queries, std::tie(options...), key_cache, value_cache);
}

/// On the default instance.
template <class Real, class ExecSpace, class KeyCache, class ValueCache, class Offsets,
          class Hidden, class Weights, class Queries, class... Options>
void qkv_matmul_store_ragged(ProjectionPlan<Real, ExecSpace> const& plan, KeyCache const& key_cache,
                             ValueCache const& value_cache, Offsets const& input_row_offsets,
                             Hidden const& hidden, Weights const& weights, Queries const& queries,
                             Options const&... options) {
  qkv_matmul_store_ragged(ExecSpace{}, plan, key_cache, value_cache, input_row_offsets, hidden,
                          weights, queries, options...);
}
/// \}

/// \name kv_matmul_store_ragged
///
/// Keys and values alone, as for cross-attention; otherwise as qkv_matmul_store_ragged(). Weights
/// are KeyValueWeights, or LinearWeights with the rows of keys and values in this order.
/// \{
/// On an execution space instance.
template <class ExecSpace, class Real, class KeyCache, class ValueCache, class Offsets,
          class Hidden, class Weights, class... Options>
  requires(Kokkos::is_execution_space_v<ExecSpace>)
void kv_matmul_store_ragged(ExecSpace const& exec, ProjectionPlan<Real, ExecSpace> const& plan,
                            KeyCache const& key_cache, ValueCache const& value_cache,
                            Offsets const& input_row_offsets, Hidden const& hidden,
                            Weights const& weights, Options const&... options) {
  Impl::matmul_store(Impl::kv_matmul_names, exec, {}, plan, input_row_offsets, hidden, weights,
                     Impl::NoQueries{}, std::tie(options...), key_cache, value_cache);
}

/// On the default instance.
template <class Real, class ExecSpace, class KeyCache, class ValueCache, class Offsets,
          class Hidden, class Weights, class... Options>
void kv_matmul_store_ragged(ProjectionPlan<Real, ExecSpace> const& plan, KeyCache const& key_cache,
                            ValueCache const& value_cache, Offsets const& input_row_offsets,
                            Hidden const& hidden, Weights const& weights,
                            Options const&... options) {
  kv_matmul_store_ragged(ExecSpace{}, plan, key_cache, value_cache, input_row_offsets, hidden,
                         weights, options...);
}
/// \}

/// \name k_matmul_store_ragged
///
/// Into one cache: keys alone, or the latent of an MLA model; otherwise as
/// qkv_matmul_store_ragged(). The plan has at least `heads * head_size` outputs, and weights are
/// LinearWeights.
/// \{
/// On an execution space instance.
template <class ExecSpace, class Real, class Cache, class Offsets, class Hidden, class Weight,
          class Bias, class... Options>
  requires(Kokkos::is_execution_space_v<ExecSpace>)
void k_matmul_store_ragged(ExecSpace const& exec, ProjectionPlan<Real, ExecSpace> const& plan,
                           Cache const& cache, Offsets const& input_row_offsets,
                           Hidden const& hidden, LinearWeights<Weight, Bias> const& weights,
                           Options const&... options) {
  Impl::matmul_store(Impl::k_matmul_names, exec, {}, plan, input_row_offsets, hidden, weights,
                     Impl::NoQueries{}, std::tie(options...), cache);
}

/// On the default instance.
template <class Real, class ExecSpace, class Cache, class Offsets, class Hidden, class Weight,
          class Bias, class... Options>
void k_matmul_store_ragged(ProjectionPlan<Real, ExecSpace> const& plan, Cache const& cache,
                           Offsets const& input_row_offsets, Hidden const& hidden,
                           LinearWeights<Weight, Bias> const& weights, Options const&... options) {
  k_matmul_store_ragged(ExecSpace{}, plan, cache, input_row_offsets, hidden, weights, options...);
}
/// \}

}  // namespace KokkosKV

#endif
