// paged_attention(): attention over keys and values that lie in pages.
#ifndef KOKKOSKV_PAGEDATTENTION_HPP
#define KOKKOSKV_PAGEDATTENTION_HPP

#include <Kokkos_Core.hpp>

#include <attention/KokkosKV_AttentionParams.hpp>
#include <attention/KokkosKV_AttentionPlan.hpp>
#include <attention/impl/KokkosKV_AttentionLaunch.hpp>
#include <cache/KokkosKV_PagedKVCache.hpp>

namespace KokkosKV {

template <class ExecSpace, class Query, class KeyCache, class ValueCache, class Offsets, class Output, class Lse,
          class Params = AttentionParams<typename ExecSpace::memory_space>>
  requires(Kokkos::is_view_v<Lse>)
void paged_attention(ExecSpace const& exec, AttentionPlan<ExecSpace> const& plan, Query const& q,
                     KeyCache const& key_cache, ValueCache const& value_cache, Offsets const& input_row_offsets,
                     Output const& output, Lse const& lse, Params const& params = {}) {
  Impl::run_attention(exec, plan, q, key_cache, value_cache, input_row_offsets, output,
                      Impl::LseArray{lse.data(), Impl::strides<2>(lse)}, params);
}

template <class ExecSpace, class Query, class KeyCache, class ValueCache, class Offsets, class Output,
          class Params = AttentionParams<typename ExecSpace::memory_space>>
  requires(!Kokkos::is_view_v<Params>)
void paged_attention(ExecSpace const& exec, AttentionPlan<ExecSpace> const& plan, Query const& q,
                     KeyCache const& key_cache, ValueCache const& value_cache, Offsets const& input_row_offsets,
                     Output const& output, Params const& params = {}) {
  Impl::run_attention(exec, plan, q, key_cache, value_cache, input_row_offsets, output, Impl::LseArray{nullptr, {}},
                      params);
}

}  // namespace KokkosKV

#endif
