// FilePages: the file tier as host pages see it.
#ifndef KOKKOSKV_IMPL_FILEPAGES_HPP
#define KOKKOSKV_IMPL_FILEPAGES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <manager/KokkosKV_PageFileTier.hpp>
#include <manager/KokkosKV_PageHash.hpp>
#include <manager/impl/KokkosKV_ManagerLog.hpp>

namespace KokkosKV::Impl {

/// Names a page in files: by hash_page(), whatever hash the manager uses, since files outlive it.
struct FilePlace {
  PageKey key;
  PageKey parent;
  std::uint64_t salt;
  bool is_root = false;

  /// Where the first page of a domain is a child.
  static FilePlace root(PageKey domain) { return {domain, null_page_key, domain.low, true}; }
  /// The place of a page of these tokens after this one.
  FilePlace child(std::span<std::uint32_t const> tokens) const {
    return {hash_page(key, tokens), is_root ? null_page_key : key, salt};
  }
};

/// Failures of the tier cost time alone: they are counted, and the page counts as not held.
class FilePages {
 public:
  FilePages(std::shared_ptr<PageFileTier> tier, ManagerLog& log)
      : m_tier(std::move(tier)), m_log(log) {}

  bool exist() const { return m_tier != nullptr; }
  std::size_t count() const { return m_tier ? m_tier->count() : 0; }
  bool contains(FilePlace const& place) const { return m_tier && m_tier->contains(place.key); }

  /// Whether the page is held now.
  /// \param contents  gives the bytes
  template <class Contents>
  bool put(FilePlace const& place, std::span<std::uint32_t const> tokens,
           Contents const& contents) {
    try {
      auto const bytes = contents();
      if (!m_tier->put({place.key,
                        place.parent,
                        place.salt,
                        {tokens.begin(), tokens.end()},
                        {bytes.begin(), bytes.end()}}))
        return false;
      ++m_log.counts.written_files;
      return true;
    } catch (...) {
      ++m_log.counts.failed_files;
      return false;
    }
  }

  /// Contents of the page, where it is held and is what it is taken for.
  std::optional<std::vector<std::byte>> get(FilePlace const& place,
                                            std::span<std::uint32_t const> tokens) {
    if (!contains(place)) return std::nullopt;
    try {
      auto page = m_tier->get(place.key);
      if (!page || page->parent != place.parent || page->salt != place.salt ||
          !std::ranges::equal(page->tokens, tokens)) {
        ++m_log.counts.failed_files;
        return std::nullopt;
      }
      return std::move(page->bytes);
    } catch (...) {
      ++m_log.counts.failed_files;
      return std::nullopt;
    }
  }

  void remove(FilePlace const& place) {
    try {
      if (m_tier) m_tier->remove(place.key);
    } catch (...) {
      ++m_log.counts.failed_files;
    }
  }

 private:
  std::shared_ptr<PageFileTier> m_tier;
  ManagerLog& m_log;
};

}  // namespace KokkosKV::Impl

#endif
