// From the arguments of a public call to its kernels.
#ifndef KOKKOSKV_IMPL_ATTENTIONLAUNCH_HPP
#define KOKKOSKV_IMPL_ATTENTIONLAUNCH_HPP

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <attention/impl/KokkosKV_AttentionCall.hpp>
#include <attention/impl/KokkosKV_AttentionCheck.hpp>
#include <attention/impl/KokkosKV_PlanSizes.hpp>
#include <attention/impl/KokkosKV_StateMerge.hpp>
#include <cache/impl/KokkosKV_Check.hpp>

namespace KokkosKV::Impl {

/// Where log-sum-exps go, or that they are not wanted.
struct NoLse {};
inline LseArray lse_array(NoLse /*none*/) { return {nullptr, {}}; }
template <class Lse>
LseArray lse_array(Lse const& lse) {
  return {lse.data(), strides<2>(lse)};
}

/// Numbers of each query head; null for an empty View, which may well have an address.
template <class ViewType>
float const* per_head_data(ViewType const& view) {
  return view.extent(0) == 0 ? nullptr : view.data();
}

template <class Mask, class Score, class Params>
ScoreRule<Mask, Score> score_rule(Params const& params, int head_size) {
  auto const scale = params.scale.value_or(1.0f / std::sqrt(static_cast<float>(head_size)));
  return {params.visibility,
          scale,
          params.soft_cap,
          per_head_data(params.alibi_slopes),
          per_head_data(params.sink_logits),
          params.mask,
          params.score};
}

/// Checks a call, then runs its units and merges the states of rows that have several.
template <class ExecSpace, class Form, template <class, class> class PlanOf, class Query,
          class KeyCache, class ValueCache, class Offsets, class Output, class Lse, class Params>
void run_attention(bool cascade, ExecSpace const& exec, PlanOf<ExecSpace, Form> const& plan,
                   Query const& queries, KeyCache const& keys, ValueCache const& values,
                   Offsets const& offsets, Output const& output, Lse const& lse,
                   Params const& params) {
  using plan_type = PlanOf<ExecSpace, Form>;
  using rule_type = ScoreRule<std::remove_cvref_t<decltype(params.mask)>,
                              std::remove_cvref_t<decltype(params.score)>>;
  using call_type = AttentionCall<KeyCache, ValueCache, typename Query::non_const_value_type,
                                  typename Output::value_type, rule_type>;
  check_attention_types<ExecSpace, Query, KeyCache, ValueCache, Offsets, Output>();
  auto const& shape = plan.shape();
  AttentionCheck<plan_type> const check(cascade ? "cascade_attention" : "paged_attention", plan);
  if (!cascade) check.no_prefixes();
  check.heads("q", queries, shape.head_size);
  check.heads("output", output, shape.value_head_size);
  if constexpr (!std::is_same_v<Lse, NoLse>) check.lse(lse);
  check.caches(keys, values);
  check.offsets(offsets);
  check.params(params);
  check.template lengths<ExecSpace>(keys, offsets);

  PlanAccess<plan_type> const inside{plan};
  auto const to_lse = lse_array(lse);
  auto const rule =
      score_rule<decltype(rule_type::mask), decltype(rule_type::score)>(params, shape.head_size);
  call_type const call{keys,
                       values,
                       {queries.data(), strides<3>(queries)},
                       {output.data(), strides<3>(output)},
                       to_lse,
                       offsets.data(),
                       rule,
                       inside.units().data(),
                       inside.row_sequences().data(),
                       inside.state_offsets().data(),
                       inside.state_outputs().data(),
                       inside.state_lses().data(),
                       static_cast<std::uint32_t>(shape.num_query_heads / shape.num_kv_heads),
                       shape.num_query_heads,
                       shape.value_head_size};
  if (plan.num_units() > 0) Form::launch(exec, call, inside);

  auto const heads = static_cast<std::size_t>(shape.num_query_heads);
  auto const dims  = static_cast<std::size_t>(shape.value_head_size);
  PlanStates const states{
      {call.state_outputs, call.state_lses, {heads * dims, dims, 1}, {heads, 1}},
      call.state_offsets,
      inside.merged_rows().data(),
      rule.sink_logits};
  launch_merge(exec, states, inside.merged_rows().size(), output, to_lse.data, to_lse.strides);
}

}  // namespace KokkosKV::Impl

#endif
