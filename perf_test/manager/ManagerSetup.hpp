// Requests served by a PageManager one after another: what its benchmarks measure.
#ifndef KOKKOSKV_PERF_MANAGERSETUP_HPP
#define KOKKOSKV_PERF_MANAGERSETUP_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <manager/KokkosKV_PageManager.hpp>
#include <span>
#include <stdexcept>

namespace KokkosKV::Perf {

inline constexpr std::array eviction_kinds{EvictionKind::reuse_rate, EvictionKind::lru,
                                           EvictionKind::lfu};

/// A request from its begin to its end: its pages are looked up, allocated, published and released.
/// Gives the tokens that were cached.
inline std::size_t serve(PageManager& manager, std::span<std::uint32_t const> tokens) {
  StepRequest const request{manager.create(tokens)};
  auto const layout = manager.prepare_step({&request, 1});
  if (!layout.fits()) throw std::logic_error("the pool is smaller than a request");
  manager.commit_step();
  manager.free(request.sequence);
  return layout.cache_lengths[0];
}

}  // namespace KokkosKV::Perf

#endif
