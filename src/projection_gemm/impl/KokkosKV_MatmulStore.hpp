// Products of hidden states with weights whose results are queries and rows of the cache: check,
// then block by block a product and its store.
#ifndef KOKKOSKV_IMPL_MATMULSTORE_HPP
#define KOKKOSKV_IMPL_MATMULSTORE_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>

#include <cache/KokkosKV_Errors.hpp>
#include <projection/impl/KokkosKV_HeadRows.hpp>
#include <projection_gemm/KokkosKV_ProjectionPlan.hpp>
#include <projection_gemm/impl/KokkosKV_LinearMap.hpp>
#include <projection_gemm/impl/KokkosKV_RowBlock.hpp>
#include <projection_gemm/impl/KokkosKV_StoreRotation.hpp>
#include <store/impl/KokkosKV_StoreCheck.hpp>
#include <store/impl/KokkosKV_StoreLaunch.hpp>

namespace KokkosKV::Impl {

inline constexpr auto k_matmul_names  = store_names("k_matmul_store_ragged", "input_row_offsets");
inline constexpr auto kv_matmul_names = store_names("kv_matmul_store_ragged", "input_row_offsets");
inline constexpr auto qkv_matmul_names =
    store_names("qkv_matmul_store_ragged", "input_row_offsets");

/// A cache and the map whose results it gets.
template <class Cache, class Real>
struct StoredMap {
  Cache cache;
  LinearMap<Real> map;
  Real* panel;  ///< results of a block

  auto transfer(std::size_t rows) const {
    using view_type = Kokkos::View<Real const***, Kokkos::LayoutRight, typename Cache::memory_space,
                                   Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    return input_transfer(cache, view_type(panel, rows, static_cast<std::size_t>(Cache::num_heads),
                                           static_cast<std::size_t>(Cache::head_size)));
  }
  RowMatrix<Real> output(std::size_t rows) const {
    return {panel, rows, Cache::token_size, Cache::token_size};
  }
};

/// No queries are made.
struct NoQueries {
  static constexpr std::size_t outputs() { return 0; }
};

/// Where queries go.
template <class Real>
struct QueryRows {
  RowMatrix<Real> output;
  ViewHeads<Real> heads;  ///< the same

  std::size_t outputs() const { return output.num_columns; }
};

/// Queries `[rows, heads, head_size]` whose rows are packed, as the product writes them.
template <class Real, class ExecSpace, class Queries>
QueryRows<Real> query_rows(char const* function, Queries const& queries, std::size_t num_rows) {
  static_assert(Queries::rank() == 3, "KokkosKV: queries must be a View of rank 3");
  static_assert(std::is_same_v<typename Queries::value_type, Real>,
                "KokkosKV: queries must have the type of the plan, not const");
  static_assert(Kokkos::SpaceAccessibility<ExecSpace, typename Queries::memory_space>::accessible,
                "KokkosKV: queries must be accessible from the execution space");
  auto const extent = extents<3>(queries);
  auto const stride = strides<3>(queries);
  check_equal(function, "queries.extent(0)", extent[0], num_rows);
  check_equal(function, "queries.stride(2)", stride[2], 1);
  check_equal(function, "queries.stride(1)", stride[1], extent[2]);
  auto const outputs = extent[1] * extent[2];
  if (stride[0] < outputs) {
    throw ShapeError(function, "queries.stride(0)", std::to_string(stride[0]),
                     "at least " + std::to_string(outputs) + ", the elements of a row");
  }
  check_gemm_sizes(function, "queries", {1, outputs}, {stride[0], 1});
  return {{queries.data(), extent[0], outputs, stride[0]},
          view_heads<ExecSpace>(function, "queries", queries)};
}

/// Calls `visit(first, count)` for neighbouring blocks of rows.
template <class Visit>
void for_each_block(std::size_t num_rows, std::size_t rows_per_block, Visit const& visit) {
  for (std::size_t first = 0; first < num_rows; first += rows_per_block) {
    visit(first, std::min(rows_per_block, num_rows - first));
  }
}

/// Multiplies and stores what was checked. Queries need no workspace, and are one product: every
/// product packs the whole weight matrix anew.
template <class ExecSpace, class Real, class Rotation, class Query, class... Stored>
void launch_blocks(ArgumentNames const& names, ExecSpace const& exec, LaunchConfig config,
                   std::size_t rows_per_block, RaggedRows const& rows,
                   RowMatrix<Real const> const& hidden, Rotation const& rotation,
                   [[maybe_unused]] LinearMap<Real> const* query_map,
                   [[maybe_unused]] Query const& queries, Stored const&... stored) {
  auto const label = std::string("KokkosKV::") + names.function;
  if constexpr (!std::is_same_v<Query, NoQueries>) {
    for_each_block(rows.num_rows, most_product_rows, [&](std::size_t first, std::size_t count) {
      apply(label, exec, config, *query_map, hidden.block(first, count),
            queries.output.block(first, count));
    });
    rotation.rotate(label, exec, config, rows, queries);
  }
  for_each_block(rows.num_rows, rows_per_block, [&](std::size_t first, std::size_t count) {
    auto const input = hidden.block(first, count);
    (apply(label, exec, config, stored.map, input, stored.output(count)), ...);
    rotation.store(label, exec, RaggedRowBlock{{count}, rows, first}, config,
                   stored.transfer(count)...);
  });
}

/// Checks and runs a call that stores in one cache, or in a key and a value cache.
/// \param options  of the call, as std::tie() gives them
template <class ExecSpace, class Plan, class Offsets, class Hidden, class Weights, class Queries,
          class... Options, class First, class... Second>
void matmul_store(ArgumentNames const& names, ExecSpace const& exec, LaunchConfig config,
                  Plan const& plan, Offsets const& offsets, Hidden const& hidden,
                  Weights const& weights, Queries const& queries,
                  std::tuple<Options const&...> const& options, First const& cache,
                  Second const&... second) {
  using real                            = typename Plan::value_type;
  constexpr bool with_queries           = !std::is_same_v<Queries, NoQueries>;
  constexpr std::size_t num_stored      = 1 + sizeof...(second);
  constexpr std::size_t num_maps        = num_stored + (with_queries ? 1 : 0);
  constexpr std::size_t stored_elements = (First::token_size + ... + Second::token_size);
  static_assert(std::is_same_v<typename Plan::execution_space, ExecSpace>,
                "KokkosKV: the plan must be one of the execution space");
  check_types<ExecSpace, Offsets>(CacheHeads<First>{cache}, CacheHeads<Second>{second}...);
  auto const* function = names.function;
  auto const input     = hidden_rows<real, ExecSpace>(function, hidden);
  auto const rows      = ragged_rows(names, cache, "hidden",
                                     {input.num_rows, static_cast<std::size_t>(First::num_heads),
                                      static_cast<std::size_t>(First::head_size)},
                                     offsets, cache.cache_lengths());
  (check_same_batch(names, cache, second), ...);
  if (plan.num_outputs() < stored_elements) {
    throw ShapeError(function, "plan.num_outputs()", std::to_string(plan.num_outputs()),
                     "at least " + std::to_string(stored_elements));
  }
  auto const query_output = [&] {
    if constexpr (with_queries) {
      return query_rows<real, ExecSpace>(function, queries, input.num_rows);
    } else {
      return queries;
    }
  }();
  std::array<std::size_t, num_maps> outputs{};
  outputs[0]            = query_output.outputs();
  auto* const of_caches = outputs.data() + (with_queries ? 1 : 0);
  of_caches[0]          = First::token_size;
  ((of_caches[1] = Second::token_size), ...);
  auto const maps = linear_maps<real, ExecSpace>(function, weights, outputs, input.num_columns);
  auto const* stored_maps = maps.data() + (with_queries ? 1 : 0);
  auto const rotation     = std::apply(
      [&](auto const&... each) {
        return rotation_of<ExecSpace>(function, input.num_rows, each...);
      },
      options);
  rotation.template check<ExecSpace, First>(function, query_output);
  if constexpr (is_checked_v<Options...>) {
    check_contents(exec, names, rows, store_limits(cache), true);
  }
  launch_blocks(names, exec, config, plan.rows_per_block(), rows, input, rotation, maps.data(),
                query_output,
                StoredMap<First, real>{cache, stored_maps[0], ProjectionAccess::panel(plan, 0)},
                StoredMap<Second, real>{second, stored_maps[1],
                                        ProjectionAccess::panel(plan, First::token_size)}...);
}

}  // namespace KokkosKV::Impl

#endif
