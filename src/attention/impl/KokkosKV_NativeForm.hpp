// Which form attention takes on an execution space.
#ifndef KOKKOSKV_IMPL_NATIVEFORM_HPP
#define KOKKOSKV_IMPL_NATIVEFORM_HPP

#include <type_traits>

#include <attention/impl/KokkosKV_HostAttention.hpp>
#include <attention/impl/KokkosKV_TeamAttention.hpp>
#include <kokkos_ext/KokkosKV_HostExecution.hpp>

namespace KokkosKV::Impl {

template <class ExecSpace>
using native_form = std::conditional_t<is_host_execution_v<ExecSpace>, HostForm, TeamForm>;

}  // namespace KokkosKV::Impl

#endif
