// Sizes that the kernels of an execution space prescribe to plans.
#ifndef KOKKOSKV_IMPL_PLANSIZES_HPP
#define KOKKOSKV_IMPL_PLANSIZES_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <attention/KokkosKV_AttentionShape.hpp>
#include <attention/impl/KokkosKV_AttentionUnits.hpp>
#include <attention/impl/KokkosKV_HostAttention.hpp>
#include <kokkos_ext/KokkosKV_HostExecution.hpp>

namespace KokkosKV::Impl {

struct PlanSizes {
  UnitLimits limits;
  std::size_t scratch_bytes;  ///< of each of `limits.concurrency` workers
};

template <class ExecSpace>
PlanSizes plan_sizes(ExecSpace const& exec, AttentionShape const& shape) {
  auto const concurrency = static_cast<std::size_t>(exec.concurrency());
  static_assert(is_host_execution_v<ExecSpace>);
  auto const pairs = static_cast<std::uint32_t>(
      panel_pairs * panels_of_unit(shape.head_size + value_row_size(shape)));
  return {{pairs, narrow_pairs, pairs, false, concurrency}, host_scratch_bytes(shape)};
}

/// How calls see the inside of a plan.
template <class Plan>
struct PlanAccess {
  Plan const& plan;

  auto const& lengths() const { return plan.m_lengths; }
  auto const& sizes() const { return plan.m_sizes; }
  auto const& units() const { return plan.m_units; }
  auto const& row_sequences() const { return plan.m_row_sequences; }
  auto const& state_offsets() const { return plan.m_state_offsets; }
  auto const& merged_rows() const { return plan.m_merged_rows; }
  auto const& state_outputs() const { return plan.m_state_outputs; }
  auto const& state_lses() const { return plan.m_state_lses; }
  auto const& scratch() const { return plan.m_scratch; }
  auto const& queue() const { return plan.m_queue; }
};

}  // namespace KokkosKV::Impl

#endif
