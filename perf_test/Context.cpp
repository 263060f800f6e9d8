// What a figure is worthless without: the Kokkos configuration and the thread environment, into the
// JSON.
#include "Context.hpp"

#include <benchmark/benchmark.h>

#include <KokkosKV.hpp>
#include <Kokkos_Core.hpp>
#include <cstdlib>
#include <string>

namespace KokkosKV::Perf {

void add_context(char const* program) {
  benchmark::AddCustomContext("program", program);
  benchmark::AddCustomContext("kokkoskv_version", KOKKOSKV_VERSION_STRING);
  benchmark::AddCustomContext("kokkos_version", std::to_string(KOKKOS_VERSION));
  benchmark::AddCustomContext("execution_space", Kokkos::DefaultExecutionSpace::name());
  benchmark::AddCustomContext("concurrency",
                              std::to_string(Kokkos::DefaultExecutionSpace{}.concurrency()));
  benchmark::AddCustomContext("compiler", __VERSION__);
  for (char const* name : {"OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_PLACES"}) {
    char const* value = std::getenv(name);
    benchmark::AddCustomContext(name, value == nullptr ? "(unset)" : value);
  }
}

}  // namespace KokkosKV::Perf
