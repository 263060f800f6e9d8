// The heads of a row that a kernel changes in place, in a View or in the cache of a layer.
#ifndef KOKKOSKV_IMPL_HEADROWS_HPP
#define KOKKOSKV_IMPL_HEADROWS_HPP

#include <Kokkos_Core.hpp>

#include <climits>
#include <cstddef>
#include <string>
#include <type_traits>

#include <cache/KokkosKV_Errors.hpp>
#include <cache/impl/KokkosKV_Check.hpp>
#include <format/KokkosKV_Convert.hpp>
#include <kokkos_ext/KokkosKV_HostExecution.hpp>
#include <kokkos_ext/KokkosKV_SimdVector.hpp>
#include <store/impl/KokkosKV_RowAccess.hpp>
#include <store/impl/KokkosKV_Rows.hpp>

namespace KokkosKV::Impl {

/// What is computed in: float, but double for elements of double.
template <class... T>
using compute_type = std::conditional_t<(std::is_same_v<T, double> || ...), double, float>;

/// Elements that a lane handles at once: an access of devices, a register of hosts.
template <class ExecSpace, class T>
inline constexpr int lane_elements =
    static_cast<int>((is_host_execution_v<ExecSpace> ? 2 : 1) * max_access_bytes / sizeof(T));

/// Lanes of a device thread whose number of vectors is known at run time only.
inline constexpr int run_time_lanes = 32;

/// An extent that kernels count as an int.
inline int int_extent(char const* function, std::string const& name, std::size_t extent) {
  if (extent > static_cast<std::size_t>(INT_MAX)) {
    throw ShapeError(function, name, std::to_string(extent), "at most " + std::to_string(INT_MAX));
  }
  return static_cast<int>(extent);
}

/// Heads of the rows of a View `[rows, heads, head_size]`.
template <class T>
struct ViewHeads {
  using value_type = T;

  ViewRows<T> rows;
  int num_heads;
  int head_size;

  KOKKOS_FUNCTION ViewRows<T> row(RowLocation const&) const { return rows; }

  template <int Width>
  bool is_aligned() const {
    return rows.template is_aligned<Width>();
  }
};

template <class ExecSpace, class ViewType>
auto view_heads(char const* function, std::string const& name, ViewType const& view) {
  using value_type = typename ViewType::non_const_value_type;
  static_assert(ViewType::rank() == 3, "KokkosKV: rows of heads must be a View of rank 3");
  static_assert(Kokkos::SpaceAccessibility<ExecSpace, typename ViewType::memory_space>::accessible,
                "KokkosKV: rows of heads must be accessible from the execution space");
  static_assert(std::is_same_v<typename ViewType::value_type, value_type>,
                "KokkosKV: a View that is changed in place must not be const");
  static_assert(is_floating_storage_v<value_type>,
                "KokkosKV: rows of heads must hold float, double, half or bf16");
  auto const extent = extents<3>(view);
  return ViewHeads<value_type>{view_rows<ViewRows<value_type>>(view),
                               int_extent(function, name + ".extent(1)", extent[1]),
                               int_extent(function, name + ".extent(2)", extent[2])};
}

/// Heads of the tokens of a cache.
template <class Cache>
struct CacheHeads {
  using value_type = typename Cache::value_type;
  using cache_type = Cache;

  static constexpr int num_heads = Cache::num_heads;
  static constexpr int head_size = Cache::head_size;

  Cache cache;

  /// Rows that are all the row asked for; data is null where its token has no page.
  KOKKOS_FUNCTION ViewRows<value_type> row(RowLocation const& at) const {
    auto const page = cache.page(at.sequence, at.token);
    return {cache.is_mapped(page) ? cache.row(page, Cache::slot(at.token), 0) : nullptr,
            false,
            0,
            0,
            static_cast<std::size_t>(head_size),
            1};
  }

  template <int Width>
  bool is_aligned() const {
    return cache.is_aligned(alignof(SimdVector<value_type, Width>));
  }
};

/// Refuses caches whose elements are no numbers by themselves.
template <class Cache>
void check_number_cache() {
  static_assert(!std::is_const_v<typename Cache::value_type>,
                "KokkosKV: a cache that is changed must not be const");
  static_assert(!Cache::scales_type::enabled,
                "KokkosKV: a quantised cache cannot be changed in place: change the rows before "
                "they are stored");
  static_assert(is_floating_storage_v<std::remove_const_t<typename Cache::value_type>>,
                "KokkosKV: a cache that is changed must hold float, double, half or bf16");
}

/// Refuses MLA caches, too.
template <class Cache>
void check_key_cache() {
  check_number_cache<Cache>();
  static_assert(!Cache::kv_params.is_mla,
                "KokkosKV: an MLA cache holds latents and no keys: change the rows before they are "
                "stored");
}

}  // namespace KokkosKV::Impl

#endif
