// Hidden states of a random batch, with random weights and a plan for them.
#ifndef KOKKOSKV_TEST_PROJECTION_GEMM_HIDDENBATCH_HPP
#define KOKKOSKV_TEST_PROJECTION_GEMM_HIDDENBATCH_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <KokkosKV.hpp>
#include <RandomMatrix.hpp>
#include <StoredRows.hpp>
#include <projection_gemm/KokkosKV_LinearWeights.hpp>
#include <projection_gemm/KokkosKV_ProjectionPlan.hpp>

namespace KokkosKVTest {

/// \tparam T     storage type of the cache
/// \tparam Real  what is computed in
template <class T, class Real, class Shape, class ExecSpace>
struct HiddenBatch {
  using memory_space = typename ExecSpace::memory_space;
  using matrix_type  = RandomMatrix<Real, memory_space>;

  StoredRows<T, Shape, ExecSpace> stored;
  Random& random;
  std::size_t dim;
  matrix_type hidden;
  Kokkos::View<std::uint32_t*, memory_space> offsets;
  KokkosKV::ProjectionPlan<Real, ExecSpace> plan;

  HiddenBatch(std::uint64_t seed, std::uint64_t min_kv_dim)
      : stored(seed, min_kv_dim),
        random(stored.test.random),
        dim(random.template pick<std::size_t>({1, 3, 17, 64})),
        hidden(stored.rows(), dim, false, random),
        offsets(to_device<memory_space>(stored.offsets)),
        plan(2 * row_size, 1000, random.template pick<std::size_t>({0, 1, 2, 7})) {}

  static constexpr std::size_t row_size = StoredRows<T, Shape, ExecSpace>::row_size;

  matrix_type weight(std::size_t outputs) {
    return matrix_type(outputs, dim, random.chance(50), random);
  }
  std::vector<Real> bias(std::size_t outputs, bool wanted) {
    return moderate_numbers<Real>(wanted ? outputs : 0, random);
  }
  double roundings() const { return product_roundings(dim); }
  std::string describe(std::uint64_t seed) const {
    return stored.test.describe(seed) + ", dim " + std::to_string(dim) + ", blocks of " +
           std::to_string(plan.rows_per_block());
  }

  /// Calls `use` with the weights as the library takes them.
  template <class Use>
  static void with_weights(matrix_type const& matrix, std::vector<Real> const& bias,
                           Use const& use) {
    if (bias.empty()) {
      use(KokkosKV::LinearWeights{matrix.view()});
    } else {
      use(KokkosKV::LinearWeights{matrix.view(), to_device<memory_space>(bias)});
    }
  }
};

}  // namespace KokkosKVTest

#endif
