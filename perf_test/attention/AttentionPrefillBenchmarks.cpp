// Long inputs: attention that multiplies more than it reads, against multiply-adds on registers, a
// matrix product, and its own parts run alone.
#include <benchmark/benchmark.h>

#include <KokkosKV.hpp>
#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../Benchmarks.hpp"
#include "../PairedTiming.hpp"
#include "AttentionCheck.hpp"
#include "AttentionReferences.hpp"
#include "AttentionSetup.hpp"

#ifdef KOKKOSKV_PERF_BLAS
#include "AttentionGemm.hpp"
#endif

namespace KokkosKV::Perf {
namespace {

using exec_space = Kokkos::DefaultExecutionSpace;

constexpr int page_size = 16;
constexpr int group     = 4;

template <class T>
using Pool = AttentionPool<T, page_size>;
template <class T>
using Step = AttentionStep<T, page_size>;

/// One sequence of new tokens alone.
AttentionBatch new_tokens(std::uint32_t count) { return {{0}, {count}}; }

void prefill(benchmark::State& state, std::uint32_t tokens) {
  auto const batch = new_tokens(tokens);
  Step<float> const step(Pool<float>(batch, 1), batch, group);
  if (!check_step(state, step)) return;
  exec_space const exec;
  // A part of the step's work is enough for a peak.
  double const wanted = step.flops() / 16;
  double const done   = parallel_multiply_adds(exec, wanted);
  measure_pairs(
      state, PairedWork{.flops = step.flops(), .times_reference = step.flops() / done},
      [&](int) { parallel_multiply_adds(exec, wanted); }, [&](int turn) { step.run(turn); });
}

void prefill_bf16_against_float(benchmark::State& state, std::uint32_t tokens) {
  auto const batch = new_tokens(tokens);
  Step<float> const reference(Pool<float>(batch, 1), batch, group);
  Step<bf16> const step(Pool<bf16>(batch, 1), batch, group);
  if (!check_step(state, reference) || !check_step(state, step)) return;
  measure_pairs(
      state, PairedWork{.flops = step.flops()}, [&](int turn) { reference.run(turn); },
      [&](int turn) { step.run(turn); });
}

/// A chunk of a long sequence beside sequences that decode.
void mixed(benchmark::State& state, Scale scale) {
  bool const full = scale == Scale::full;
  AttentionBatch batch;
  batch.cached.assign(full ? 33 : 5, full ? 2048 : 40);
  batch.rows.assign(batch.cached.size(), 1);
  batch.cached[0] = full ? 16384 : 200;
  batch.rows[0]   = full ? 512 : 40;
  Pool<float> const pool(batch, Pool<float>::layers_for(scale, batch));
  Step<float> const step(pool, batch, group);
  Step<float> const chunk(pool, batch, group, {}, 0, 1);
  Step<float> const rest(pool, batch, group, {}, 1, batch.size());
  if (!check_step(state, step) || !check_step(state, chunk) || !check_step(state, rest)) return;
  measure_pairs(
      state, PairedWork{.flops = step.flops()},
      [&](int turn) {
        chunk.run(turn);
        exec_space{}.fence("KokkosKV::Perf::mixed");
        rest.run(turn);
      },
      [&](int turn) { step.run(turn); });
}

#ifdef KOKKOSKV_PERF_BLAS
void prefill_against_gemm(benchmark::State& state, std::uint32_t tokens) {
  auto const batch = new_tokens(tokens);
  Step<float> const step(Pool<float>(batch, 1), batch, group);
  if (!check_step(state, step)) return;
  SquareGemm const gemm(static_cast<int>(tokens), bench_head_size, exec_space{}.concurrency());
  constexpr int products = 8;
  measure_pairs(
      state,
      PairedWork{.flops           = step.flops(),
                 .times_reference = step.flops() / (products * gemm.flops())},
      [&](int) {
        for (int i = 0; i < products; ++i) gemm.run();
      },
      [&](int turn) { step.run(turn); });
}
#endif

}  // namespace

void register_attention_prefill_benchmarks(Scale scale) {
  bool const full       = scale == Scale::full;
  int const iterations  = full ? 5 : 2;
  std::uint32_t const n = full ? 4096 : 100;
  register_attention_case("prefill/float", iterations,
                          [n](benchmark::State& state) { prefill(state, n); });
  register_attention_case("prefill_bf16_against_float", iterations,
                          [n](benchmark::State& state) { prefill_bf16_against_float(state, n); });
  register_attention_case("mixed/float", iterations,
                          [scale](benchmark::State& state) { mixed(state, scale); });
#ifdef KOKKOSKV_PERF_BLAS
  if constexpr (Impl::is_host_execution_v<exec_space>) {
    register_attention_case("prefill_against_gemm/float", iterations,
                            [n](benchmark::State& state) { prefill_against_gemm(state, n); });
  }
#endif
}

}  // namespace KokkosKV::Perf
