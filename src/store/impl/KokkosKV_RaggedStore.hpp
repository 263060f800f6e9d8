// Ragged stores behind their public overloads: check, then one launch.
#ifndef KOKKOSKV_IMPL_RAGGEDSTORE_HPP
#define KOKKOSKV_IMPL_RAGGEDSTORE_HPP

#include <Kokkos_Core.hpp>
#include <string>

#include <store/impl/KokkosKV_StoreCheck.hpp>
#include <store/impl/KokkosKV_StoreLaunch.hpp>

namespace KokkosKV::Impl {

/// \tparam Options  the call's option types: unchecked_t leaves the content check out
template <class... Options, class ExecSpace, class Offsets, class First, class... Second>
void store_ragged(ArgumentNames const& names, ExecSpace const& exec, LaunchConfig config,
                  Kokkos::Array<std::size_t, 3> const& shape, Offsets const& offsets,
                  First const& first, Second const&... second) {
  check_types<ExecSpace, Offsets, Options...>(first, second...);
  auto const& cache = first.cache;
  auto const rows = ragged_rows(names, cache, "input_shape", shape, offsets, cache.cache_lengths());
  (check_same_batch(names, cache, second.cache), ...);
  if constexpr (is_checked_v<Options...>) {
    check_contents(exec, names, rows, store_limits(cache), true);
  }
  launch_store(std::string("KokkosKV::") + names.function, exec, rows, config, first, second...);
}

}  // namespace KokkosKV::Impl

#endif
