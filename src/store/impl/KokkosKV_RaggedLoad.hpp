// The ragged load behind its public overloads: check, then one launch.
#ifndef KOKKOSKV_IMPL_RAGGEDLOAD_HPP
#define KOKKOSKV_IMPL_RAGGEDLOAD_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <limits>

#include <store/impl/KokkosKV_StoreCheck.hpp>
#include <store/impl/KokkosKV_StoreLaunch.hpp>

namespace KokkosKV::Impl {

inline constexpr ArgumentNames ragged_load_names{"kv_cache_load_ragged", "output_row_offsets",
                                                 "first_tokens", "the token count",
                                                 "the token count"};

template <class... Options, class ExecSpace, class Cache, class FirstTokens, class Offsets,
          class Output>
void load_ragged(ExecSpace const& exec, LaunchConfig config, Cache const& cache,
                 FirstTokens const& first_tokens, Offsets const& offsets, Output const& output) {
  auto const transfer = output_transfer(cache, output);
  check_types<ExecSpace, Offsets, Options...>(transfer);
  check_types<ExecSpace, FirstTokens>();
  auto const& names = ragged_load_names;
  check_equal(names.function, "first_tokens.extent(0)", first_tokens.extent(0), cache.batch_size());
  auto const rows = ragged_rows(names, cache, "output", extents<3>(output), offsets,
                                contiguous_data(names.function, names.first_token, first_tokens));
  if constexpr (is_checked_v<Options...>) {
    // The table's width is the only limit of what may be read.
    constexpr auto unlimited = std::numeric_limits<std::size_t>::max();
    auto limits              = store_limits(cache);
    limits.max_rows          = unlimited;
    limits.max_first_token   = unlimited;
    check_contents(exec, names, rows, limits, false);
  }
  launch_load("KokkosKV::kv_cache_load_ragged", exec, rows, config, transfer);
}

}  // namespace KokkosKV::Impl

#endif
