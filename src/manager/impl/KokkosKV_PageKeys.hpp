// PageKeys: the keys of the pages of a sequence, some of them ahead.
#ifndef KOKKOSKV_IMPL_PAGEKEYS_HPP
#define KOKKOSKV_IMPL_PAGEKEYS_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <manager/KokkosKV_PageHash.hpp>
#include <manager/impl/KokkosKV_PagePool.hpp>

namespace KokkosKV::Impl {

/// Hashes a few pages ahead and asks for what the pool knows of them, so that it comes from memory
/// while the pages before are looked up: in a large pool nearly all of it is in no cache of the
/// processor.
class PageKeys {
 public:
  /// \param before  key of the page before the first one
  /// \param tokens  what stands behind that one; a last page that is not full has no key
  PageKeys(PagePool const& pool, PageHashFunction hash, PageKey before,
           std::span<std::uint32_t const> tokens)
      : m_pool(&pool),
        m_hash(hash),
        m_last(before),
        m_tokens(tokens),
        m_num_pages(tokens.size() / pool.index().page_size()) {}

  /// The key of page `i`, counted from the first token; must not be below that of an earlier call.
  PageKey at(std::size_t i) {
    auto const end = std::min(i + 1 + num_ahead, m_num_pages);
    while (m_num_hashed < end) hash_next();
    return m_keys[i % m_keys.size()];
  }

 private:
  /// Far enough for memory to answer, near enough to hash little in vain.
  static constexpr std::size_t num_ahead = 15;
  /// So many pages later the answer to the first question is there, and leads to the next.
  static constexpr std::size_t num_between = 8;

  void hash_next() {
    auto const page_size = m_pool->index().page_size();
    m_last               = m_hash(m_last, m_tokens.subspan(m_num_hashed * page_size, page_size));
    m_keys[m_num_hashed % m_keys.size()] = m_last;
    m_pool->prefetch_bucket(m_last);
    if (m_num_hashed >= num_between)
      m_pool->prefetch_page(m_keys[(m_num_hashed - num_between) % m_keys.size()]);
    ++m_num_hashed;
  }

  PagePool const* m_pool;
  PageHashFunction m_hash;
  PageKey m_last;  ///< key of the page hashed last
  std::span<std::uint32_t const> m_tokens;
  std::size_t m_num_pages;
  std::size_t m_num_hashed = 0;
  std::array<PageKey, num_ahead + 1> m_keys{};
};

}  // namespace KokkosKV::Impl

#endif
