// ProjectionPlan: how many rows are multiplied at a time, and the memory for their results.
#ifndef KOKKOSKV_PROJECTIONPLAN_HPP
#define KOKKOSKV_PROJECTIONPLAN_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>

#include <cache/KokkosKV_Errors.hpp>
#include <kokkos_ext/KokkosKV_HostExecution.hpp>

namespace KokkosKV {

namespace Impl {
/// Reaches the workspace of a plan.
struct ProjectionAccess;

/// Rows of one product, which counts them as an int.
inline constexpr std::size_t most_product_rows = std::size_t(1) << 30;
}  // namespace Impl

/// Workspace of qkv_matmul_store_ragged() and its kin, made once for a model: their calls allocate
/// nothing. They multiply blocks of rows and store each block's keys and values before they begin
/// the next, so that on hosts what is stored still lies in the cache of the processor. A plan
/// serves one execution space instance at a time.
///
/// \tparam Real       what is computed in: float or double
/// \tparam ExecSpace  where
template <class Real = float, class ExecSpace = Kokkos::DefaultExecutionSpace>
class ProjectionPlan {
  static_assert(std::is_same_v<Real, float> || std::is_same_v<Real, double>,
                "KokkosKV: projections are computed in float or double");

 public:
  using value_type      = Real;                              ///< what is computed in
  using execution_space = ExecSpace;                         ///< where
  using memory_space    = typename ExecSpace::memory_space;  ///< where the workspace lies

  /// Allocates the workspace.
  /// \param num_outputs     stored elements of a token: `heads * head_size`, twice that for keys
  ///                        and values
  /// \param max_rows        longest batch; longer ones are multiplied in more blocks
  /// \param rows_per_block  0 = choose
  /// \throws ShapeError     num_outputs or max_rows is 0
  ProjectionPlan(std::size_t num_outputs, std::size_t max_rows, std::size_t rows_per_block = 0)
      : m_num_outputs(checked("num_outputs", num_outputs)),
        m_rows_per_block(
            std::min({checked("max_rows", max_rows), Impl::most_product_rows,
                      rows_per_block > 0 ? rows_per_block : default_rows(num_outputs)})),
        m_workspace(
            Kokkos::view_alloc(Kokkos::WithoutInitializing, "KokkosKV::ProjectionPlan::workspace"),
            m_rows_per_block * m_num_outputs + alignment) {}

  /// Stored elements of a token.
  std::size_t num_outputs() const { return m_num_outputs; }
  /// Rows that are multiplied at a time.
  std::size_t rows_per_block() const { return m_rows_per_block; }
  /// Bytes that the plan holds.
  std::size_t workspace_bytes() const { return m_workspace.size() * sizeof(Real); }

 private:
  friend struct Impl::ProjectionAccess;

  /// Elements whose address decides whether vectors move in one access.
  static constexpr std::size_t alignment = 64;

  static std::size_t checked(char const* name, std::size_t number) {
    if (number == 0) throw ShapeError("ProjectionPlan", name, "0", "at least 1");
    return number;
  }

  /// Enough rows that a product reaches its full speed; beyond that, hosts keep within their
  /// caches, and devices within memory that nobody misses.
  static std::size_t default_rows(std::size_t num_outputs) {
    constexpr std::size_t bytes =
        Impl::is_host_execution_v<ExecSpace> ? std::size_t(16) << 20 : std::size_t(64) << 20;
    constexpr std::size_t least = 1024;
    return std::max(least, bytes / (num_outputs * sizeof(Real)));
  }

  std::size_t m_num_outputs;
  std::size_t m_rows_per_block;
  Kokkos::View<Real*, memory_space> m_workspace;
};

namespace Impl {

struct ProjectionAccess {
  /// Where the results of a block begin whose rows lie behind `outputs_before` elements a row.
  template <class Plan>
  static typename Plan::value_type* panel(Plan const& plan, std::size_t outputs_before) {
    auto const rows  = plan.m_rows_per_block;
    auto const begin = rows * outputs_before + Plan::alignment - 1;
    return plan.m_workspace.data() +
           (outputs_before == 0 ? 0 : begin / Plan::alignment * Plan::alignment);
  }
};

}  // namespace Impl

}  // namespace KokkosKV

#endif
