// PageLedger: the pages of a pool, what they hold, and where they go.
#ifndef KOKKOSKV_IMPL_PAGELEDGER_HPP
#define KOKKOSKV_IMPL_PAGELEDGER_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include <manager/KokkosKV_PageManagerOptions.hpp>
#include <manager/KokkosKV_PageTransfer.hpp>
#include <manager/impl/KokkosKV_HostPages.hpp>
#include <manager/impl/KokkosKV_ManagedSequence.hpp>
#include <manager/impl/KokkosKV_ManagerLog.hpp>
#include <manager/impl/KokkosKV_PageChildren.hpp>
#include <manager/impl/KokkosKV_PageKeys.hpp>
#include <manager/impl/KokkosKV_PageTree.hpp>
#include <manager/impl/KokkosKV_PrefixDomains.hpp>

namespace KokkosKV::Impl {

class PageLedger {
 public:
  PageLedger(PageManagerOptions const& options_, std::unique_ptr<EvictionPolicy> policy,
             PageTiers const& tiers)
      : options(options_),
        pool(PageEvent::Place::pool, options.num_pages, options.page_size, std::move(policy),
             domains, log),
        children(options.reuse_partial_pages ? options.num_pages : 0),
        host(tiers, options.num_pages, options.page_size, domains, log) {}

  PageManagerOptions const options;
  ManagerLog log;
  PrefixDomains domains;
  PageTree pool;
  PageChildren children;
  HostPages host;

  PageIndex const& index() const { return pool.index(); }
  std::size_t pages_of(std::size_t tokens) const {
    return (tokens + options.page_size - 1) / options.page_size;
  }
  /// Tokens of a full page of a sequence.
  std::span<std::uint32_t const> part(ManagedSequence const& sequence, std::size_t page) const {
    return std::span<std::uint32_t const>(sequence.tokens)
        .subspan(page * options.page_size, options.page_size);
  }
  /// Pages that can be had, where none of the cached ones is needed.
  std::size_t num_available() const {
    return std::size_t(pool.pool().num_free()) + pool.pool().num_cached();
  }

  /// A page with one reference; one must be available.
  std::uint32_t take_page() {
    return pool.take([&](std::uint32_t page) {
      ++log.counts.evicted_pages;
      host.keep(index(), page);
      host.unlink(page);
      children.remove(index().place(page), page);
    });
  }

  /// Gives the full pages of a sequence, from `first` on, its priority.
  void raise(ManagedSequence const& sequence, std::size_t first) {
    if (sequence.priority == 0) return;
    auto const full = sequence.num_stored / options.page_size;
    for (auto i = first; i < full; ++i) pool.raise(sequence.pages[i], sequence.priority);
  }

  /// Makes the full pages from `first` on findable, which the sequence has. Where another sequence
  /// has computed the same page, the sequence gets that one: one of them is enough.
  ///
  /// \return how many pages were not there before
  std::size_t publish(ManagedSequence& sequence, std::size_t first) {
    auto const full                             = sequence.num_stored / options.page_size;
    std::size_t num_new                         = 0;
    std::span<std::uint32_t const> const tokens = sequence.tokens;
    if (first >= full) return num_new;
    auto const before =
        first == 0 ? domains.key(sequence.domain) : index().key(sequence.pages[first - 1]);
    PageKeys keys(pool.pool(), options.hash, before,
                  tokens.subspan(first * options.page_size, (full - first) * options.page_size));
    for (std::size_t i = first; i < full; ++i) {
      auto& page = sequence.pages[i];
      if (!index().is_published(page)) {
        auto const part = tokens.subspan(i * options.page_size, options.page_size);
        PageIndex::Place const place{i == 0 ? null_page : sequence.pages[i - 1], sequence.domain};
        auto const key  = keys.at(i - first);
        auto const same = index().find(place, key, part);
        if (same == null_page) {
          children.add(place, page);
          pool.publish(page, place, key, part);
          host.link(index(), page);
          ++num_new;
        } else {
          pool.retain(same);
          pool.release(page);
          page = same;
          ++sequence.table_version;
        }
      }
    }
    return num_new;
  }
};

}  // namespace KokkosKV::Impl

#endif
