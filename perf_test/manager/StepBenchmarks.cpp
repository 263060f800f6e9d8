// Host time of prepare_step() while many sequences decode. `roofline` is the time that it may take
// over the time that it takes.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "../Benchmarks.hpp"
#include "../PairedTiming.hpp"
#include "ManagerSetup.hpp"

namespace KokkosKV::Perf {
namespace {

constexpr double allowed_us       = 30;
constexpr std::uint32_t page_size = 16;

struct Decoding {
  std::uint32_t num_sequences;
  std::uint32_t length;  ///< tokens that are stored before
  int steps;
};

void decode(benchmark::State& state, Decoding const& sizes) {
  auto const most_tokens = sizes.length + page_size + static_cast<std::uint32_t>(sizes.steps) + 1;
  PageManager manager(
      {.num_pages = sizes.num_sequences * (most_tokens / page_size + 1), .page_size = page_size});
  std::mt19937 random(1);
  std::vector<StepRequest> requests;
  for (std::uint32_t i = 0; i < sizes.num_sequences; ++i) {
    // Sequences begin their pages at different steps.
    std::vector<std::uint32_t> prompt(sizes.length + i % page_size);
    std::generate(prompt.begin(), prompt.end(), std::ref(random));
    requests.push_back({manager.create(prompt)});
  }
  manager.prepare_step(requests);
  manager.commit_step();

  std::vector<double> prepare_times, commit_times;
  for ([[maybe_unused]] auto _ : state) {
    for (auto const& request : requests) {
      auto const token = static_cast<std::uint32_t>(random());
      manager.append(request.sequence, {&token, 1});
    }
    StepLayout layout;
    prepare_times.push_back(seconds([&] { layout = manager.prepare_step(requests); }));
    if (!layout.fits()) {
      state.SkipWithError("the pool is too small");
      return;
    }
    commit_times.push_back(seconds([&] { manager.commit_step(); }));
    state.SetIterationTime(prepare_times.back());
  }
  auto const time             = median(prepare_times) * 1e6;
  state.counters["median_us"] = time;
  state.counters["commit_us"] = median(commit_times) * 1e6;
  state.counters["worst_us"]  = *std::max_element(prepare_times.begin(), prepare_times.end()) * 1e6;
  state.counters["roofline"]  = allowed_us / time;
}

}  // namespace

void register_manager_step_benchmarks(Scale scale) {
  bool const is_full = scale == Scale::full;
  Decoding const sizes{256, is_full ? 8192u : 64u, is_full ? 500 : 20};
  benchmark::RegisterBenchmark(
      "manager/prepare_step/decoding:" + std::to_string(sizes.num_sequences),
      [=](benchmark::State& state) { decode(state, sizes); })
      ->UseManualTime()
      ->Iterations(sizes.steps);
}

}  // namespace KokkosKV::Perf
