// Attention on hosts: workers that take units from a queue.
#ifndef KOKKOSKV_IMPL_HOSTATTENTION_HPP
#define KOKKOSKV_IMPL_HOSTATTENTION_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>

#include <attention/KokkosKV_AttentionShape.hpp>
#include <attention/impl/KokkosKV_AttentionCall.hpp>
#include <attention/impl/KokkosKV_NarrowAttention.hpp>
#include <attention/impl/KokkosKV_PlanSizes.hpp>
#include <attention/impl/KokkosKV_SmallHeadAttention.hpp>
#include <attention/impl/KokkosKV_WideAttention.hpp>

namespace KokkosKV::Impl {

inline constexpr std::size_t scratch_alignment = 64;
static_assert(scratch_alignment % alignof(FloatVector) == 0);

inline std::size_t align_scratch(std::size_t bytes) {
  return (bytes + scratch_alignment - 1) / scratch_alignment * scratch_alignment;
}

/// A token row of zeros, which the rows of missing keys point to.
inline std::size_t host_zero_bytes(AttentionShape const& shape) {
  return align_scratch(static_cast<std::size_t>(shape.num_kv_heads) *
                       static_cast<std::size_t>(value_row_size(shape)) * sizeof(float));
}

/// Scratch of a worker, zeros included.
inline std::size_t host_scratch_bytes(AttentionShape const& shape) {
  auto const size      = [](int number) { return static_cast<std::size_t>(number); };
  auto const value_row = value_row_size(shape);
  auto const of_form   = [&](auto const& bytes) {
    return bytes(size(shape.num_kv_heads), size(shape.head_size), size(value_row));
  };
  auto const of_few = are_small_heads(shape.head_size, value_row)
                          ? of_form(small_head_scratch_bytes)
                          : of_form(narrow_scratch_bytes);
  return host_zero_bytes(shape) +
         align_scratch(std::max(of_few, wide_scratch_bytes(shape.head_size, value_row)));
}

/// Units go to the worker that is free first. Which one takes a unit changes no result.
template <class Call>
struct HostAttention {
  Call call;
  std::size_t num_units;
  int num_workers;
  unsigned long long* queue;  ///< units taken, and workers that are done; zero between calls
  char* scratch;
  std::size_t scratch_bytes;
  std::size_t zero_bytes;

  unsigned long long take() const { return Kokkos::atomic_fetch_add(&queue[0], 1ull); }

  template <class Member>
  void operator()(Member const& member) const {
    auto* const zeros = scratch + static_cast<std::size_t>(member.league_rank()) * scratch_bytes;
    auto* const own   = zeros + zero_bytes;
    // One unit ahead, so that its keys can be prefetched.
    for (auto current = take(); current < num_units;) {
      auto const following = take();
      auto const& unit     = call.units[current];
      auto const* next     = following < num_units ? &call.units[following] : nullptr;
      if (unit.wide) {
        WideAttention<Call>(call, unit, own, zeros).run();
      } else if constexpr (are_small_heads(Call::head_size, Call::value_row_size)) {
        SmallHeadAttention<Call>(call, unit, next, own, zeros).run();
      } else {
        NarrowAttention<Call>(call, unit, next, own, zeros).run();
      }
      current = following;
    }
    if (Kokkos::atomic_fetch_add(&queue[1], 1ull) + 1 ==
        static_cast<unsigned long long>(num_workers)) {
      Kokkos::atomic_store(&queue[0], 0ull);
      Kokkos::atomic_store(&queue[1], 0ull);
    }
  }
};

/// How plans and calls use the workers.
struct HostForm {
  template <class ExecSpace>
  static PlanSizes plan_sizes(ExecSpace const& exec, AttentionShape const& shape) {
    auto const workers = static_cast<std::size_t>(exec.concurrency());
    auto const pairs   = static_cast<std::uint32_t>(
        panel_pairs * panels_of_unit(shape.head_size + value_row_size(shape)));
    return {{pairs, narrow_pairs, pairs, workers}, host_scratch_bytes(shape), workers};
  }

  template <class ExecSpace, class Call, class Plan>
  static void launch(ExecSpace const& exec, Call const& call, Plan const& plan) {
    auto const workers = static_cast<int>(plan.sizes().num_workers);
    HostAttention<Call> const kernel{call,
                                     plan.num_units(),
                                     workers,
                                     plan.queue().data(),
                                     plan.scratch().data(),
                                     plan.sizes().scratch_bytes,
                                     host_zero_bytes(plan.shape())};
    Kokkos::parallel_for("KokkosKV::paged_attention",
                         Kokkos::TeamPolicy<ExecSpace>(exec, workers, 1, 1), kernel);
  }
};

}  // namespace KokkosKV::Impl

#endif
