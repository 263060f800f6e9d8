// What the machine can do at best: reading memory and multiplying, on all threads.
#ifndef KOKKOSKV_PERF_ATTENTIONREFERENCES_HPP
#define KOKKOSKV_PERF_ATTENTIONREFERENCES_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

namespace KokkosKV::Perf {

/// Reads `bytes`, a multiple of 1024, one contiguous part per thread; the sum of the words keeps
/// compilers from leaving it out.
std::uint32_t parallel_read(Kokkos::DefaultExecutionSpace const& exec, void const* data,
                            std::size_t bytes);

/// Runs multiply-adds on registers, as fast as they go.
/// \return  flops done, two a multiply-add: at least `flops`
double parallel_multiply_adds(Kokkos::DefaultExecutionSpace const& exec, double flops);

}  // namespace KokkosKV::Perf

#endif
