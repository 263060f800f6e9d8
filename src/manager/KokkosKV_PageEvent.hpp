// PageEvent: tells the outside what a PageManager holds.
#ifndef KOKKOSKV_PAGEEVENT_HPP
#define KOKKOSKV_PAGEEVENT_HPP

#include <cstdint>
#include <functional>
#include <span>

#include <manager/KokkosKV_PageKey.hpp>

namespace KokkosKV {

/// A full page can be found from now on, or not any more. A router that serves several managers
/// follows their contents by these.
struct PageEvent {
  /// What has happened.
  enum class Kind {
    stored,  ///< the page can be found
    removed  ///< the page cannot be found any more
  };
  /// Where.
  enum class Place {
    pool,  ///< in the pool
    host   ///< in a host page
  };

  Kind kind;       ///< what has happened
  Place place;     ///< where; a page may be in both places
  PageKey key;     ///< names the page
  PageKey parent;  ///< the page before it; the key of the domain for a first page
  std::span<std::uint32_t const> tokens;  ///< of the page; valid during the call
};

/// Is called while the manager works, and must not call it. What it throws is dropped and counted.
using PageEventCallback = std::function<void(PageEvent const&)>;

}  // namespace KokkosKV

#endif
