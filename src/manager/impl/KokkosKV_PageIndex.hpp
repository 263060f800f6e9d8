// The tree of published pages: full pages whose keys and values are written, found by the page
// before and their tokens.
#ifndef KOKKOSKV_IMPL_PAGEINDEX_HPP
#define KOKKOSKV_IMPL_PAGEINDEX_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <cache/KokkosKV_StaticParams.hpp>
#include <manager/KokkosKV_PageKey.hpp>

namespace KokkosKV::Impl {

/// A page is published below another published page, or below the root of a domain. What a page is
/// follows from its parent and its tokens; the key only leads to it.
class PageIndex {
 public:
  PageIndex(std::uint32_t num_pages, std::uint32_t page_size)
      : m_page_size(page_size),
        m_nodes(num_pages),
        m_tokens(std::size_t(num_pages) * page_size),
        m_buckets(std::bit_ceil(std::size_t(num_pages) + 1), null_page) {}

  /// Where a page stands: below `parent`, or below the root of `domain` where that is null_page.
  struct Place {
    std::uint32_t parent;
    std::uint32_t domain;

    friend bool operator==(Place const&, Place const&) = default;
  };

  /// The published page of these tokens, or null_page.
  std::uint32_t find(Place place, PageKey key, std::span<std::uint32_t const> tokens) const {
    auto page = m_buckets[bucket_of(key)];
    while (page != null_page && !is(page, place, key, tokens)) page = m_nodes[page].next;
    return page;
  }

  bool is_published(std::uint32_t page) const { return m_nodes[page].is_published; }
  bool is_leaf(std::uint32_t page) const { return m_nodes[page].children == 0; }
  PageKey key(std::uint32_t page) const { return m_nodes[page].key; }
  Place place(std::uint32_t page) const { return {m_nodes[page].parent, m_nodes[page].domain}; }
  std::span<std::uint32_t const> tokens(std::uint32_t page) const {
    return {m_tokens.data() + std::size_t(page) * m_page_size, m_page_size};
  }

  void publish(std::uint32_t page, Place place, PageKey key,
               std::span<std::uint32_t const> tokens) {
    auto& bucket  = m_buckets[bucket_of(key)];
    m_nodes[page] = {key, place.parent, place.domain, 0, bucket, true};
    bucket        = page;
    std::copy(tokens.begin(), tokens.end(),
              m_tokens.begin() + static_cast<std::ptrdiff_t>(std::size_t(page) * m_page_size));
    if (place.parent != null_page) ++m_nodes[place.parent].children;
  }

  /// Takes a leaf out.
  void withdraw(std::uint32_t page) {
    auto& node  = m_nodes[page];
    auto* place = &m_buckets[bucket_of(node.key)];
    while (*place != page) place = &m_nodes[*place].next;
    *place            = node.next;
    node.is_published = false;
    if (node.parent != null_page) --m_nodes[node.parent].children;
  }

 private:
  struct Node {
    PageKey key{};
    std::uint32_t parent   = null_page;
    std::uint32_t domain   = 0;
    std::uint32_t children = 0;
    std::uint32_t next     = null_page;  ///< in the bucket
    bool is_published      = false;
  };

  std::size_t bucket_of(PageKey key) const { return key.low & (m_buckets.size() - 1); }

  bool is(std::uint32_t page, Place where, PageKey key,
          std::span<std::uint32_t const> tokens) const {
    auto const found = this->tokens(page);
    return m_nodes[page].key == key && place(page) == where &&
           std::equal(tokens.begin(), tokens.end(), found.begin(), found.end());
  }

  std::uint32_t m_page_size;
  std::vector<Node> m_nodes;
  std::vector<std::uint32_t> m_tokens;
  std::vector<std::uint32_t> m_buckets;
};

}  // namespace KokkosKV::Impl

#endif
