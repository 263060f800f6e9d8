// PageChildren: the published pages that follow a page, for those who look for a part of one.
#ifndef KOKKOSKV_IMPL_PAGECHILDREN_HPP
#define KOKKOSKV_IMPL_PAGECHILDREN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <manager/impl/KokkosKV_PageIndex.hpp>

namespace KokkosKV::Impl {

/// A part of a page that begins like some tokens.
struct PagePart {
  std::uint32_t page       = null_page;
  std::uint32_t num_tokens = 0;
};

/// Lists of siblings, the newest first.
class PageChildren {
 public:
  /// \param num_pages  of the pool; 0 keeps no lists
  explicit PageChildren(std::uint32_t num_pages) : m_links(num_pages) {}

  bool exist() const { return !m_links.empty(); }

  /// Pages of a domain may come.
  void expect(std::uint32_t domain) {
    if (exist() && domain >= m_roots.size()) m_roots.resize(domain + std::size_t(1), null_page);
  }

  void add(PageIndex::Place place, std::uint32_t page) {
    if (!exist()) return;
    auto& first   = first_child(place);
    m_links[page] = {m_links[page].child, null_page, first};
    if (first != null_page) m_links[first].before = page;
    first = page;
  }
  /// A page without children.
  void remove(PageIndex::Place place, std::uint32_t page) {
    if (!exist()) return;
    auto const [child, before, after] = m_links[page];
    if (after != null_page) m_links[after].before = before;
    if (before != null_page) {
      m_links[before].after = after;
    } else {
      first_child(place) = after;
    }
  }

  /// The child that begins with the most of `tokens`; of the newest ones, if there are many.
  PagePart longest_common(PageIndex const& index, PageIndex::Place place,
                          std::span<std::uint32_t const> tokens) const {
    PagePart best;
    if (!exist()) return best;
    auto page = place.parent != null_page ? m_links[place.parent].child : m_roots[place.domain];
    for (int i = 0; i < most_siblings && page != null_page; ++i, page = m_links[page].after) {
      auto const others = index.tokens(page);
      auto const end    = std::ranges::mismatch(tokens, others).in1;
      auto const length = static_cast<std::uint32_t>(end - tokens.begin());
      if (length > best.num_tokens) best = {page, length};
    }
    return best;
  }

 private:
  /// Bounds the time of a look-up.
  static constexpr int most_siblings = 64;

  struct Links {
    std::uint32_t child  = null_page;  ///< the newest
    std::uint32_t before = null_page;  ///< sibling that is newer
    std::uint32_t after  = null_page;  ///< sibling that is older
  };

  std::uint32_t& first_child(PageIndex::Place place) {
    return place.parent != null_page ? m_links[place.parent].child : m_roots[place.domain];
  }

  std::vector<Links> m_links;
  std::vector<std::uint32_t> m_roots;  ///< the newest first page of each domain
};

}  // namespace KokkosKV::Impl

#endif
