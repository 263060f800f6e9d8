// Listens to Kokkos as its tools do.
#include "KernelTimes.hpp"

#include <Kokkos_Core.hpp>
#include <Kokkos_Timer.hpp>
#include <cstdint>

namespace KokkosKV::Perf {
namespace {

/// Callbacks are plain functions: what they write to is not in an object.
KernelTimes* times = nullptr;
std::string current;
Kokkos::Timer timer;

void begin(char const* name, std::uint32_t, std::uint64_t*) {
  current = name;
  timer.reset();
}
void end(std::uint64_t) { (*times)[current] += timer.seconds(); }

void listen(Kokkos_Profiling_beginFunction on_begin, Kokkos_Profiling_endFunction on_end) {
  using namespace Kokkos::Tools::Experimental;
  set_begin_parallel_for_callback(on_begin);
  set_end_parallel_for_callback(on_end);
  set_begin_parallel_reduce_callback(on_begin);
  set_end_parallel_reduce_callback(on_end);
}

}  // namespace

KernelTimes measure_kernels(std::function<void()> const& work) {
  KernelTimes result;
  times = &result;
  listen(&begin, &end);
  work();
  listen(nullptr, nullptr);
  times = nullptr;
  return result;
}

}  // namespace KokkosKV::Perf
