// Host memory that devices reach.
#ifndef KOKKOSKV_IMPL_PINNEDMEMORY_HPP
#define KOKKOSKV_IMPL_PINNEDMEMORY_HPP

#include <Kokkos_Core.hpp>

#include <type_traits>

#include <kokkos_ext/KokkosKV_HostExecution.hpp>

namespace KokkosKV::Impl {

/// Memory that the host reads and writes, that ExecSpace copies from and to without stopping the
/// host, and that its kernels can write.
template <class ExecSpace>
using pinned_space = std::conditional_t<is_host_execution_v<ExecSpace>, Kokkos::HostSpace,
                                        Kokkos::SharedHostPinnedSpace>;

/// What a user of the memory asserts.
template <class ExecSpace>
inline constexpr bool has_pinned_space =
    Kokkos::SpaceAccessibility<ExecSpace, pinned_space<ExecSpace>>::accessible &&
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, pinned_space<ExecSpace>>::accessible;

}  // namespace KokkosKV::Impl

#endif
