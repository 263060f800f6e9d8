// paged_attention(): attention over keys and values that lie in pages.
#ifndef KOKKOSKV_PAGEDATTENTION_HPP
#define KOKKOSKV_PAGEDATTENTION_HPP

#include <Kokkos_Core.hpp>

#include <attention/KokkosKV_AttentionParams.hpp>
#include <attention/KokkosKV_AttentionPlan.hpp>
#include <attention/impl/KokkosKV_AttentionLaunch.hpp>

namespace KokkosKV {

/// \name paged_attention
///
/// For each ragged query row `r` of sequence `b`, which stands at token
/// `cache_length(b) + (r - input_row_offsets(b))`, and each query head `h`: the mean of the values
/// of key/value head `h / group`, weighted by the softmax of the logits of the keys that the row
/// sees. What it sees, and what becomes of its logits, is told by AttentionParams. Keys and values
/// of the step itself must have been stored before, by kv_cache_store_ragged().
///
/// A row that sees no key gets output 0 and log-sum-exp -inf. Keys in pages that are not there
/// (null_page) are not seen. A key that a row does not see, or whose weight is zero in float, has
/// no influence on the row, whatever numbers lie there.
///
/// Logits, weights and sums are float, whatever the storage types are. With a deterministic plan
/// the bits of a sequence's results depend on nothing but that sequence.
///
/// The call allocates nothing and is asynchronous. Its arguments are checked against the plan
/// before anything is launched; on hosts also the contents of the offsets and cache lengths. The
/// contents of lookup tables are checked by make_attention_plan(): once a step, not once a layer.
///
/// \param exec               execution space instance
/// \param plan               of this step; used by one call at a time
/// \param q                  `[tokens, query_heads, head_size]`, float, half or bf16, any layout
/// \param key_cache          keys of a layer
/// \param value_cache        values of the layer, with their own head size and page size; the key
///                           cache again where values are the first elements of keys (MLA)
/// \param input_row_offsets  uint32 `[batch + 1]`, as in the plan
/// \param output             `[tokens, query_heads, value_head_size]`, types and layouts as of q
/// \param params             must have the plan's visibility
/// \throws ShapeError        an extent or parameter differs from the plan's, or is out of range
/// \throws RaggedError       offsets or cache lengths differ from the plan's (hosts)
/// \throws LookupTableError  a sequence is longer than its row of the lookup table
/// \{
/// Also writes the natural logarithm of the sum of the exponentials of the logits.
/// \param lse  float `[tokens, query_heads]`, any layout
template <class ExecSpace, class Form, class Query, class KeyCache, class ValueCache, class Offsets,
          class Output, class Lse, class Params = AttentionParams<typename ExecSpace::memory_space>>
  requires(Kokkos::is_view_v<Lse>)
void paged_attention(ExecSpace const& exec, AttentionPlan<ExecSpace, Form> const& plan,
                     Query const& q, KeyCache const& key_cache, ValueCache const& value_cache,
                     Offsets const& input_row_offsets, Output const& output, Lse const& lse,
                     Params const& params = {}) {
  Impl::run_attention(false, exec, plan, q, key_cache, value_cache, input_row_offsets, output, lse,
                      params);
}

/// Without log-sum-exps.
template <class ExecSpace, class Form, class Query, class KeyCache, class ValueCache, class Offsets,
          class Output, class Params = AttentionParams<typename ExecSpace::memory_space>>
  requires(!Kokkos::is_view_v<Params>)
void paged_attention(ExecSpace const& exec, AttentionPlan<ExecSpace, Form> const& plan,
                     Query const& q, KeyCache const& key_cache, ValueCache const& value_cache,
                     Offsets const& input_row_offsets, Output const& output,
                     Params const& params = {}) {
  Impl::run_attention(false, exec, plan, q, key_cache, value_cache, input_row_offsets, output,
                      Impl::NoLse{}, params);
}

/// On the default instance of the plan's execution space, with the arguments that follow the plan.
template <class ExecSpace, class Form, class... Arguments>
void paged_attention(AttentionPlan<ExecSpace, Form> const& plan, Arguments const&... arguments) {
  paged_attention(ExecSpace{}, plan, arguments...);
}
/// \}

}  // namespace KokkosKV

#endif
