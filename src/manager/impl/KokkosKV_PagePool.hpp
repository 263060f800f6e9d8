// Pages with their reference counts: free, held by sequences, or cached.
#ifndef KOKKOSKV_IMPL_PAGEPOOL_HPP
#define KOKKOSKV_IMPL_PAGEPOOL_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include <kokkos_ext/impl/KokkosKV_LargeVector.hpp>
#include <manager/KokkosKV_EvictionPolicy.hpp>
#include <manager/impl/KokkosKV_PageIndex.hpp>
#include <manager/impl/KokkosKV_PriorityPolicy.hpp>

namespace KokkosKV::Impl {

/// A page is free, or referenced, or published and unreferenced (cached). Cached pages without
/// published pages below them are the ones that may be evicted, so that the index stays a tree.
class PagePool {
 public:
  PagePool(std::uint32_t num_pages, std::uint32_t page_size, std::unique_ptr<EvictionPolicy> policy)
      : m_index(num_pages, page_size), m_references(num_pages, 0), m_policy(std::move(policy)) {
    m_policy.reset(num_pages);
    m_upcoming.fill(null_page);
    // The lowest numbers first.
    for (auto page = num_pages; page > 0; --page) give_back(page - 1);
  }

  PageIndex const& index() const { return m_index; }
  std::uint32_t num_pages() const { return static_cast<std::uint32_t>(m_references.size()); }
  std::uint32_t num_free() const { return m_num_free; }
  std::uint32_t num_cached() const { return m_num_cached; }
  std::uint32_t num_references(std::uint32_t page) const { return m_references[page]; }
  bool is_cached(std::uint32_t page) const {
    return m_references[page] == 0 && m_index.is_published(page);
  }

  /// A page with one reference, or null_page where none is free or may be evicted.
  /// \param evicted  called with a page before its contents are given up
  template <class Evicted>
  std::uint32_t take(Evicted const& evicted) {
    if (m_num_free == 0 && !evict(evicted)) return null_page;
    auto const page    = m_first_free;
    m_first_free       = m_index.link(page);
    m_references[page] = 1;
    --m_num_free;
    return page;
  }

  void retain(std::uint32_t page) {
    if (m_references[page]++ > 0) return;
    m_policy.retain(page, m_index.is_leaf(page));
    --m_num_cached;
  }

  /// A sequence uses what is in the page.
  void touch(std::uint32_t page) { m_policy.touch(page); }

  void release(std::uint32_t page) {
    if (--m_references[page] > 0) return;
    if (m_index.is_published(page)) {
      m_policy.release(page, m_index.is_leaf(page));
      ++m_num_cached;
    } else {
      give_back(page);
    }
  }

  /// A referenced page becomes findable.
  void publish(std::uint32_t page, PageIndex::Place place, PageKey key,
               std::span<std::uint32_t const> tokens) {
    m_index.publish(page, place, key, tokens);
    m_policy.insert(page, key.low, place.parent);
  }

  /// Gives up the contents of an unreferenced leaf for another reason than lack of room.
  void discard(std::uint32_t page) {
    m_policy.remove(page, true);
    take_out(page);
    --m_num_cached;
    give_back(page);
  }

  /// Pages of a higher level are evicted after those of a lower one, as PriorityPolicy says.
  /// \param page   referenced and published; its level stays until its contents are given up
  /// \param level  does nothing where the page has a higher one; 0 is what every page begins with
  void raise(std::uint32_t page, std::uint8_t level) { m_policy.raise(page, level); }
  /// From now on raise() needs no memory.
  void expect_levels() { m_policy.expect_levels(); }

  /// Asks for the memory that looking up a block needs first.
  void prefetch_bucket(PageKey key) const {
    m_index.prefetch_bucket(key);
    m_policy.prefetch_block(key.low);
  }
  /// Asks for the memory that looking up a block, and then using its page, needs next.
  void prefetch_page(PageKey key) const {
    auto const page = m_index.prefetch_first(key);
    if (page == null_page) return;
    prefetch(&m_references[page]);
    m_policy.prefetch_page(page);
  }

  /// Host memory held, but for the token ids.
  std::size_t memory_bytes() const {
    return m_index.memory_bytes() + m_references.capacity() * sizeof(std::uint32_t) +
           m_policy.memory_bytes();
  }

 private:
  void give_back(std::uint32_t page) {
    m_index.link(page) = m_first_free;
    m_first_free       = page;
    ++m_num_free;
  }

  template <class Evicted>
  bool evict(Evicted const& evicted) {
    auto const page = m_policy.evict();
    if (page == null_page) return false;
    m_index.prefetch_tokens(page);
    prefetch_victims();
    evicted(page);
    take_out(page);
    --m_num_cached;
    give_back(page);
    return true;
  }

  /// Asks for the memory that evicting a later page will need first, and, since an earlier call has
  /// asked that for a page that comes before it, for what that one will need then.
  void prefetch_victims() {
    auto const later = m_policy.upcoming();
    auto const next  = std::exchange(m_upcoming[m_num_evicted++ % m_upcoming.size()], later);
    if (later != null_page) {
      m_index.prefetch_page(later);
      prefetch(&m_references[later]);
    }
    if (next == null_page) return;
    m_index.prefetch_bucket(m_index.key(next));
    auto const parent = m_index.place(next).parent;
    if (parent == null_page) return;
    m_index.prefetch_page(parent);
    prefetch(&m_references[parent]);
    m_policy.prefetch_page(parent);
  }

  void take_out(std::uint32_t page) {
    auto const parent = m_index.place(page).parent;
    m_index.withdraw(page);
    if (parent != null_page && m_index.is_leaf(parent) && m_references[parent] == 0)
      m_policy.uncover(parent);
  }

  PageIndex m_index;
  LargeVector<std::uint32_t> m_references;
  std::uint32_t m_first_free = null_page;  ///< the others are linked to it
  std::uint32_t m_num_free   = 0;
  std::uint32_t m_num_cached = 0;
  /// The policy's, when the last pages were evicted.
  std::array<std::uint32_t, EvictionPolicy::upcoming_distance / 2> m_upcoming{};
  std::size_t m_num_evicted = 0;
  PriorityPolicy m_policy;
};

}  // namespace KokkosKV::Impl

#endif
