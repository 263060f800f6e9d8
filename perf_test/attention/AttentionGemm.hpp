// The matrix product of a BLAS, as a reference; only there where CMake finds a BLAS.
#ifndef KOKKOSKV_PERF_ATTENTIONGEMM_HPP
#define KOKKOSKV_PERF_ATTENTIONGEMM_HPP

#include <Kokkos_Core.hpp>

namespace KokkosKV::Perf {

/// c = a * b, with a `[n, k]`, b `[k, n]` and c `[n, n]`: the shape of a head's scores.
class SquareGemm {
 public:
  /// Lets the BLAS have `threads` threads, where it can be told.
  SquareGemm(int n, int k, int threads);

  void run() const;
  double flops() const { return 2.0 * m_n * m_n * m_k; }

 private:
  using matrix_type = Kokkos::View<float*, Kokkos::HostSpace>;

  int m_n;
  int m_k;
  matrix_type m_a, m_b, m_c;
};

}  // namespace KokkosKV::Perf

#endif
