// PageTree: a pool of pages whose roots hold their domains, with its events.
#ifndef KOKKOSKV_IMPL_PAGETREE_HPP
#define KOKKOSKV_IMPL_PAGETREE_HPP

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <manager/impl/KokkosKV_ManagerLog.hpp>
#include <manager/impl/KokkosKV_PagePool.hpp>
#include <manager/impl/KokkosKV_PrefixDomains.hpp>

namespace KokkosKV::Impl {

/// Pages of the pool, or host pages.
class PageTree {
 public:
  PageTree(PageEvent::Place name, std::uint32_t num_pages, std::uint32_t page_size,
           std::unique_ptr<EvictionPolicy> policy, PrefixDomains& domains, ManagerLog& log)
      : m_name(name),
        m_pool(num_pages, page_size, std::move(policy)),
        m_domains(domains),
        m_log(log) {}
  PageTree(PageTree const&)            = delete;
  PageTree& operator=(PageTree const&) = delete;

  PagePool const& pool() const { return m_pool; }
  PageIndex const& index() const { return m_pool.index(); }

  /// A page with one reference, or null_page.
  /// \param evicted  called with a page before its contents are given up
  template <class Evicted>
  std::uint32_t take(Evicted const& evicted) {
    return m_pool.take([&](std::uint32_t page) {
      evicted(page);
      forget(page);
    });
  }
  void retain(std::uint32_t page) { m_pool.retain(page); }
  void touch(std::uint32_t page) { m_pool.touch(page); }
  void release(std::uint32_t page) { m_pool.release(page); }
  void raise(std::uint32_t page, std::uint8_t level) { m_pool.raise(page, level); }
  void expect_levels() { m_pool.expect_levels(); }
  /// Releases all pages but the first `kept`, last to first: what stands before others is needed
  /// longer.
  void release(std::vector<std::uint32_t>& pages, std::size_t kept) {
    while (pages.size() > kept) {
      m_pool.release(pages.back());
      pages.pop_back();
    }
  }

  void publish(std::uint32_t page, PageIndex::Place place, PageKey key,
               std::span<std::uint32_t const> tokens) {
    m_pool.publish(page, place, key, tokens);
    if (place.parent == null_page) m_domains.retain(place.domain);
    m_log.tell(PageEvent::Kind::stored, m_name, index(), m_domains, page);
  }
  /// Gives up the contents of an unreferenced leaf.
  void discard(std::uint32_t page) {
    forget(page);
    m_pool.discard(page);
  }

 private:
  void forget(std::uint32_t page) {
    m_log.tell(PageEvent::Kind::removed, m_name, index(), m_domains, page);
    auto const place = index().place(page);
    if (place.parent == null_page) m_domains.release(place.domain);
  }

  PageEvent::Place m_name;
  PagePool m_pool;
  PrefixDomains& m_domains;
  ManagerLog& m_log;
};

}  // namespace KokkosKV::Impl

#endif
