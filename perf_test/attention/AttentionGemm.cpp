// The matrix product of a BLAS, as a reference; only there where CMake finds a BLAS.
#include "AttentionGemm.hpp"

#include <cstddef>

#include "AttentionSetup.hpp"

extern "C" {
void sgemm_(char const* transpose_a, char const* transpose_b, int const* m, int const* n,
            int const* k, float const* alpha, float const* a, int const* lda, float const* b,
            int const* ldb, float const* beta, float* c, int const* ldc);
/// Of OpenBLAS alone; others follow OMP_NUM_THREADS.
[[gnu::weak]] void openblas_set_num_threads(int threads);
}

namespace KokkosKV::Perf {

SquareGemm::SquareGemm(int n, int k, int threads)
    : m_n(n),
      m_k(k),
      m_a(make_data<matrix_type>("a", std::size_t(n) * std::size_t(k))),
      m_b(make_data<matrix_type>("b", std::size_t(n) * std::size_t(k))),
      m_c(make_data<matrix_type>("c", std::size_t(n) * std::size_t(n))) {
  fill_with_numbers(m_a);
  fill_with_numbers(m_b);
  if (openblas_set_num_threads != nullptr) openblas_set_num_threads(threads);
}

void SquareGemm::run() const {
  float const one = 1.0f, zero = 0.0f;
  sgemm_("T", "N", &m_n, &m_n, &m_k, &one, m_a.data(), &m_k, m_b.data(), &m_k, &zero, m_c.data(),
         &m_n);
}

}  // namespace KokkosKV::Perf
