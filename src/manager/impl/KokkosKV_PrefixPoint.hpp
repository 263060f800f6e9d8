// PrefixPoint: a place in the trees of pages, reached by the tokens before it.
#ifndef KOKKOSKV_IMPL_PREFIXPOINT_HPP
#define KOKKOSKV_IMPL_PREFIXPOINT_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <manager/KokkosKV_PageKey.hpp>
#include <manager/impl/KokkosKV_PageLedger.hpp>

namespace KokkosKV::Impl {

/// Between a page, or the root of a domain, and the page that follows.
struct PrefixPoint {
  PageIndex::Place place;  ///< of the page that follows
  PageKey key;             ///< of the page before
  /// Whether the page that follows may be in host memory, and the host page that holds the page
  /// before.
  bool has_host;
  std::uint32_t host;

  /// A parent that no page of the pool has.
  static constexpr std::uint32_t no_page_of_pool = null_page - 1;

  static PrefixPoint root(PageLedger const& ledger, std::uint32_t domain) {
    return {{null_page, domain}, ledger.domains.key(domain), ledger.host.exist(), null_page};
  }
  static PrefixPoint after(PageLedger const& ledger, std::uint32_t page) {
    auto const host = ledger.host.host_page_of(page);
    return {{page, ledger.index().place(page).domain},
            ledger.index().key(page),
            host != null_page,
            host};
  }
  /// After a page that is not in the pool yet, where it has this number.
  PrefixPoint after_pending(std::uint32_t number, PageKey key_of_page,
                            std::uint32_t host_page) const {
    return {{number, place.domain}, key_of_page, host_page != null_page, host_page};
  }

  /// After the page of these tokens, where the pool or a host page has it.
  std::optional<PrefixPoint> next(PageLedger const& ledger,
                                  std::span<std::uint32_t const> tokens) const {
    auto const key_of_page = ledger.options.hash(key, tokens);
    auto const page        = ledger.index().find(place, key_of_page, tokens);
    if (page != null_page) return after(ledger, page);
    auto const host_page = find_host(ledger, key_of_page, tokens);
    if (host_page == null_page) return std::nullopt;
    return after_pending(no_page_of_pool, key_of_page, host_page);
  }

  /// Tokens that the pool and host pages have from here on.
  std::size_t count_cached(PageLedger const& ledger, std::span<std::uint32_t const> tokens) const {
    auto const page_size = ledger.options.page_size;
    std::size_t result   = 0;
    for (auto at = *this; result + page_size <= tokens.size(); result += page_size) {
      auto const after_next = at.next(ledger, tokens.subspan(result, page_size));
      if (!after_next) break;
      at = *after_next;
    }
    return result;
  }

  std::uint32_t find_host(PageLedger const& ledger, PageKey key_of_page,
                          std::span<std::uint32_t const> tokens) const {
    if (!has_host) return null_page;
    return ledger.host.find({host, place.domain}, key_of_page, tokens);
  }
};

}  // namespace KokkosKV::Impl

#endif
