// From checked arguments to one kernel: picks the form of the store or load that fits the input.
#ifndef KOKKOSKV_IMPL_STORELAUNCH_HPP
#define KOKKOSKV_IMPL_STORELAUNCH_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>
#include <type_traits>

#include <kokkos_ext/KokkosKV_HostExecution.hpp>
#include <store/impl/KokkosKV_RowAccess.hpp>
#include <store/impl/KokkosKV_RowKernels.hpp>

namespace KokkosKV::Impl {

/// A cache with the rows that go into it, or come out of it.
template <class Cache, class Access>
struct Transfer {
  using value_type = std::remove_const_t<typename Cache::value_type>;
  using cache_type = Cache;

  Cache cache;
  Access access;

  /// Bytes of one token in the cache.
  static constexpr std::size_t row_bytes = Cache::token_size * sizeof(value_type);

  bool is_aligned() const {
    constexpr int width = cache_vector_width<Cache>;
    return cache.is_aligned(alignof(SimdVector<value_type, width>)) &&
           access.template is_aligned<width>();
  }

  /// True when the access may turn out to be packed: a View of the storage type.
  static constexpr bool may_be_packed = std::is_same_v<Access, ViewRows<value_type>> ||
                                        std::is_same_v<Access, ViewRows<value_type const>>;

  /// True when rows and slots are the same bytes in the same order.
  bool is_packed() const
    requires may_be_packed
  {
    return access.is_packed(static_cast<std::size_t>(Cache::num_heads),
                            static_cast<std::size_t>(Cache::head_size));
  }
};

template <class Cache, class ViewType>
void check_accessible() {
  static_assert(Kokkos::SpaceAccessibility<typename Cache::memory_space::execution_space,
                                           typename ViewType::memory_space>::accessible,
                "KokkosKV: an input or output must be accessible from the cache's execution space");
}

/// Rows of a View on the way into a cache, const whatever the View is: one kernel serves both.
template <class Cache, class ViewType>
auto input_transfer(Cache const& cache, ViewType const& view) {
  check_accessible<Cache, ViewType>();
  using rows_type = ViewRows<typename ViewType::const_value_type>;
  return Transfer<Cache, rows_type>{cache, view_rows<rows_type>(view)};
}

/// Rows of a View on the way out of a cache.
template <class Cache, class ViewType>
auto output_transfer(Cache const& cache, ViewType const& view) {
  check_accessible<Cache, ViewType>();
  static_assert(
      std::is_same_v<typename ViewType::value_type, typename ViewType::non_const_value_type>,
      "KokkosKV: an output must not be const");
  using rows_type = ViewRows<typename ViewType::value_type>;
  return Transfer<Cache, rows_type>{cache, view_rows<rows_type>(view)};
}

/// \tparam Padded  whether the functor is indexed by (sequence, position) or by ragged row
template <bool Padded, class Cache, class Functor>
auto functor_transfer(Cache const& cache, Functor const& functor) {
  return Transfer<Cache, FunctorRows<Functor, Padded>>{cache, {functor}};
}

template <bool Aligned, class Cache, class Access>
auto store_work(Transfer<Cache, Access> const& transfer) {
  return StoreRow<Cache, Access, Aligned>{transfer.cache, transfer.access};
}
template <bool Aligned, class First, class Second>
auto store_work(First const& first, Second const& second) {
  return BothRows{store_work<Aligned>(first), store_work<Aligned>(second)};
}

template <class Cache, class Access>
auto store_run(Transfer<Cache, Access> const& transfer) {
  return StoreRun<Cache, Access>{transfer.cache, transfer.access};
}
template <class First, class Second>
auto store_run(First const& first, Second const& second) {
  auto const one   = store_run(first);
  auto const other = store_run(second);
  return BothRuns<decltype(one), decltype(other)>{one, other};
}

/// Stores the rows of one transfer, or of a key and a value transfer that share their rows and
/// table.
template <class ExecSpace, class Rows, class First, class... Second>
void launch_store(std::string const& label, ExecSpace const& exec, Rows const& rows,
                  LaunchConfig config, First const& first, Second const&... second) {
  constexpr std::size_t row_bytes = (First::row_bytes + ... + Second::row_bytes);
  if constexpr (is_host_execution_v<ExecSpace> &&
                (First::may_be_packed && ... && Second::may_be_packed)) {
    if (!config.device_form && first.is_packed() && (second.is_packed() && ...)) {
      launch_runs(label, exec, rows, first.cache, store_run(first, second...), row_bytes);
      return;
    }
  }
  if (first.is_aligned() && (second.is_aligned() && ...)) {
    launch_rows(label, exec, rows, store_work<true>(first, second...), row_bytes, config);
  } else {
    launch_rows(label, exec, rows, store_work<false>(first, second...), row_bytes, config);
  }
}

/// Loads rows into an output.
template <class ExecSpace, class Rows, class Cache, class Output>
void launch_load(std::string const& label, ExecSpace const& exec, Rows const& rows,
                 LaunchConfig config, Transfer<Cache, Output> const& transfer) {
  using transfer_type         = Transfer<Cache, Output>;
  auto const& [cache, output] = transfer;
  if constexpr (is_host_execution_v<ExecSpace> && transfer_type::may_be_packed) {
    if (!config.device_form && transfer.is_packed()) {
      launch_runs(label, exec, rows, cache, LoadRun<Cache, Output>{cache, output},
                  transfer_type::row_bytes);
      return;
    }
  }
  if (transfer.is_aligned()) {
    launch_rows(label, exec, rows, LoadRow<Cache, Output, true>{cache, output},
                transfer_type::row_bytes, config);
  } else {
    launch_rows(label, exec, rows, LoadRow<Cache, Output, false>{cache, output},
                transfer_type::row_bytes, config);
  }
}

}  // namespace KokkosKV::Impl

#endif
