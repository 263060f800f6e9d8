// HostPages: pages that left the pool and can come back, in host memory and behind it in files.
#ifndef KOKKOSKV_IMPL_HOSTPAGES_HPP
#define KOKKOSKV_IMPL_HOSTPAGES_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cache/KokkosKV_Errors.hpp>
#include <manager/KokkosKV_EvictionPolicies.hpp>
#include <manager/KokkosKV_PageTransfer.hpp>
#include <manager/impl/KokkosKV_FilePages.hpp>
#include <manager/impl/KokkosKV_PageTree.hpp>

namespace KokkosKV::Impl {

/// A tree of its own, in which a page stands with all its ancestors, so that it is found by its
/// tokens alone. Whatever a page of the pool and a host page hold in common is *linked*.
///
/// Downloads are collected and launched together; until then their host pages are held.
class HostPages {
 public:
  using Place = PageIndex::Place;

  HostPages(PageTiers const& tiers, std::uint32_t num_pages, std::uint32_t page_size,
            PrefixDomains& domains, ManagerLog& log)
      : m_transfer(tiers.transfer),
        m_files(tiers.files, log),
        m_domains(domains),
        m_log(log),
        m_tree(PageEvent::Place::host, m_transfer ? m_transfer->num_host_pages() : 0, page_size,
               make_eviction_policy(EvictionKind::lru), domains, log),
        m_host_of(exist() ? num_pages : 0, null_page),
        m_depth(m_host_of.size(), 0),
        m_page_of(m_tree.pool().num_pages(), null_page),
        m_file_keys(m_files.exist() ? m_page_of.size() : 0) {
    check(tiers, page_size);
    if (!exist()) return;
    // Nothing is allocated while pages move.
    m_downloads.reserve(m_page_of.size());
    m_lineage.reserve(num_pages);
    m_file_lineage.reserve(m_page_of.size());
  }

  bool exist() const { return m_transfer != nullptr; }
  PageTree& tree() { return m_tree; }
  PageTree const& tree() const { return m_tree; }
  FilePages& files() { return m_files; }
  FilePages const& files() const { return m_files; }
  PageTransfer& transfer() { return *m_transfer; }

  std::uint32_t find(Place place, PageKey key, std::span<std::uint32_t const> tokens) const {
    return exist() ? m_tree.index().find(place, key, tokens) : null_page;
  }
  /// The host page that holds the same as a page of the pool, or null_page.
  std::uint32_t host_page_of(std::uint32_t page) const {
    return exist() ? m_host_of[page] : null_page;
  }

  /// A page of the pool is published: it may be here already.
  void link(PageIndex const& index, std::uint32_t page) {
    if (!exist()) return;
    auto const [parent, domain] = index.place(page);
    m_depth[page]               = parent == null_page ? 1 : m_depth[parent] + 1;
    auto const host_parent      = parent == null_page ? null_page : m_host_of[parent];
    if (parent != null_page && host_parent == null_page) return;
    auto const host = find({host_parent, domain}, index.key(page), index.tokens(page));
    if (host != null_page) link(page, host);
  }
  /// The same as host_page_of() for a page whose ancestors are linked: the host page may have come
  /// from files meanwhile.
  std::uint32_t linked(PageIndex const& index, std::uint32_t page) {
    if (m_host_of[page] == null_page) link(index, page);
    return m_host_of[page];
  }
  /// A page of the pool loses its contents.
  void unlink(std::uint32_t page) {
    if (!exist() || m_host_of[page] == null_page) return;
    m_page_of[m_host_of[page]] = null_page;
    m_host_of[page]            = null_page;
  }

  /// Copies a published page and its ancestors, as far as there is room. What fails is lost.
  void keep(PageIndex const& index, std::uint32_t page) {
    // A page whose ancestors alone fill the tier cannot be kept: not to look at all of them each
    // time.
    if (!exist() || m_depth[page] > m_page_of.size()) return;
    auto host = hold(index, page);
    if (host == null_page && !m_downloads.empty()) {
      try_launch();
      host = hold(index, page);
    }
    if (host != null_page) m_tree.release(host);
  }

  /// A host page with one more reference that holds or will hold a published page, or null_page
  /// where there is no room for it or one of its ancestors.
  std::uint32_t hold(PageIndex const& index, std::uint32_t page) {
    m_lineage.clear();
    auto host = null_page;
    for (auto at = page; at != null_page && host == null_page; at = index.place(at).parent) {
      host = m_host_of[at];
      if (host == null_page) m_lineage.push_back(at);
    }
    if (host != null_page) m_tree.retain(host);
    while (!m_lineage.empty()) {
      auto const at = m_lineage.back();
      auto next     = linked(index, at);
      if (next != null_page) {
        m_tree.retain(next);
      } else {
        next = take();
        if (next != null_page) {
          publish(next, {host, index.place(at).domain}, index.key(at), index.tokens(at));
          link(at, next);
          download(at, next);
        }
      }
      // Its child holds it from now on.
      if (host != null_page) m_tree.release(host);
      host = next;
      if (host == null_page) return null_page;
      m_lineage.pop_back();
    }
    return host;
  }

  /// A host page of one reference, or null_page.
  std::uint32_t take() {
    if (!exist()) return null_page;
    return m_tree.take([&](std::uint32_t host) {
      ++m_log.counts.evicted_host;
      if (m_files.exist()) write_to_files(host);
      if (m_page_of[host] != null_page) unlink(m_page_of[host]);
    });
  }

  /// Enters a copy from the pool; the host page is held until it is launched.
  void download(std::uint32_t page, std::uint32_t host) {
    m_downloads.push_back({page, host});
    m_tree.retain(host);
  }

  /// Launches the copies that are due; settle() must follow.
  void launch() {
    if (!m_downloads.empty()) m_transfer->download(m_downloads);
  }
  /// Lets go of the host pages of copies. Where those failed their contents are given up, and
  /// nobody else may hold them.
  void settle(bool is_lost) {
    // Last to first: children come after their parents.
    while (!m_downloads.empty()) {
      auto const host = m_downloads.back().destination;
      m_downloads.pop_back();
      m_tree.release(host);
      if (!is_lost || !m_tree.pool().is_cached(host)) continue;
      if (m_page_of[host] != null_page) unlink(m_page_of[host]);
      m_tree.discard(host);
    }
  }
  /// Both, for evicted pages, which may be lost.
  void try_launch() {
    bool is_lost = false;
    try {
      launch();
      m_log.counts.kept_pages += m_downloads.size();
    } catch (...) {
      m_log.counts.failed_transfers += m_downloads.size();
      is_lost = true;
    }
    settle(is_lost);
  }

  /// Writes a host page to files, and before it the ancestors up to the first that is there.
  bool write_to_files(std::uint32_t host) {
    auto const& index = m_tree.index();
    m_file_lineage.clear();
    for (auto at = host; at != null_page && !m_files.contains(place_of(at));
         at      = index.place(at).parent)
      m_file_lineage.push_back(at);
    return write_lineage();
  }
  /// The same with all ancestors that are not there.
  /// \return whether they are all there
  bool write_all_to_files(std::uint32_t host) {
    auto const& index = m_tree.index();
    m_file_lineage.clear();
    for (auto at = host; at != null_page; at = index.place(at).parent) {
      if (!m_files.contains(place_of(at))) m_file_lineage.push_back(at);
    }
    return write_lineage();
  }

  /// A page that was read from files.
  struct Read {
    std::uint32_t host_page = null_page;  ///< of one reference; null_page where nothing was read
    bool lacks_room         = false;      ///< why
  };

  /// Reads a page of files to a host page.
  Read read_from_files(FilePlace const& file, Place place, PageKey key,
                       std::span<std::uint32_t const> tokens) {
    auto const result = read_unpublished(file, tokens);
    if (result.host_page == null_page) return result;
    publish(result.host_page, place, key, tokens);
    ++m_log.counts.hit_file_pages;
    return result;
  }
  /// The same for a page that nobody shall find.
  Read read_unpublished(FilePlace const& file, std::span<std::uint32_t const> tokens) {
    if (!m_files.contains(file)) return {};
    auto const host = take();
    if (host == null_page) return {null_page, true};
    auto const contents = m_files.get(file, tokens);
    if (contents && try_write(host, *contents)) return {host};
    m_tree.release(host);
    return {};
  }

 private:
  void publish(std::uint32_t host, Place place, PageKey key,
               std::span<std::uint32_t const> tokens) {
    m_tree.publish(host, place, key, tokens);
    if (!m_files.exist()) return;
    auto const parent = place.parent == null_page ? FilePlace::root(m_domains.key(place.domain))
                                                  : place_of(place.parent);
    m_file_keys[host] = parent.child(tokens).key;
  }
  FilePlace place_of(std::uint32_t host) const {
    auto const [parent, domain] = m_tree.index().place(host);
    return {m_file_keys[host], parent == null_page ? null_page_key : m_file_keys[parent],
            m_domains.key(domain).low};
  }
  bool write_lineage() {
    for (auto at = m_file_lineage.rbegin(); at != m_file_lineage.rend(); ++at) {
      if (!m_files.put(place_of(*at), m_tree.index().tokens(*at),
                       [&] { return m_transfer->read(*at); }))
        return false;
    }
    return true;
  }

  void check(PageTiers const& tiers, std::uint32_t page_size) const {
    if (!tiers.files) return;
    auto const expect = [](char const* what, std::uint64_t found, std::uint64_t expected) {
      if (found == expected) return;
      throw ShapeError("PageManager", what, std::to_string(found), std::to_string(expected));
    };
    if (!tiers.transfer) {
      throw ShapeError("PageManager", "tiers.transfer", "none", "one, where there are files");
    }
    if (tiers.transfer->num_host_pages() == 0) {
      throw ShapeError("PageManager", "tiers.transfer->num_host_pages()", "0",
                       "at least 1, where there are files");
    }
    expect("tiers.files->options().page_size", tiers.files->options().page_size, page_size);
    expect("tiers.files->options().page_bytes", tiers.files->options().page_bytes,
           tiers.transfer->page_bytes());
  }

  void link(std::uint32_t page, std::uint32_t host) {
    m_host_of[page] = host;
    m_page_of[host] = page;
  }

  bool try_write(std::uint32_t host, std::span<std::byte const> contents) {
    try {
      m_transfer->write(host, contents);
      return true;
    } catch (...) {
      ++m_log.counts.failed_transfers;
      return false;
    }
  }

  std::shared_ptr<PageTransfer> m_transfer;
  FilePages m_files;
  PrefixDomains& m_domains;
  ManagerLog& m_log;
  PageTree m_tree;
  std::vector<std::uint32_t> m_host_of;  ///< for each page of the pool
  std::vector<std::uint32_t> m_depth;    ///< pages down to a published page of the pool and it
  std::vector<std::uint32_t> m_page_of;  ///< for each host page
  std::vector<PageKey> m_file_keys;      ///< for each host page that is published
  std::vector<PageCopy> m_downloads;
  std::vector<std::uint32_t> m_lineage;
  std::vector<std::uint32_t> m_file_lineage;
};

}  // namespace KokkosKV::Impl

#endif
