// Ragged and padded stores behind their public overloads: check, then one launch.
#ifndef KOKKOSKV_IMPL_ROWSTORE_HPP
#define KOKKOSKV_IMPL_ROWSTORE_HPP

#include <Kokkos_Core.hpp>
#include <string>

#include <store/impl/KokkosKV_StoreCheck.hpp>
#include <store/impl/KokkosKV_StoreLaunch.hpp>

namespace KokkosKV::Impl {

/// \tparam Options  the call's option types: unchecked_t leaves the content check out
/// \param shape     of the input, whose rank tells ragged (3) from padded (4)
/// \param lengths   row offsets or valid lengths
template <class... Options, class ExecSpace, class Shape, class Lengths, class First,
          class... Second>
void store_rows(ArgumentNames const& names, ExecSpace const& exec, LaunchConfig config,
                Shape const& shape, Lengths const& lengths, First const& first,
                Second const&... second) {
  check_types<ExecSpace, Lengths, Options...>(first, second...);
  auto const& cache = first.cache;
  auto const rows   = store_rows_of(names, cache, shape, lengths);
  (check_same_batch(names, cache, second.cache), ...);
  if constexpr (is_checked_v<Options...>) {
    check_contents(exec, names, rows, store_limits(cache), true);
  }
  launch_store(std::string("KokkosKV::") + names.function, exec, rows, config, first, second...);
}

}  // namespace KokkosKV::Impl

#endif
