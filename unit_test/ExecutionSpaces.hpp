// The execution spaces that typed tests run on: all that this Kokkos has, or the default ones.
#ifndef KOKKOSKV_TEST_EXECUTIONSPACES_HPP
#define KOKKOSKV_TEST_EXECUTIONSPACES_HPP

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <type_traits>

#include <support/Sanitized.hpp>

namespace KokkosKVTest {

// A leading void makes every line of the list begin with its comma.
template <class First, class... Rest>
testing::Types<Rest...> without_first(testing::Types<First, Rest...>);

using AllExecutionSpaces = decltype(without_first(testing::Types<void
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

/// The spaces that users get without asking: enough for tests with very many kernels.
using DefaultSpaces = std::conditional_t<
    std::is_same_v<Kokkos::DefaultExecutionSpace, Kokkos::DefaultHostExecutionSpace>,
    testing::Types<Kokkos::DefaultExecutionSpace>,
    testing::Types<Kokkos::DefaultHostExecutionSpace, Kokkos::DefaultExecutionSpace>>;

using ExecutionSpaces = std::conditional_t<is_sanitized, DefaultSpaces, AllExecutionSpaces>;

/// Names a typed test by its execution space.
struct ExecutionSpaceName {
  template <class ExecSpace>
  static char const* GetName(int) {
    return ExecSpace::name();
  }
};

}  // namespace KokkosKVTest

#endif
