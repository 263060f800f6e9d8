// RMSNorm of the heads of rows in a View or in the cache: check, then one launch.
#ifndef KOKKOSKV_IMPL_RMSNORMROWS_HPP
#define KOKKOSKV_IMPL_RMSNORMROWS_HPP

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>

#include <cache/KokkosKV_Errors.hpp>
#include <format/KokkosKV_Convert.hpp>
#include <kokkos_ext/KokkosKV_HostExecution.hpp>
#include <kokkos_ext/KokkosKV_SimdVector.hpp>
#include <kokkos_ext/impl/KokkosKV_VectorMath.hpp>
#include <projection/KokkosKV_RmsNormParams.hpp>
#include <projection/impl/KokkosKV_HeadRows.hpp>
#include <projection/impl/KokkosKV_PlainRows.hpp>
#include <store/impl/KokkosKV_RowKernels.hpp>
#include <store/impl/KokkosKV_StoreCheck.hpp>

namespace KokkosKV::Impl {

inline constexpr auto norm_cache_names = store_names("rms_norm_key_cache", "input_row_offsets");

/// RmsNormParams and the weight as kernels see them.
template <class Weight, class Real>
struct NormTable {
  Weight const* weight;
  Real epsilon;
  Real weight_offset;
};

/// Normalises the heads of a row one after the other, each lane `Width` elements at a time.
template <class Heads, class Weight, int Width, bool Aligned>
struct RmsNormRow {
  using value_type = typename Heads::value_type;
  using real       = compute_type<value_type, Weight>;

  Heads heads;
  NormTable<Weight, real> table;

  static constexpr int num_vectors = run_time_lanes;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member, RowLocation const& at) const {
    auto const row = heads.row(at);
    if (row.data == nullptr) return;
    auto const& norm     = table;
    auto const num_heads = heads.num_heads;
    auto const head_size = heads.head_size;
    auto const num_parts = head_size / Width;
    constexpr int lanes =
        is_host_execution_v<typename Member::execution_space> ? 1 : run_time_lanes;
    for (int head = 0; head < num_heads; ++head) {
      real sum          = 0;
      auto const square = [&](int lane, real& total) {
        SimdVector<real, Width> squares{};
        for (int part = lane; part < num_parts; part += lanes) {
          auto const elements =
              convert_vector<real>(row.template load<Width, Aligned>(at, head, part * Width));
          squares = map_elements([](auto const& x, auto const& so_far) { return so_far + x * x; },
                                 elements, squares);
        }
        total += sum_of_elements(squares);
      };
      Kokkos::parallel_reduce(Kokkos::ThreadVectorRange(member, lanes), square, sum);
      real const scale = Kokkos::rsqrt(sum / static_cast<real>(head_size) + norm.epsilon);
      auto const store = [&](int part) {
        auto const elements =
            convert_vector<real>(row.template load<Width, Aligned>(at, head, part * Width));
        auto const weights =
            convert_vector<real>(load_vector<Width, alignof(Weight)>(norm.weight + part * Width));
        auto const scaled = [&](auto const& x, auto const& weight) {
          return x * (scale * (weight + norm.weight_offset));
        };
        row.template store<Width, Aligned>(
            at, head, part * Width,
            convert_vector<value_type>(map_elements(scaled, elements, weights)));
      };
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, num_parts), store);
    }
  }
};

/// Rows that were checked in shape.
template <class ExecSpace, class Rows, class Heads, class Weight>
void launch_norm(std::string const& label, ExecSpace const& exec, Rows const& rows,
                 LaunchConfig config, Heads const& heads, Weight const* weight,
                 RmsNormParams const& params) {
  using value_type     = typename Heads::value_type;
  using real           = compute_type<value_type, Weight>;
  constexpr int width  = lane_elements<ExecSpace, value_type>;
  auto const row_bytes = static_cast<std::size_t>(heads.num_heads) *
                         static_cast<std::size_t>(heads.head_size) * sizeof(value_type);
  if (row_bytes == 0) return;
  NormTable<Weight, real> const table{weight, static_cast<real>(params.epsilon),
                                      static_cast<real>(params.weight_offset)};
  if (heads.head_size % width == 0 && heads.template is_aligned<width>()) {
    launch_rows(label, exec, rows, RmsNormRow<Heads, Weight, width, true>{heads, table}, row_bytes,
                config);
  } else {
    launch_rows(label, exec, rows, RmsNormRow<Heads, Weight, 1, false>{heads, table}, row_bytes,
                config);
  }
}

/// Checks weight and numbers; gives the weight's address.
template <class ExecSpace, class Weight>
auto const* norm_weight(char const* function, Weight const& weight, int head_size,
                        RmsNormParams const& params) {
  static_assert(Weight::rank() == 1 && is_floating_storage_v<typename Weight::non_const_value_type>,
                "KokkosKV: a weight must be a rank 1 View of float, double, half or bf16");
  static_assert(Kokkos::SpaceAccessibility<ExecSpace, typename Weight::memory_space>::accessible,
                "KokkosKV: a weight must be accessible from the execution space");
  check_equal(function, "weight.extent(0)", weight.extent(0), static_cast<std::size_t>(head_size));
  if (!(params.epsilon >= 0 && std::isfinite(params.epsilon))) {
    throw ShapeError(function, "params.epsilon", std::to_string(params.epsilon),
                     "a finite number, at least 0");
  }
  if (!std::isfinite(params.weight_offset)) {
    throw ShapeError(function, "params.weight_offset", std::to_string(params.weight_offset),
                     "a finite number");
  }
  return static_cast<typename Weight::const_value_type*>(
      contiguous_data(function, "weight", weight));
}

template <class ExecSpace, class Rows, class Weight>
void norm_rows(ExecSpace const& exec, LaunchConfig config, Rows const& rows, Weight const& weight,
               RmsNormParams const& params) {
  constexpr auto function = "rms_norm_ragged";
  auto const heads        = view_heads<ExecSpace>(function, "rows", rows);
  auto const* data        = norm_weight<ExecSpace>(function, weight, heads.head_size, params);
  launch_norm("KokkosKV::rms_norm_ragged", exec, PlainRows{{rows.extent(0)}}, config, heads, data,
              params);
}

template <class... Options, class ExecSpace, class Cache, class Offsets, class Weight>
void norm_keys(ExecSpace const& exec, LaunchConfig config, Cache const& cache,
               Kokkos::Array<std::size_t, 3> const& input_shape, Offsets const& offsets,
               Weight const& weight, RmsNormParams const& params) {
  check_key_cache<Cache>();
  CacheHeads<Cache> const heads{cache};
  check_types<ExecSpace, Offsets, Options...>(heads);
  auto const& names = norm_cache_names;
  auto const rows =
      ragged_rows(names, cache, "input_shape", input_shape, offsets, cache.cache_lengths());
  auto const* data = norm_weight<ExecSpace>(names.function, weight, Cache::head_size, params);
  if constexpr (is_checked_v<Options...>) {
    check_contents(exec, names, rows, store_limits(cache), true);
  }
  launch_norm("KokkosKV::rms_norm_key_cache", exec, rows, config, heads, data, params);
}

}  // namespace KokkosKV::Impl

#endif
