// Entry of the benchmarks: Google Benchmark's options, and --smoke for a run that only shows that
// all works.
#include <benchmark/benchmark.h>

#include <Kokkos_Core.hpp>
#include <cstdio>
#include <cstring>

#include "Benchmarks.hpp"
#include "Context.hpp"
#include "TableReporter.hpp"

int main(int argc, char** argv) {
  KokkosKV::Perf::Scale scale = KokkosKV::Perf::Scale::full;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--smoke") == 0) {
      scale = KokkosKV::Perf::Scale::smoke;
      for (int j = i; j + 1 < argc; ++j) argv[j] = argv[j + 1];
      --argc;
      break;
    }
  }
  benchmark::Initialize(&argc, argv);
  Kokkos::ScopeGuard const guard(argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;

  KokkosKV::Perf::add_context(argv[0]);
  KokkosKV::Perf::register_prefill_benchmarks(scale);
  KokkosKV::Perf::register_decode_benchmarks(scale);
  KokkosKV::Perf::register_copy_benchmarks(scale);
  KokkosKV::Perf::register_validation_benchmarks(scale);
  KokkosKV::Perf::register_attention_decode_benchmarks(scale);
  KokkosKV::Perf::register_attention_prefill_benchmarks(scale);
  KokkosKV::Perf::register_manager_trace_benchmarks(scale);
  KokkosKV::Perf::register_manager_scaling_benchmarks(scale);
  KokkosKV::Perf::register_manager_step_benchmarks(scale);
  KokkosKV::Perf::register_projection_benchmarks(scale);
#ifdef KOKKOSKV_PERF_KOKKOS_KERNELS
  KokkosKV::Perf::register_matmul_store_benchmarks(scale);
#endif
#ifdef KOKKOSKV_PERF_MODEL
  KokkosKV::Perf::register_model_benchmarks(scale);
#endif

  KokkosKV::Perf::TableReporter table;
  auto const cases = benchmark::RunSpecifiedBenchmarks(&table);
  benchmark::Shutdown();
  if (cases == 0) {
    std::fprintf(stderr, "no benchmark matches the filter\n");
    return 2;
  }
  return table.has_errors() ? 1 : 0;
}
