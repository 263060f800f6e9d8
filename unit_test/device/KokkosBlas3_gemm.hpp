// Stands in for Kokkos Kernels, which the root of the device compilers has not: what is looked at
// are the kernels around its products.
#ifndef KOKKOSKV_TEST_DEVICE_KOKKOSBLAS3_GEMM_HPP
#define KOKKOSKV_TEST_DEVICE_KOKKOSBLAS3_GEMM_HPP

namespace KokkosBlas {

template <class ExecSpace, class Real, class A, class B, class C>
void gemm(ExecSpace const&, char const*, char const*, Real, A const&, B const&, Real, C const&) {}

}  // namespace KokkosBlas

#endif
