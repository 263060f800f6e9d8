// Looks at a few rows of a step's output: a figure of a wrong result is worthless.
#ifndef KOKKOSKV_PERF_ATTENTIONCHECK_HPP
#define KOKKOSKV_PERF_ATTENTIONCHECK_HPP

#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstddef>
#include <vector>

#include "AttentionSetup.hpp"

namespace KokkosKV::Perf {

/// Attention of the plain definition, in double: one row of sequence `b`, one query head.
template <class Step, class Blocks, class Rows>
std::vector<double> expected_row(Step const& step, Blocks const& blocks, Rows const& q,
                                 std::size_t b, std::size_t row, std::size_t ragged_row,
                                 std::size_t head) {
  constexpr std::size_t size = bench_head_size;
  auto const page_size       = blocks.extent(3);
  auto const kv_head         = head * bench_heads / static_cast<std::size_t>(step.num_query_heads);
  std::vector<double> result(size, 0.0);
  double sum = 0;
  for (std::size_t token = 0; token <= step.batch.cached[b] + row; ++token) {
    auto const page = step.pages[b][token / page_size];
    auto const slot = token % page_size;
    double dot      = 0;
    for (std::size_t d = 0; d < size; ++d) {
      dot += double(q(ragged_row, head, d)) *
             static_cast<double>(static_cast<float>(blocks(page, 0, 0, slot, kv_head, d)));
    }
    // Logits of these numbers are small: no maximum needs to be taken off.
    double const weight = std::exp(dot / std::sqrt(double(size)));
    sum += weight;
    for (std::size_t d = 0; d < size; ++d) {
      result[d] +=
          weight * static_cast<double>(static_cast<float>(blocks(page, 1, 0, slot, kv_head, d)));
    }
  }
  for (auto& value : result) value /= sum;
  return result;
}

/// Runs the step on layer 0, and compares the first and last row and head of the first and last
/// sequence. False, with an error in `state`, where they are wrong.
template <class Step>
bool check_step(benchmark::State& state, Step const& step) {
  step.run(0);
  Kokkos::fence("KokkosKV::Perf::check_step");
  Kokkos::HostSpace const host;
  auto const blocks = Kokkos::create_mirror_view_and_copy(host, step.blocks);
  auto const q      = Kokkos::create_mirror_view_and_copy(host, step.q);
  auto const output = Kokkos::create_mirror_view_and_copy(host, step.output);
  auto const starts = row_offsets(step.batch.rows);
  auto const heads  = static_cast<std::size_t>(step.num_query_heads);
  for (std::size_t const b : {std::size_t(0), step.batch.size() - 1}) {
    for (std::size_t const row : {std::size_t(0), std::size_t(step.batch.rows[b] - 1)}) {
      for (std::size_t const head : {std::size_t(0), heads - 1}) {
        auto const ragged_row = starts[b] + row;
        auto const expected   = expected_row(step, blocks, q, b, row, ragged_row, head);
        for (std::size_t d = 0; d < expected.size(); ++d) {
          if (std::abs(double(output(ragged_row, head, d)) - expected[d]) <= 1e-4) continue;
          state.SkipWithError("the output is wrong");
          return false;
        }
      }
    }
  }
  return true;
}

}  // namespace KokkosKV::Perf

#endif
