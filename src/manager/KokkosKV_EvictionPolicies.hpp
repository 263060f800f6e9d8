// make_eviction_policy(): the eviction policies that the library has.
#ifndef KOKKOSKV_EVICTIONPOLICIES_HPP
#define KOKKOSKV_EVICTIONPOLICIES_HPP

#include <memory>
#include <string>

#include <cache/KokkosKV_Errors.hpp>
#include <manager/KokkosKV_EvictionPolicy.hpp>
#include <manager/impl/KokkosKV_LfuPolicy.hpp>
#include <manager/impl/KokkosKV_LruPolicy.hpp>
#include <manager/impl/KokkosKV_ReuseRatePolicy.hpp>

namespace KokkosKV {

/// Which page goes first. All work on the host alone and give the same results in every run.
enum class EvictionKind {
  /// The page that promises the fewest hits for the time it stays, by rates measured meanwhile from
  /// the uses and ages of cached and recently evicted blocks: for pools that are smaller than what
  /// is asked for. 56 bytes a page of the pool, of which 32 remember evicted blocks.
  reuse_rate,
  /// The page that was released longest ago. 16 bytes a page; the quickest.
  lru,
  /// The page that was used least often, where old uses count less. 32 bytes a page.
  lfu
};

/// The name of a kind, as in the code.
///
/// \throws ArgumentError  there is no such kind
inline std::string to_text(EvictionKind kind) {
  switch (kind) {
    case EvictionKind::reuse_rate:
      return "reuse_rate";
    case EvictionKind::lru:
      return "lru";
    case EvictionKind::lfu:
      return "lfu";
  }
  throw ArgumentError("to_text", "kind", std::to_string(static_cast<int>(kind)),
                      "a value of EvictionKind");
}

/// A policy of the library; reset() makes it ready for a pool.
///
/// \param kind  which one
/// \throws ArgumentError  there is no such kind
inline std::unique_ptr<EvictionPolicy> make_eviction_policy(EvictionKind kind) {
  switch (kind) {
    case EvictionKind::reuse_rate:
      return std::make_unique<Impl::ReuseRatePolicy>();
    case EvictionKind::lru:
      return std::make_unique<Impl::LruPolicy>();
    case EvictionKind::lfu:
      return std::make_unique<Impl::LfuPolicy>();
  }
  throw ArgumentError("make_eviction_policy", "kind", std::to_string(static_cast<int>(kind)),
                      "a value of EvictionKind");
}

}  // namespace KokkosKV

#endif
