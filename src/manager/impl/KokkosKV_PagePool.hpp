// Pages with their reference counts: free, held by sequences, or cached.
#ifndef KOKKOSKV_IMPL_PAGEPOOL_HPP
#define KOKKOSKV_IMPL_PAGEPOOL_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <manager/KokkosKV_EvictionPolicy.hpp>
#include <manager/impl/KokkosKV_PageIndex.hpp>

namespace KokkosKV::Impl {

/// A page is free, or referenced, or published and unreferenced (cached). Cached pages without
/// published pages below them are the ones that may be evicted, so that the index stays a tree.
class PagePool {
 public:
  PagePool(std::uint32_t num_pages, std::uint32_t page_size, std::unique_ptr<EvictionPolicy> policy)
      : m_index(num_pages, page_size), m_references(num_pages, 0), m_policy(std::move(policy)) {
    m_policy->reset(num_pages);
    m_free.reserve(num_pages);
    // The lowest numbers first.
    for (auto page = num_pages; page > 0; --page) m_free.push_back(page - 1);
  }

  PageIndex const& index() const { return m_index; }
  std::uint32_t num_pages() const { return static_cast<std::uint32_t>(m_references.size()); }
  std::uint32_t num_free() const { return static_cast<std::uint32_t>(m_free.size()); }
  std::uint32_t num_cached() const { return m_num_cached; }
  std::uint32_t num_references(std::uint32_t page) const { return m_references[page]; }
  bool is_cached(std::uint32_t page) const {
    return m_references[page] == 0 && m_index.is_published(page);
  }

  /// A page with one reference; there must be one that is free or cached.
  /// \param evicted  called with a page before its contents are given up
  template <class Evicted>
  std::uint32_t take(Evicted const& evicted) {
    if (m_free.empty()) evict(evicted);
    auto const page = m_free.back();
    m_free.pop_back();
    m_references[page] = 1;
    return page;
  }

  void retain(std::uint32_t page) {
    if (m_references[page]++ > 0) return;
    m_policy->retain(page, m_index.is_leaf(page));
    --m_num_cached;
  }

  /// A sequence uses what is in the page.
  void touch(std::uint32_t page) { m_policy->touch(page); }

  void release(std::uint32_t page) {
    if (--m_references[page] > 0) return;
    if (m_index.is_published(page)) {
      m_policy->release(page, m_index.is_leaf(page));
      ++m_num_cached;
    } else {
      m_free.push_back(page);
    }
  }

  /// A referenced page becomes findable.
  void publish(std::uint32_t page, PageIndex::Place place, PageKey key,
               std::span<std::uint32_t const> tokens) {
    m_index.publish(page, place, key, tokens);
    m_policy->insert(page, key.low, place.parent);
  }

 private:
  template <class Evicted>
  void evict(Evicted const& evicted) {
    auto const page = m_policy->evict();
    evicted(page);
    take_out(page);
    --m_num_cached;
    m_free.push_back(page);
  }

  void take_out(std::uint32_t page) {
    auto const parent = m_index.place(page).parent;
    m_index.withdraw(page);
    if (parent != null_page && m_index.is_leaf(parent) && m_references[parent] == 0)
      m_policy->uncover(parent);
  }

  PageIndex m_index;
  std::vector<std::uint32_t> m_references;
  std::vector<std::uint32_t> m_free;
  std::uint32_t m_num_cached = 0;
  std::unique_ptr<EvictionPolicy> m_policy;
};

}  // namespace KokkosKV::Impl

#endif
