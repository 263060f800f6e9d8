// What a manager's parts count and tell.
#ifndef KOKKOSKV_IMPL_MANAGERLOG_HPP
#define KOKKOSKV_IMPL_MANAGERLOG_HPP

#include <cstdint>

#include <manager/KokkosKV_PageEvent.hpp>
#include <manager/KokkosKV_PageStatistics.hpp>
#include <manager/impl/KokkosKV_PageIndex.hpp>
#include <manager/impl/KokkosKV_PrefixDomains.hpp>

namespace KokkosKV::Impl {

struct ManagerLog {
  PageStatistics counts;
  PageEventCallback callback;

  /// Of a page that is in the index.
  void tell(PageEvent::Kind kind, PageEvent::Place place, PageIndex const& index,
            PrefixDomains const& domains, std::uint32_t page) {
    if (!callback) return;
    auto const [parent, domain] = index.place(page);
    try {
      callback({kind, place, index.key(page),
                parent == null_page ? domains.key(domain) : index.key(parent), index.tokens(page)});
    } catch (...) {
      ++counts.failed_events;
    }
  }
};

}  // namespace KokkosKV::Impl

#endif
