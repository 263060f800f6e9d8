// Where the time of a run goes, by the labels of its kernels.
#ifndef KOKKOSKV_PERF_KERNELTIMES_HPP
#define KOKKOSKV_PERF_KERNELTIMES_HPP

#include <functional>
#include <map>
#include <string>

namespace KokkosKV::Perf {

/// Seconds of all kernels with the same label. Kokkos waits for each kernel while they are counted.
using KernelTimes = std::map<std::string, double>;

/// Runs `work` once and listens.
KernelTimes measure_kernels(std::function<void()> const& work);

}  // namespace KokkosKV::Perf

#endif
