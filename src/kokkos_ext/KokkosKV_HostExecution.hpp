// Tells host execution spaces from devices at compile time.
#ifndef KOKKOSKV_HOSTEXECUTION_HPP
#define KOKKOSKV_HOSTEXECUTION_HPP

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace KokkosKV::Impl {

/// True when kernels of ExecSpace run on host threads (their own memory is the host's).
template <class ExecSpace>
inline constexpr bool is_host_execution_v =
    std::is_same_v<typename ExecSpace::memory_space, Kokkos::HostSpace>;

}  // namespace KokkosKV::Impl

#endif
