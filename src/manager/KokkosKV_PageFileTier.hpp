// PageFileTier: pages outside the pool, in files that outlive the process.
#ifndef KOKKOSKV_PAGEFILETIER_HPP
#define KOKKOSKV_PAGEFILETIER_HPP

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <cache/KokkosKV_Errors.hpp>
#include <manager/KokkosKV_PageFile.hpp>
#include <manager/KokkosKV_PageFileError.hpp>
#include <manager/KokkosKV_PageKey.hpp>
#include <manager/impl/KokkosKV_PageFileFolder.hpp>
#include <manager/impl/KokkosKV_PageFileIndex.hpp>
#include <manager/impl/KokkosKV_PageFileLock.hpp>
#include <manager/impl/KokkosKV_PageFileRefusals.hpp>
#include <manager/impl/KokkosKV_PageFileScan.hpp>

namespace KokkosKV {

/// Keeps pages as files of one folder, one page a file. Whenever the process ends, and however it
/// does, the next tier on the folder finds every page whole or not at all.
///
/// Files are never trusted: magic number, version, sizes, tag, key and checksums are verified
/// before a page is given out. A file that fails is refused and listed by refusals(); it is removed
/// if it is damaged, and left alone if it belongs to somebody else: another tag, page size or
/// version. Files with other names are never touched.
///
/// One thread at a time may use a tier, and one tier at a time a folder.
class PageFileTier {
 public:
  /// Opens a folder, which is made if it is missing, and finds the pages in it. Those written first
  /// count as those unused for longest; if there are more than fit, some are evicted.
  ///
  /// \param folder      where the files lie; other files in it are left alone
  /// \param options     what the pages are like
  /// \param operations  operations of the system, for tests that let them fail
  /// \throws ShapeError     a page has no tokens or bytes, or does not fit the capacity
  /// \throws PageFileError  the folder cannot be made, read or written, or another tier uses it
  PageFileTier(std::filesystem::path folder, PageFileOptions const& options,
               std::shared_ptr<Impl::PageFileOperations> operations =
                   std::make_shared<Impl::PageFileOperations>())
      : m_folder(std::move(folder), checked(options), std::move(operations)),
        m_lock(made(m_folder.path())) {
    Impl::scan_page_files(m_folder, m_index, m_refusals);
    while (size_bytes() > capacity_bytes()) evict(m_index.oldest());
  }
  PageFileTier(PageFileTier const&)            = delete;
  PageFileTier& operator=(PageFileTier const&) = delete;

  /// Whether a page is held. Its keys and values are verified only by get().
  bool contains(PageKey const& key) const { return m_index.contains(key); }

  /// Stores a page. One that is held already stays as it is and counts as used. If there is no room
  /// the page unused for longest is evicted, of those without children. A page whose ancestors
  /// fill the capacity is not stored: it would be of no use without them.
  ///
  /// \returns whether the page is held now
  /// \throws ShapeError     the page has not as many tokens or bytes as the options say
  /// \throws ConflictError  the key is that of no page, or that of the parent
  /// \throws PageFileError  the page could not be stored; the tier is as it was before
  bool put(StoredPage const& page) {
    check(page);
    if (m_index.contains(page.key)) {
      m_index.touch(page.key);
      return true;
    }
    m_index.insert({page.key, page.parent, page.salt, page.tokens, 0});
    std::optional<PageKey> victim;
    if (size_bytes() > capacity_bytes()) {
      victim = m_index.victim(page.key);
      if (!victim) {
        m_index.erase(page.key);
        return false;
      }
    }
    try {
      m_folder.write(page);
      if (victim) make_room(*victim, page.key);
    } catch (...) {
      m_index.erase(page.key);
      throw;
    }
    ++m_puts;
    return true;
  }

  /// The page of that key, verified from end to end, which then counts as used. Nothing if it is
  /// not held, or if its file is refused; it is not held any more then.
  ///
  /// \throws PageFileError  the file could not be read; the page is still held
  std::optional<StoredPage> get(PageKey const& key) {
    ++m_gets;
    if (!m_index.contains(key)) return std::nullopt;
    StoredPage page;
    if (auto fault = m_folder.read(key, page)) {
      m_index.erase(key);
      m_refusals.add(m_folder, m_folder.file(key), std::move(*fault));
      return std::nullopt;
    }
    m_index.touch(key);
    ++m_hits;
    return page;
  }

  /// Removes a page and its file; nothing happens if it is not held.
  ///
  /// \throws PageFileError  the file could not be removed; the page is still held
  void remove(PageKey const& key) {
    if (!m_index.contains(key)) return;
    m_folder.remove(m_folder.file(key));
    m_index.erase(key);
  }

  /// Calls `visitor(key, parent, salt, tokens)` for every page, parents before their children: what
  /// a new manager needs to know of the pages that it can get. The tokens are a
  /// `std::span<std::uint32_t const>`. The visitor must not change the tier.
  template <class Visitor>
  void visit(Visitor&& visitor) const {
    for (auto const* const head : m_index.in_order()) {
      visitor(head->key, head->parent, head->salt, std::span<std::uint32_t const>(head->tokens));
    }
  }

  /// The keys of all pages, parents before their children.
  std::vector<PageKey> keys() const {
    std::vector<PageKey> keys;
    for (auto const* const head : m_index.in_order()) keys.push_back(head->key);
    return keys;
  }

  /// Number of pages.
  std::size_t count() const { return m_index.size(); }
  /// Bytes of all page files.
  std::uint64_t size_bytes() const { return count() * file_bytes(); }
  /// What size_bytes() does not exceed.
  std::uint64_t capacity_bytes() const { return m_folder.options().capacity_bytes; }
  /// Bytes of one page file: those of the page, its tokens and the header.
  std::uint64_t file_bytes() const { return Impl::page_file_bytes(m_folder.options()); }

  /// What the pages are like.
  PageFileOptions const& options() const { return m_folder.options(); }
  /// What the tier holds and has done.
  PageFileStatistics statistics() const {
    return {count(), size_bytes(), m_puts, m_gets, m_hits, m_refusals.count(), m_evicted};
  }

  /// The files refused last, at most 256, the newest at the end.
  std::vector<PageFileRefusal> refusals() const { return m_refusals.kept(); }

 private:
  static PageFileOptions const& checked(PageFileOptions const& options) {
    constexpr auto most_bytes = std::uint64_t(1) << 48;
    expect(options.page_size >= 1, "options.page_size", options.page_size, "at least 1");
    expect(options.page_bytes >= 1, "options.page_bytes", options.page_bytes, "at least 1");
    expect(options.page_bytes <= most_bytes, "options.page_bytes", options.page_bytes,
           "at most " + std::to_string(most_bytes));
    auto const least = Impl::page_file_bytes(options);
    expect(options.capacity_bytes >= least, "options.capacity_bytes", options.capacity_bytes,
           "at least " + std::to_string(least) + " (one page)");
    return options;
  }

  static std::filesystem::path const& made(std::filesystem::path const& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw PageFileError(folder, "cannot make the folder: " + error.message());
    return folder;
  }

  static void expect(bool fulfilled, std::string const& argument, std::uint64_t found,
                     std::string const& expected) {
    if (fulfilled) return;
    throw ShapeError("PageFileTier", argument, std::to_string(found), expected);
  }

  void check(StoredPage const& page) const {
    auto const& options = m_folder.options();
    expect(page.tokens.size() == options.page_size, "page.tokens.size()", page.tokens.size(),
           std::to_string(options.page_size));
    expect(page.bytes.size() == options.page_bytes, "page.bytes.size()", page.bytes.size(),
           std::to_string(options.page_bytes));
    if (page.key == null_page_key) {
      throw ConflictError("PageFileTier", "page.key", to_text(page.key), "the key of a page");
    }
    if (page.key == page.parent) {
      throw ConflictError("PageFileTier", "page.parent", to_text(page.parent),
                          "the key of another page");
    }
  }

  void evict(PageKey const& victim) {
    remove(victim);
    ++m_evicted;
  }

  /// A page that was added without room for it goes again when nothing else does.
  void make_room(PageKey const& victim, PageKey const& newest) {
    try {
      evict(victim);
    } catch (...) {
      try {
        m_folder.remove(m_folder.file(newest));
      } catch (PageFileError const&) {
        // The first failure is the one to tell of.
      }
      throw;
    }
  }

  Impl::PageFileFolder m_folder;
  Impl::PageFileLock m_lock;
  Impl::PageFileIndex m_index;
  Impl::PageFileRefusals m_refusals;
  std::uint64_t m_puts    = 0;
  std::uint64_t m_gets    = 0;
  std::uint64_t m_hits    = 0;
  std::uint64_t m_evicted = 0;
};

}  // namespace KokkosKV

#endif
