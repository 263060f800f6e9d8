// The groups of benchmarks; a new group is one more function here and one call in Main.cpp.
#ifndef KOKKOSKV_PERF_BENCHMARKS_HPP
#define KOKKOSKV_PERF_BENCHMARKS_HPP

namespace KokkosKV::Perf {

/// How large the cases are: smoke sizes measure nothing.
enum class Scale { full, smoke };

void register_prefill_benchmarks(Scale scale);
void register_decode_benchmarks(Scale scale);
void register_copy_benchmarks(Scale scale);
void register_validation_benchmarks(Scale scale);
void register_attention_decode_benchmarks(Scale scale);
void register_attention_prefill_benchmarks(Scale scale);
void register_manager_trace_benchmarks(Scale scale);
void register_manager_scaling_benchmarks(Scale scale);
void register_manager_step_benchmarks(Scale scale);
/// Where the examples are built.
void register_model_benchmarks(Scale scale);
void register_projection_benchmarks(Scale scale);
void register_matmul_store_benchmarks(Scale scale);

}  // namespace KokkosKV::Perf

#endif
