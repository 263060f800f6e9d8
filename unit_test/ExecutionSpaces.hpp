// The execution spaces that typed tests run on: all that this Kokkos has.
#ifndef KOKKOSKV_TEST_EXECUTIONSPACES_HPP
#define KOKKOSKV_TEST_EXECUTIONSPACES_HPP

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>

namespace KokkosKVTest {

// A leading void makes every line of the list begin with its comma.
template <class First, class... Rest>
testing::Types<Rest...> without_first(testing::Types<First, Rest...>);

using ExecutionSpaces = decltype(without_first(testing::Types<void
#ifdef KOKKOS_ENABLE_SERIAL
                                                              ,
                                                              Kokkos::Serial
#endif
#ifdef KOKKOS_ENABLE_OPENMP
                                                              ,
                                                              Kokkos::OpenMP
#endif
#ifdef KOKKOS_ENABLE_THREADS
                                                              ,
                                                              Kokkos::Threads
#endif
#ifdef KOKKOS_ENABLE_CUDA
                                                              ,
                                                              Kokkos::Cuda
#endif
#ifdef KOKKOS_ENABLE_HIP
                                                              ,
                                                              Kokkos::HIP
#endif
#ifdef KOKKOS_ENABLE_SYCL
                                                              ,
                                                              Kokkos::SYCL
#endif
                                                              >{}));

/// Names a typed test by its execution space.
struct ExecutionSpaceName {
  template <class ExecSpace>
  static char const* GetName(int) {
    return ExecSpace::name();
  }
};

}  // namespace KokkosKVTest

#endif
