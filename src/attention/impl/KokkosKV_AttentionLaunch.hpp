// From the arguments of a public call to its kernels.
#ifndef KOKKOSKV_IMPL_ATTENTIONLAUNCH_HPP
#define KOKKOSKV_IMPL_ATTENTIONLAUNCH_HPP

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>

#include <attention/impl/KokkosKV_AttentionCall.hpp>
#include <attention/impl/KokkosKV_HostAttention.hpp>
#include <attention/impl/KokkosKV_PlanSizes.hpp>
#include <attention/impl/KokkosKV_StateMerge.hpp>
#include <cache/impl/KokkosKV_Check.hpp>

namespace KokkosKV::Impl {

template <class ExecSpace, class Plan, class Query, class KeyCache, class ValueCache, class Offsets,
          class Output, class Params>
void run_attention(ExecSpace const& exec, Plan const& plan, Query const& queries, KeyCache const& keys,
                   ValueCache const& values, Offsets const& offsets, Output const& output,
                   LseArray const& lse, Params const& params) {
  PlanAccess<Plan> const inside{plan};
  auto const& shape = plan.shape();
  using rule_type   = ScoreRule<std::remove_cvref_t<decltype(params.mask)>, std::remove_cvref_t<decltype(params.score)>>;
  using call_type   = AttentionCall<KeyCache, ValueCache, typename Query::non_const_value_type,
                                  typename Output::value_type, rule_type>;
  call_type const call{
      keys,
      values,
      {queries.data(), strides<3>(queries)},
      {output.data(), strides<3>(output)},
      lse,
      offsets.data(),
      {params.visibility, params.scale.value_or(1.0f / std::sqrt(static_cast<float>(shape.head_size))),
       params.soft_cap, params.alibi_slopes.data(), params.sink_logits.data(), params.mask, params.score},
      inside.units().data(),
      inside.row_sequences().data(),
      inside.state_offsets().data(),
      inside.state_outputs().data(),
      inside.state_lses().data(),
      static_cast<std::uint32_t>(shape.num_query_heads / shape.num_kv_heads),
      shape.num_query_heads,
      shape.value_head_size};
  if (plan.num_units() == 0) return;
  auto const heads = static_cast<std::size_t>(shape.num_query_heads);
  auto const dims  = static_cast<std::size_t>(shape.value_head_size);
  auto const workers = static_cast<int>(inside.sizes().limits.concurrency);
  HostAttention<call_type> const kernel{call, plan.num_units(), workers, inside.queue().data(),
                                        inside.scratch().data(), inside.sizes().scratch_bytes, host_zero_bytes(shape)};
  Kokkos::parallel_for("KokkosKV::paged_attention", Kokkos::TeamPolicy<ExecSpace>(exec, workers, 1, 1), kernel);
  PlanStates const states{{inside.state_outputs().data(), inside.state_lses().data(),
                           {heads * dims, dims, 1}, {heads, 1}},
                          inside.state_offsets().data(), inside.merged_rows().data(), params.sink_logits.data()};
  launch_merge(exec, states, inside.merged_rows().size(), output, lse.data, lse.strides);
}

}  // namespace KokkosKV::Impl

#endif
