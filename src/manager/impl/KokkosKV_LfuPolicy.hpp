// LfuPolicy: the leaf that was used least often gives way, where old uses count less.
#ifndef KOKKOSKV_IMPL_LFUPOLICY_HPP
#define KOKKOSKV_IMPL_LFUPOLICY_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <kokkos_ext/impl/KokkosKV_LargeVector.hpp>
#include <manager/KokkosKV_EvictionPolicy.hpp>
#include <manager/impl/KokkosKV_PageHeap.hpp>

namespace KokkosKV::Impl {

/// Least frequently used, with dynamic ageing: a page's key is the number of its uses plus the age
/// of the cache at the last one, and that age is the key of the page evicted last. So pages that
/// were popular once are overtaken in time. Ties go to the page used longest ago. 32 bytes a page,
/// O(log pages) a call.
class LfuPolicy final : public EvictionPolicy {
 public:
  LfuPolicy() : m_evictable(Order{this}) {}
  // The heap orders pages by entries of this very object.
  LfuPolicy(LfuPolicy const&)            = delete;
  LfuPolicy& operator=(LfuPolicy const&) = delete;

  void reset(std::uint32_t num_pages) override {
    m_age  = 0;
    m_time = 0;
    m_entries.assign(num_pages, {});
    m_evictable.reset(num_pages);
  }
  void insert(std::uint32_t page, std::uint64_t /*hash*/, std::uint32_t parent) override {
    if (parent != no_page) m_evictable.erase(parent);
    use(page, 1);
  }
  void touch(std::uint32_t page) override { use(page, m_entries[page].uses + 1); }
  void retain(std::uint32_t page, bool /*is_leaf*/) override { m_evictable.erase(page); }
  void release(std::uint32_t page, bool is_leaf) override {
    if (is_leaf) m_evictable.push(page);
  }
  void uncover(std::uint32_t page) override { m_evictable.push(page); }
  std::uint32_t evict() override {
    if (m_evictable.empty()) return no_page;
    auto const page = m_evictable.top();
    m_evictable.erase(page);
    m_age = std::max(m_age, m_entries[page].key);
    return page;
  }
  void remove(std::uint32_t page, bool /*is_listed*/) override { m_evictable.erase(page); }
  std::size_t memory_bytes() const override {
    return m_entries.capacity() * sizeof(Entry) + m_evictable.memory_bytes();
  }

 private:
  struct Entry {
    std::uint64_t uses = 0;
    std::uint64_t key  = 0;
    std::uint64_t time = 0;  ///< of the last use: no two are equal
  };
  struct Order {
    LfuPolicy const* policy;
    bool operator()(std::uint32_t a, std::uint32_t b) const {
      auto const& first  = policy->m_entries[a];
      auto const& second = policy->m_entries[b];
      return first.key != second.key ? first.key < second.key : first.time < second.time;
    }
  };

  void use(std::uint32_t page, std::uint64_t uses) {
    m_entries[page] = {uses, m_age + uses, m_time++};
  }

  std::uint64_t m_age  = 0;
  std::uint64_t m_time = 0;
  LargeVector<Entry> m_entries;
  PageHeap<Order> m_evictable;
};

}  // namespace KokkosKV::Impl

#endif
