// Measures a case and its reference in turn, so that both see the same state of a shared machine.
#ifndef KOKKOSKV_PERF_PAIREDTIMING_HPP
#define KOKKOSKV_PERF_PAIREDTIMING_HPP

#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>
#include <algorithm>
#include <cstddef>
#include <vector>

namespace KokkosKV::Perf {

inline double median(std::vector<double> values) {
  auto const middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

template <class Function>
double seconds(Function const& function) {
  Kokkos::fence("KokkosKV::Perf");
  Kokkos::Timer const timer;
  function();
  Kokkos::fence("KokkosKV::Perf");
  return timer.seconds();
}

/// What a run of a case does.
struct PairedWork {
  double bytes           = 0;  ///< 0 = flops are counted
  double flops           = 0;  ///< 0 = bytes are counted
  double times_reference = 1;  ///< as much as a run of the reference does
  int steps              = 1;  ///< equal parts
};

/// Runs `reference(i)` and `work(i)` in turn, once unmeasured and then once an iteration of
/// `state`, and sets the counters
/// - `bytes_per_second`, `flops`: what is counted over the median time of the case,
/// - `roofline`: median over the pairs of (reference time / case time), for equal work on both
/// sides,
/// - `median_us`, `reference_us`: medians per run, divided by the steps.
template <class Reference, class Work>
void measure_pairs(benchmark::State& state, PairedWork const& amount, Reference const& reference,
                   Work const& work) {
  std::vector<double> reference_times, work_times, ratios;
  int turn = 0;
  reference(turn);
  work(turn);
  for ([[maybe_unused]] auto _ : state) {
    ++turn;
    double reference_time = 0;
    double work_time      = 0;
    // Whoever goes second may find warmer memory: take turns.
    if (turn % 2 == 0) reference_time = seconds([&] { reference(turn); });
    work_time = seconds([&] { work(turn); });
    if (turn % 2 != 0) reference_time = seconds([&] { reference(turn); });
    state.SetIterationTime(work_time);
    reference_times.push_back(reference_time);
    work_times.push_back(work_time);
    ratios.push_back(amount.times_reference * reference_time / work_time);
  }
  auto const time = median(work_times);
  if (amount.bytes > 0) state.counters["bytes_per_second"] = amount.bytes / time;
  if (amount.flops > 0) state.counters["flops"] = amount.flops / time;
  state.counters["roofline"]     = median(ratios);
  state.counters["median_us"]    = time * 1e6 / amount.steps;
  state.counters["reference_us"] = median(reference_times) * 1e6 / amount.steps;
}

/// The same for a case that moves bytes, as its reference does.
template <class Reference, class Work>
void measure_pairs(benchmark::State& state, double bytes, int steps, Reference const& reference,
                   Work const& work) {
  measure_pairs(state, PairedWork{.bytes = bytes, .steps = steps}, reference, work);
}

}  // namespace KokkosKV::Perf

#endif
