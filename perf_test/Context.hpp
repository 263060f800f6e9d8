// What a figure is worthless without: the Kokkos configuration and the thread environment, into the
// JSON.
#ifndef KOKKOSKV_PERF_CONTEXT_HPP
#define KOKKOSKV_PERF_CONTEXT_HPP

namespace KokkosKV::Perf {

void add_context(char const* program);

}  // namespace KokkosKV::Perf

#endif
