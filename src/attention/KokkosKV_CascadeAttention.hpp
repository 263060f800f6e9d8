// cascade_attention(): attention of sequences that share the beginning of their context.
#ifndef KOKKOSKV_CASCADEATTENTION_HPP
#define KOKKOSKV_CASCADEATTENTION_HPP

#include <Kokkos_Core.hpp>

#include <attention/KokkosKV_AttentionParams.hpp>
#include <attention/KokkosKV_AttentionPlan.hpp>
#include <attention/impl/KokkosKV_AttentionLaunch.hpp>
#include <attention/impl/KokkosKV_TableCheck.hpp>

namespace KokkosKV {

/// \name cascade_attention
///
/// paged_attention() with a plan that has shared prefixes (AttentionPlanOptions): the pages of such
/// a prefix are read once for the query rows of all its sequences, the rest of each sequence on its
/// own, and the partial results are joined as merge_attention_states() does it (Ye et al., Cascade
/// Inference, 2024). Results equal those of paged_attention() within rounding.
///
/// First checks that the sequences of a prefix have the same pages for it, which waits for `exec`;
/// with `unchecked` as last argument the pages of the first of them stand for all, and the call is
/// asynchronous.
///
/// \throws LookupTableError  sequences of a shared prefix have different pages for it
/// \throws others            as paged_attention()
/// \{
/// Also writes log-sum-exps.
template <class ExecSpace, class Form, class Query, class KeyCache, class ValueCache, class Offsets,
          class Output, class Lse, class Params = AttentionParams<typename ExecSpace::memory_space>,
          class... Options>
  requires(Kokkos::is_view_v<Lse>)
void cascade_attention(ExecSpace const& exec, AttentionPlan<ExecSpace, Form> const& plan,
                       Query const& q, KeyCache const& key_cache, ValueCache const& value_cache,
                       Offsets const& input_row_offsets, Output const& output, Lse const& lse,
                       Params const& params = {}, [[maybe_unused]] Options... options) {
  Impl::check_shared_pages<Options...>(exec, plan, key_cache, value_cache);
  Impl::run_attention(true, exec, plan, q, key_cache, value_cache, input_row_offsets, output, lse,
                      params);
}

/// Without log-sum-exps.
template <class ExecSpace, class Form, class Query, class KeyCache, class ValueCache, class Offsets,
          class Output, class Params = AttentionParams<typename ExecSpace::memory_space>,
          class... Options>
  requires(!Kokkos::is_view_v<Params>)
void cascade_attention(ExecSpace const& exec, AttentionPlan<ExecSpace, Form> const& plan,
                       Query const& q, KeyCache const& key_cache, ValueCache const& value_cache,
                       Offsets const& input_row_offsets, Output const& output,
                       Params const& params = {}, [[maybe_unused]] Options... options) {
  Impl::check_shared_pages<Options...>(exec, plan, key_cache, value_cache);
  Impl::run_attention(true, exec, plan, q, key_cache, value_cache, input_row_offsets, output,
                      Impl::NoLse{}, params);
}

/// On the default instance of the plan's execution space, with the arguments that follow the plan.
template <class ExecSpace, class Form, class... Arguments>
void cascade_attention(AttentionPlan<ExecSpace, Form> const& plan, Arguments const&... arguments) {
  cascade_attention(ExecSpace{}, plan, arguments...);
}
/// \}

}  // namespace KokkosKV

#endif
