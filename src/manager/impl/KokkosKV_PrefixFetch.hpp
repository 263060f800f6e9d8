// PrefixFetch: brings what files hold of a sequence to host pages, where a step looks for it.
#ifndef KOKKOSKV_IMPL_PREFIXFETCH_HPP
#define KOKKOSKV_IMPL_PREFIXFETCH_HPP

#include <cstddef>
#include <cstdint>
#include <span>

#include <manager/impl/KokkosKV_ManagedSequence.hpp>
#include <manager/impl/KokkosKV_PageLedger.hpp>
#include <manager/impl/KokkosKV_PrefixPoint.hpp>

namespace KokkosKV::Impl {

/// Of a sequence of which nothing is stored. What it finds stays behind as cached host pages.
class PrefixFetch {
 public:
  PrefixFetch(PageLedger& ledger, ManagedSequence const& sequence)
      : m_ledger(ledger),
        m_tokens(sequence.tokens),
        m_at(PrefixPoint::root(ledger, sequence.domain)),
        m_file(FilePlace::root(m_at.key)) {}

  void run() {
    pass_pool();
    if (!has_next() || !m_ledger.host.files().contains(m_file.child(next()))) {
      // The pages after those of the pool may be in host memory, and in files after that.
      if (!m_at.has_host) return;
    } else if (!m_at.has_host && !bring_ancestors()) {
      return;
    }
    pass_host();
  }

 private:
  std::uint32_t page_size() const { return m_ledger.options.page_size; }
  bool has_next() const { return m_begin + page_size() <= m_tokens.size(); }
  std::span<std::uint32_t const> next() const { return m_tokens.subspan(m_begin, page_size()); }

  void pass_pool() {
    for (; has_next(); m_begin += page_size()) {
      auto const key  = m_ledger.options.hash(m_at.key, next());
      auto const page = m_ledger.index().find(m_at.place, key, next());
      if (page == null_page) return;
      m_at   = PrefixPoint::after(m_ledger, page);
      m_file = m_file.child(next());
    }
  }

  /// A host page stands below its ancestors: those that the pool has must be in host memory too.
  bool bring_ancestors() {
    auto const last = m_at.place.parent;
    m_ledger.host.keep(m_ledger.index(), last);
    m_ledger.host.try_launch();
    m_at = PrefixPoint::after(m_ledger, last);
    return m_at.has_host;
  }

  /// Each page holds its ancestors, and is held until the next one is there.
  void pass_host() {
    auto& tree = m_ledger.host.tree();
    auto held  = m_at.host;
    if (held != null_page) tree.retain(held);
    auto key = m_at.key;
    for (; has_next(); m_begin += page_size()) {
      PageIndex::Place const place{held, m_at.place.domain};
      key       = m_ledger.options.hash(key, next());
      m_file    = m_file.child(next());
      auto page = m_ledger.host.find(place, key, next());
      if (page != null_page) {
        tree.retain(page);
      } else {
        page = m_ledger.host.read_from_files(m_file, place, key, next()).host_page;
      }
      if (page == null_page) break;
      if (held != null_page) tree.release(held);
      held = page;
    }
    if (held != null_page) tree.release(held);
  }

  PageLedger& m_ledger;
  std::span<std::uint32_t const> m_tokens;
  std::size_t m_begin = 0;
  PrefixPoint m_at;
  FilePlace m_file;
};

}  // namespace KokkosKV::Impl

#endif
