// Sizes that the kernels prescribe to plans, and what calls see of a plan.
#ifndef KOKKOSKV_IMPL_PLANSIZES_HPP
#define KOKKOSKV_IMPL_PLANSIZES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <attention/KokkosKV_AttentionShape.hpp>
#include <attention/impl/KokkosKV_AttentionUnits.hpp>

namespace KokkosKV::Impl {

struct PlanSizes {
  UnitLimits limits;
  std::size_t scratch_bytes;  ///< of each worker
  std::size_t num_workers;    ///< that have such scratch
};

/// The sequence with most keys.
struct LongestSequence {
  std::size_t sequence;
  std::uint64_t keys;
};

/// Elements of a token's value head in its cache, at most: values may be the first elements of
/// keys.
inline int value_row_size(AttentionShape const& shape) {
  return std::max(shape.head_size, shape.value_head_size);
}

/// How calls see the inside of a plan.
template <class Plan>
struct PlanAccess {
  Plan const& plan;

  std::size_t num_units() const { return plan.num_units(); }
  AttentionShape const& shape() const { return plan.shape(); }
  auto const& lengths() const { return plan.m_lengths; }
  LongestSequence const& longest() const { return plan.m_longest; }
  auto const& sizes() const { return plan.m_sizes; }
  auto const& units() const { return plan.m_units; }
  auto const& key_counts() const { return plan.m_key_counts; }
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
