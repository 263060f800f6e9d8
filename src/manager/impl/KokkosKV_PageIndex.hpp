// The tree of published pages: full pages whose keys and values are written, found by the page
// before and their tokens.
#ifndef KOKKOSKV_IMPL_PAGEINDEX_HPP
#define KOKKOSKV_IMPL_PAGEINDEX_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <cache/KokkosKV_StaticParams.hpp>
#include <kokkos_ext/impl/KokkosKV_LargeVector.hpp>
#include <kokkos_ext/impl/KokkosKV_Prefetch.hpp>
#include <manager/KokkosKV_PageKey.hpp>
#include <manager/impl/KokkosKV_PageLine.hpp>

namespace KokkosKV::Impl {

/// A page is published below another published page, or below the root of a domain. What a page is
/// follows from its parent and its tokens; the key only leads to it. 39 bytes a page beside its
/// tokens.
class PageIndex {
 public:
  PageIndex(std::uint32_t num_pages, std::uint32_t page_size)
      : m_page_size(page_size),
        m_nodes(num_pages),
        m_tokens(std::size_t(num_pages) * page_size),
        m_lines(num_pages / pages_per_line + 1) {}

  /// Where a page stands: below `parent`, or below the root of `domain` where that is null_page.
  struct Place {
    std::uint32_t parent;
    std::uint32_t domain;

    friend bool operator==(Place const&, Place const&) = default;
  };

  /// The published page of these tokens, or null_page.
  std::uint32_t find(Place place, PageKey key, std::span<std::uint32_t const> tokens) const {
    auto const& line     = line_of(key);
    auto const is_sought = [&](std::uint32_t page) { return is(page, place, key, tokens); };
    auto page            = line.find(tag_of(key), is_sought);
    if (page == null_page) page = line.overflow;
    while (page != null_page && !is_sought(page)) page = m_nodes[page].next;
    return page;
  }

  /// Asks for the memory that find() begins with.
  void prefetch_bucket(PageKey key) const { prefetch(&line_of(key)); }
  /// Asks for the memory that find() goes on with, and gives the page that it will likely return,
  /// or null_page. Comes a while after prefetch_bucket().
  std::uint32_t prefetch_first(PageKey key) const {
    auto const& line = line_of(key);
    auto page        = line.find(tag_of(key), [](std::uint32_t) { return true; });
    if (page == null_page) page = line.overflow;
    if (page != null_page) {
      prefetch(&m_nodes[page]);
      prefetch(tokens(page).data());
    }
    return page;
  }

  /// Asks for what is known of a page, but for its tokens.
  void prefetch_page(std::uint32_t page) const { prefetch(&m_nodes[page]); }
  /// Asks for the tokens of a page.
  void prefetch_tokens(std::uint32_t page) const { prefetch(tokens(page).data()); }

  std::uint32_t page_size() const { return m_page_size; }
  bool is_published(std::uint32_t page) const { return m_nodes[page].children != not_published; }
  /// A published page without published pages below it.
  bool is_leaf(std::uint32_t page) const { return m_nodes[page].children == 0; }
  PageKey key(std::uint32_t page) const { return m_nodes[page].key; }
  Place place(std::uint32_t page) const { return {m_nodes[page].parent, m_nodes[page].domain}; }
  std::span<std::uint32_t const> tokens(std::uint32_t page) const {
    return {m_tokens.data() + std::size_t(page) * m_page_size, m_page_size};
  }

  void publish(std::uint32_t page, Place place, PageKey key,
               std::span<std::uint32_t const> tokens) {
    m_nodes[page] = {key, place.parent, place.domain, 0, null_page};
    auto& line    = line_of(key);
    if (!line.insert(tag_of(key), page)) {
      m_nodes[page].next = line.overflow;
      line.overflow      = page;
    }
    std::copy(tokens.begin(), tokens.end(),
              m_tokens.begin() + static_cast<std::ptrdiff_t>(std::size_t(page) * m_page_size));
    if (place.parent != null_page) ++m_nodes[place.parent].children;
  }

  /// Takes a leaf out.
  void withdraw(std::uint32_t page) {
    auto& node = m_nodes[page];
    auto& line = line_of(node.key);
    if (line.erase(tag_of(node.key), page)) {
      fill(line);
    } else {
      auto* place = &line.overflow;
      while (*place != page) place = &m_nodes[*place].next;
      *place = node.next;
    }
    node.children = not_published;
    if (node.parent != null_page) --m_nodes[node.parent].children;
  }

  /// Of a page that is not published: room for a link of the owner, to another such page.
  std::uint32_t& link(std::uint32_t page) { return m_nodes[page].next; }

  /// Host memory held, but for the token ids.
  std::size_t memory_bytes() const {
    return m_nodes.capacity() * sizeof(Node) + m_lines.capacity() * sizeof(PageLine);
  }

 private:
  /// More than any page has.
  static constexpr std::uint32_t not_published = 0xFFFFFFFFu;

  /// In one line of the processor's cache, of which two have room in most processors.
  struct alignas(32) Node {
    PageKey key{};
    std::uint32_t parent   = null_page;
    std::uint32_t domain   = 0;
    std::uint32_t children = not_published;
    std::uint32_t next     = null_page;  ///< that found no room in the same line
  };
  static_assert(sizeof(Node) == 32);

  /// Of twelve that have room: one page in thirty finds none when all pages are published.
  static constexpr std::uint32_t pages_per_line = 9;

  static std::uint8_t tag_of(PageKey key) { return PageLine::tag_of(key.high); }
  /// The number of lines is no power of two: memory for each page does not depend on their number.
  /// The product spreads keys whose upper bits are poor.
  std::size_t line_index(PageKey key) const {
    auto const mixed = (key.low * 0x9E3779B97F4A7C15u) >> 32;
    return static_cast<std::size_t>((mixed * m_lines.size()) >> 32);
  }
  PageLine const& line_of(PageKey key) const { return m_lines[line_index(key)]; }
  PageLine& line_of(PageKey key) { return m_lines[line_index(key)]; }

  /// Where a line has room for a page that found none, that one moves in.
  void fill(PageLine& line) {
    auto const page = line.overflow;
    if (page == null_page) return;
    line.insert(tag_of(m_nodes[page].key), page);
    line.overflow = m_nodes[page].next;
  }

  bool is(std::uint32_t page, Place where, PageKey key,
          std::span<std::uint32_t const> tokens) const {
    auto const found = this->tokens(page);
    return m_nodes[page].key == key && place(page) == where &&
           std::equal(tokens.begin(), tokens.end(), found.begin(), found.end());
  }

  std::uint32_t m_page_size;
  LargeVector<Node> m_nodes;
  LargeVector<std::uint32_t> m_tokens;
  LargeVector<PageLine> m_lines;
};

}  // namespace KokkosKV::Impl

#endif
