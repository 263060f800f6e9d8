// PriorityPolicy: pages of a level above 0 outlast those that another policy decides about.
#ifndef KOKKOSKV_IMPL_PRIORITYPOLICY_HPP
#define KOKKOSKV_IMPL_PRIORITYPOLICY_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <manager/KokkosKV_EvictionPolicy.hpp>
#include <manager/impl/KokkosKV_CellRanking.hpp>
#include <manager/impl/KokkosKV_ReleaseLists.hpp>

namespace KokkosKV::Impl {

/// Every page has a level from 0 (normal) to 255, which lasts until the page is evicted or removed.
/// Pages of level 0 are the inner policy's business. Those of higher levels go when it has nothing
/// evictable: the lowest level first, of one level the page released longest ago. The inner policy
/// never hears that they are released: to it they are referenced.
///
/// Only leaves may go. So a page of level 0 with a cached descendant of a higher level outlasts
/// that one, and so does whatever stands between them.
///
/// Until a level above 0 is asked for no memory is needed; then 17 bytes a page.
class PriorityPolicy final : public EvictionPolicy {
 public:
  explicit PriorityPolicy(std::unique_ptr<EvictionPolicy> inner) : m_inner(std::move(inner)) {}

  /// Raises the level of a page that is inserted and referenced; a higher one stays. Where memory
  /// is lacking (std::bad_alloc) nothing has changed.
  void raise(std::uint32_t page, std::uint8_t level) {
    if (level == 0) return;
    expect_levels();
    auto& own = m_raised->levels[page];
    if (own < level) own = level;
  }
  /// Allocates what the first level above 0 needs.
  void expect_levels() {
    if (m_raised == nullptr) m_raised = std::make_unique<Raised>(m_num_pages);
  }
  std::uint8_t level(std::uint32_t page) const {
    return m_raised == nullptr ? std::uint8_t(0) : m_raised->levels[page];
  }

  void reset(std::uint32_t num_pages) override {
    m_num_pages = num_pages;
    m_raised.reset();
    m_inner->reset(num_pages);
  }
  void insert(std::uint32_t page, std::uint64_t hash, std::uint32_t parent) override {
    m_inner->insert(page, hash, parent);
    if (parent != no_page && level(parent) > 0) m_raised->released.cover(parent);
  }
  void touch(std::uint32_t page) override { m_inner->touch(page); }
  void retain(std::uint32_t page, bool is_leaf) override {
    if (level(page) > 0) {
      m_raised->released.unlink(page);
    } else {
      m_inner->retain(page, is_leaf);
    }
  }
  void release(std::uint32_t page, bool is_leaf) override {
    if (auto const own = level(page); own > 0) {
      m_raised->released.release(own, page, is_leaf);
      m_raised->filled.mark(own);
    } else {
      m_inner->release(page, is_leaf);
    }
  }
  void uncover(std::uint32_t page) override {
    if (auto const own = level(page); own > 0) {
      m_raised->released.uncover(own, page);
      m_raised->filled.mark(own);
    } else {
      m_inner->uncover(page);
    }
  }
  std::uint32_t evict() override {
    auto page = m_inner->evict();
    if (page != no_page || m_raised == nullptr) return page;
    m_raised->filled.first([&](std::size_t level) {
      page = m_raised->released.take_first(static_cast<std::uint32_t>(level));
      return page != no_page;
    });
    if (page != no_page) forget(page);
    return page;
  }
  void remove(std::uint32_t page, bool is_listed) override {
    if (level(page) > 0) {
      m_raised->released.unlink(page);
      forget(page);
    } else {
      m_inner->remove(page, is_listed);
    }
  }
  void prefetch_block(std::uint64_t hash) const override { m_inner->prefetch_block(hash); }
  void prefetch_page(std::uint32_t page) const override { m_inner->prefetch_page(page); }
  std::uint32_t upcoming() const override { return m_inner->upcoming(); }
  std::size_t memory_bytes() const override {
    return m_inner->memory_bytes() + (m_raised == nullptr ? 0 : m_raised->memory_bytes());
  }

 private:
  static constexpr std::size_t num_levels = 256;

  struct Raised {
    explicit Raised(std::uint32_t num_pages) : levels(num_pages, 0) {
      released.reset(num_pages, num_levels);
    }
    std::size_t memory_bytes() const {
      return sizeof(Raised) + levels.capacity() + released.memory_bytes();
    }

    std::vector<std::uint8_t> levels;
    ReleaseLists released;           ///< unreferenced pages of levels above 0, by level
    CellRanking<num_levels> filled;  ///< in the order of levels
  };

  /// Ends the stay of a raised page.
  void forget(std::uint32_t page) {
    m_raised->levels[page] = 0;
    m_inner->remove(page, false);
  }

  std::uint32_t m_num_pages = 0;
  std::unique_ptr<EvictionPolicy> m_inner;
  std::unique_ptr<Raised> m_raised;
};

}  // namespace KokkosKV::Impl

#endif
