// Linear maps after their check, and their application to a block of rows: one matrix product.
#ifndef KOKKOSKV_IMPL_LINEARMAP_HPP
#define KOKKOSKV_IMPL_LINEARMAP_HPP

#include <KokkosBlas3_gemm.hpp>
#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include <cache/KokkosKV_Errors.hpp>
#include <cache/impl/KokkosKV_Check.hpp>
#include <projection/impl/KokkosKV_HeadRows.hpp>
#include <projection/impl/KokkosKV_PlainRows.hpp>
#include <projection_gemm/KokkosKV_LinearWeights.hpp>
#include <store/impl/KokkosKV_RowKernels.hpp>

namespace KokkosKV::Impl {

/// Rows of equal length in memory.
template <class T>
struct RowMatrix {
  T* data;
  std::size_t num_rows;
  std::size_t num_columns;
  std::size_t row_stride;

  RowMatrix block(std::size_t first, std::size_t count) const {
    return {data + first * row_stride, count, num_columns, row_stride};
  }
};

/// A weight matrix `[outputs, dim]` with its bias.
template <class Real>
struct LinearMap {
  Real const* weight;
  Real const* bias;  ///< null: none
  std::size_t outputs;
  std::size_t dim;
  std::size_t stride;  ///< between rows, or between columns
  bool by_columns;     ///< whether the elements of a column are neighbours

  /// Outputs [first, first + count).
  LinearMap part(std::size_t first, std::size_t count) const {
    auto result = *this;
    result.weight += by_columns ? first : first * stride;
    if (bias != nullptr) result.bias += first;
    result.outputs = count;
    return result;
  }
};

/// Writes the bias into a row, before the product is added.
template <class Real>
struct BiasRow {
  RowMatrix<Real> output;
  Real const* bias;

  static constexpr int num_vectors = run_time_lanes;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member, RowLocation const& at) const {
    auto* const to   = output.data + at.row * output.row_stride;
    auto const* from = bias;
    auto const copy  = [&](std::size_t column) { to[column] = from[column]; };
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, output.num_columns), copy);
  }
};

/// Memory as a matrix whose columns' elements are neighbours: with it rows of ours are columns of
/// the product, which needs no other layout then (a product of mixed layouts has no BLAS, and one
/// of LayoutRight takes a single column for packed).
template <class ExecSpace, class T>
auto column_matrix(T* data, std::size_t rows, std::size_t columns, std::size_t stride) {
  using all_type    = Kokkos::View<T**, Kokkos::LayoutLeft,
                                   Kokkos::Device<ExecSpace, typename ExecSpace::memory_space>,
                                   Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  auto const matrix = Kokkos::subview(all_type(data, stride, columns),
                                      std::pair<std::size_t, std::size_t>(0, rows), Kokkos::ALL);
  static_assert(
      std::is_same_v<typename decltype(matrix)::array_layout, typename all_type::array_layout>);
  return matrix;
}

/// `output = input weight^T + bias`, asynchronously on `exec`.
template <class ExecSpace, class Real>
void apply(std::string const& label, ExecSpace const& exec, LaunchConfig config,
           LinearMap<Real> const& map, RowMatrix<Real const> const& input,
           RowMatrix<Real> const& output) {
  if (output.num_rows == 0 || output.num_columns == 0) return;
  if (map.bias != nullptr) {
    launch_rows(label + "::bias", exec, PlainRows{{output.num_rows}},
                BiasRow<Real>{output, map.bias}, output.num_columns * sizeof(Real), config);
  }
  auto const [rows, columns] =
      map.by_columns ? std::pair(map.outputs, map.dim) : std::pair(map.dim, map.outputs);
  KokkosBlas::gemm(
      exec, map.by_columns ? "N" : "T", "N", Real(1),
      column_matrix<ExecSpace>(map.weight, rows, columns, map.stride),
      column_matrix<ExecSpace>(input.data, input.num_columns, input.num_rows, input.row_stride),
      Real(map.bias != nullptr ? 1 : 0),
      column_matrix<ExecSpace>(output.data, output.num_columns, output.num_rows,
                               output.row_stride));
}

/// The requirements on the type of a matrix or bias.
template <class Real, class ExecSpace, class ViewType, std::size_t Rank>
void check_operand() {
  static_assert(ViewType::rank() == Rank,
                "KokkosKV: weights and hidden states must be Views of "
                "rank 2, biases of rank 1");
  static_assert(std::is_same_v<typename ViewType::non_const_value_type, Real>,
                "KokkosKV: hidden states, weights, biases and queries must have the type of the "
                "plan");
  static_assert(Kokkos::SpaceAccessibility<ExecSpace, typename ViewType::memory_space>::accessible,
                "KokkosKV: hidden states, weights, biases and queries must be accessible from the "
                "execution space");
}

/// Extents and strides that the matrix product counts as ints.
inline void check_gemm_sizes(char const* function, std::string const& name,
                             Kokkos::Array<std::size_t, 2> const& extent,
                             Kokkos::Array<std::size_t, 2> const& stride) {
  for (std::size_t dimension = 0; dimension < 2; ++dimension) {
    auto const number = "(" + std::to_string(dimension) + ")";
    int_extent(function, name + ".extent" + number, extent[dimension]);
    int_extent(function, name + ".stride" + number, stride[dimension]);
  }
}

/// Hidden states as rows.
template <class Real, class ExecSpace, class Hidden>
RowMatrix<Real const> hidden_rows(char const* function, Hidden const& hidden) {
  check_operand<Real, ExecSpace, Hidden, 2>();
  auto const extent = extents<2>(hidden);
  auto const stride = strides<2>(hidden);
  if (extent[1] == 0) throw ShapeError(function, "hidden.extent(1)", "0", "at least 1");
  check_equal(function, "hidden.stride(1)", stride[1], 1);
  if (stride[0] < extent[1]) {
    throw ShapeError(function, "hidden.stride(0)", std::to_string(stride[0]),
                     "at least " + std::to_string(extent[1]) + ", the elements of a row");
  }
  check_gemm_sizes(function, "hidden", {1, extent[1]}, stride);
  return {hidden.data(), extent[0], extent[1], stride[0]};
}

/// Checks a map against what it is to give and to take.
template <class Real, class ExecSpace, class Weight, class Bias>
LinearMap<Real> linear_map(char const* function, std::string const& name,
                           LinearWeights<Weight, Bias> const& from, std::size_t outputs,
                           std::size_t dim) {
  check_operand<Real, ExecSpace, Weight, 2>();
  auto const matrix = name + ".weight";
  auto const extent = extents<2>(from.weight);
  auto const stride = strides<2>(from.weight);
  check_equal(function, matrix + ".extent(0)", extent[0], outputs);
  check_equal(function, matrix + ".extent(1)", extent[1], dim);
  check_gemm_sizes(function, matrix, extent, stride);
  bool const by_columns = stride[1] != 1;
  auto const least      = by_columns ? extent[0] : extent[1];
  auto const distance   = by_columns ? stride[1] : stride[0];
  if (by_columns && extent[0] > 1 && stride[0] != 1) {
    throw ShapeError(function, matrix + ".stride(1)", std::to_string(stride[1]),
                     "1 (or stride(0) of 1)");
  }
  if (distance < least) {
    throw ShapeError(function, matrix + (by_columns ? ".stride(1)" : ".stride(0)"),
                     std::to_string(distance), "at least " + std::to_string(least));
  }
  Real const* bias = nullptr;
  if constexpr (!std::is_same_v<Bias, NoBias>) {
    check_operand<Real, ExecSpace, Bias, 1>();
    check_equal(function, name + ".bias.extent(0)", from.bias.extent(0), outputs);
    bias = contiguous_data(function, (name + ".bias").c_str(), from.bias);
  }
  return {from.weight.data(), bias, outputs, dim, distance, by_columns};
}

/// Maps to `outputs...` elements each: parts of one map, or maps of their own.
template <class Real, class ExecSpace, class Weight, class Bias, std::size_t N>
std::array<LinearMap<Real>, N> linear_maps(char const* function,
                                           LinearWeights<Weight, Bias> const& packed,
                                           std::array<std::size_t, N> const& outputs,
                                           std::size_t dim) {
  std::size_t total = 0;
  for (auto const count : outputs) total += count;
  auto const all = linear_map<Real, ExecSpace>(function, "weights", packed, total, dim);
  std::array<LinearMap<Real>, N> result;
  std::size_t first = 0;
  for (std::size_t i = 0; i < N; ++i) {
    result[i] = all.part(first, outputs[i]);
    first += outputs[i];
  }
  return result;
}
template <class Real, class ExecSpace, class Key, class Value>
std::array<LinearMap<Real>, 2> linear_maps(char const* function,
                                           KeyValueWeights<Key, Value> const& weights,
                                           std::array<std::size_t, 2> const& outputs,
                                           std::size_t dim) {
  return {linear_map<Real, ExecSpace>(function, "weights.key", weights.key, outputs[0], dim),
          linear_map<Real, ExecSpace>(function, "weights.value", weights.value, outputs[1], dim)};
}
template <class Real, class ExecSpace, class Query, class Key, class Value>
std::array<LinearMap<Real>, 3> linear_maps(char const* function,
                                           QueryKeyValueWeights<Query, Key, Value> const& weights,
                                           std::array<std::size_t, 3> const& outputs,
                                           std::size_t dim) {
  return {linear_map<Real, ExecSpace>(function, "weights.query", weights.query, outputs[0], dim),
          linear_map<Real, ExecSpace>(function, "weights.key", weights.key, outputs[1], dim),
          linear_map<Real, ExecSpace>(function, "weights.value", weights.value, outputs[2], dim)};
}

}  // namespace KokkosKV::Impl

#endif
