// Matrices of random numbers, whose rows or columns lie in memory with gaps of poison, and their
// product with rows, in double.
#ifndef KOKKOSKV_TEST_PROJECTION_GEMM_RANDOMMATRIX_HPP
#define KOKKOSKV_TEST_PROJECTION_GEMM_RANDOMMATRIX_HPP

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

#include <Numbers.hpp>
#include <reference/Arrays.hpp>
#include <reference/Random.hpp>

namespace KokkosKVTest {

/// Elements `[rows, columns]`, row-major in `values`, as they lie on the device in `array`.
template <class Real, class MemorySpace>
struct RandomMatrix {
  using value_type = Real;

  std::size_t rows;
  std::size_t columns;
  std::vector<Real> values;
  std::size_t row_stride;
  std::size_t column_stride;
  Kokkos::View<Real*, MemorySpace> array;

  /// \param by_columns  whether the elements of a column are neighbours
  RandomMatrix(std::size_t num_rows, std::size_t num_columns, bool by_columns, Random& random)
      : rows(num_rows),
        columns(num_columns),
        values(moderate_numbers<Real>(rows * columns, random)) {
    auto const gap = random.pick<std::size_t>({0, 0, 1, 3, 16});
    row_stride     = by_columns ? 1 : columns + gap;
    column_stride  = by_columns ? rows + gap : 1;
    array          = to_device<MemorySpace>(spread());
  }

  /// What the array should hold.
  std::vector<Real> spread() const {
    std::vector<Real> result(rows * row_stride + columns * column_stride, poison<Real>());
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) {
        result[i * row_stride + j * column_stride] = values[i * columns + j];
      }
    }
    return result;
  }

  auto view() const {
    return Kokkos::View<Real**, Kokkos::LayoutStride, MemorySpace>(
        array.data(), Kokkos::LayoutStride(rows, row_stride, columns, column_stride));
  }
};

/// Rows [first, first + count) of a weight matrix, times every row of `hidden`, plus the bias (of
/// the whole matrix, or none).
template <class Real, class MemorySpace>
std::vector<Expected> reference_product(RandomMatrix<Real, MemorySpace> const& hidden,
                                        RandomMatrix<Real, MemorySpace> const& weight,
                                        std::vector<Real> const& bias, std::size_t first,
                                        std::size_t count) {
  std::vector<Expected> result;
  for (std::size_t row = 0; row < hidden.rows; ++row) {
    for (std::size_t output = first; output < first + count; ++output) {
      Expected sum{0, 0};
      auto const add = [&](double term) {
        sum.value += term;
        sum.magnitude += std::fabs(term);
      };
      if (!bias.empty()) add(static_cast<double>(bias[output]));
      for (std::size_t i = 0; i < hidden.columns; ++i) {
        add(static_cast<double>(hidden.values[row * hidden.columns + i]) *
            static_cast<double>(weight.values[output * hidden.columns + i]));
      }
      result.push_back(sum);
    }
  }
  return result;
}

/// Roundings of a sum of `dim` products and a bias, whatever its order.
inline double product_roundings(std::size_t dim) { return static_cast<double>(dim) + 2; }

}  // namespace KokkosKVTest

#endif
