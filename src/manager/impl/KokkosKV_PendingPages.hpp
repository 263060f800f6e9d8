// PendingPages: the full pages of a step that is being drafted, found by their tokens.
#ifndef KOKKOSKV_IMPL_PENDINGPAGES_HPP
#define KOKKOSKV_IMPL_PENDINGPAGES_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <manager/KokkosKV_PageKey.hpp>
#include <manager/impl/KokkosKV_PageIndex.hpp>

namespace KokkosKV::Impl {

/// A page that will be full, for others in the same step.
struct PendingPage {
  PageKey key;
  PageIndex::Place place;
  std::span<std::uint32_t const> tokens;
  std::uint32_t number;     ///< stands for the page
  std::uint32_t host_page;  ///< whence it comes, or null_page
};

/// A hash table that is cheap to clear: a long prompt has as many pages as a step of other
/// sequences has none.
class PendingPages {
 public:
  void clear() {
    for (auto const& entry : m_entries) m_buckets[bucket_of(entry.page.key)] = none;
    m_entries.clear();
  }

  PendingPage const* find(PageIndex::Place place, PageKey key,
                          std::span<std::uint32_t const> tokens) const {
    if (m_entries.empty()) return nullptr;
    for (auto at = m_buckets[bucket_of(key)]; at != none; at = m_entries[at].next) {
      auto const& page = m_entries[at].page;
      if (page.key == key && page.place == place && std::ranges::equal(page.tokens, tokens))
        return &page;
    }
    return nullptr;
  }

  void add(PendingPage const& page) {
    if (m_entries.size() >= m_buckets.size()) grow();
    auto& bucket = m_buckets[bucket_of(page.key)];
    m_entries.push_back({page, bucket});
    bucket = static_cast<std::uint32_t>(m_entries.size() - 1);
  }

 private:
  static constexpr std::uint32_t none = 0xFFFFFFFFu;

  struct Entry {
    PendingPage page;
    std::uint32_t next;  ///< in the bucket
  };

  std::size_t bucket_of(PageKey key) const { return key.low & (m_buckets.size() - 1); }

  void grow() {
    std::vector<std::uint32_t> buckets(std::max<std::size_t>(64, 2 * m_buckets.size()), none);
    m_buckets.swap(buckets);
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
      auto& bucket      = m_buckets[bucket_of(m_entries[i].page.key)];
      m_entries[i].next = bucket;
      bucket            = static_cast<std::uint32_t>(i);
    }
  }

  std::vector<Entry> m_entries;
  std::vector<std::uint32_t> m_buckets;  ///< a power of two of them, or none yet
};

}  // namespace KokkosKV::Impl

#endif
