// One folder of page files: writes, reads and removes single pages.
#ifndef KOKKOSKV_PAGEFILEFOLDER_HPP
#define KOKKOSKV_PAGEFILEFOLDER_HPP

#include <fcntl.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <manager/KokkosKV_PageFile.hpp>
#include <manager/impl/KokkosKV_PageFileFormat.hpp>
#include <manager/impl/KokkosKV_PageFileHandle.hpp>
#include <manager/impl/KokkosKV_PageFileName.hpp>
#include <manager/impl/KokkosKV_PageFileOperations.hpp>

namespace KokkosKV::Impl {

class PageFileFolder {
 public:
  PageFileFolder(std::filesystem::path folder, PageFileOptions const& options,
                 std::shared_ptr<PageFileOperations> operations)
      : m_folder(std::move(folder)), m_options(options), m_operations(std::move(operations)) {}

  std::filesystem::path const& path() const { return m_folder; }
  PageFileOptions const& options() const { return m_options; }

  /// Where a page lies.
  std::filesystem::path file(PageKey const& key, bool partial = false) const {
    return m_folder / PageFileName{m_options.model_tag, key, partial}.text();
  }

  /// Writes aside and renames, so that whoever looks finds the page whole or not at all. The
  /// folder itself is not synced: a page that a failure of power takes back was merely not cached.
  void write(StoredPage const& page) const {
    auto const head    = encode_page_head(page, m_options);
    auto const aside   = file(page.key, true);
    auto const to      = file(page.key);
    auto const reserve = O_WRONLY | O_CREAT | O_EXCL;
    PageFileHandle handle(*m_operations, aside, reserve);
    if (!handle.is_open()) fail_file(aside, "create", errno);
    try {
      handle.write_all(head);
      handle.write_all(page.bytes);
      if (m_options.sync) handle.sync();
      handle.close();
      if (m_operations->rename(aside, to) != 0) fail_file(to, "rename to this name", errno);
    } catch (...) {
      m_operations->remove(aside);
      throw;
    }
  }

  /// Reads what lies before keys and values, and finds out whether it is as it should be.
  /// \param to        gets what was read
  /// \param modified  gets the time of the last write
  std::optional<PageFileFault> read_head(PageKey const& key, PageFileHead& to,
                                         std::int64_t& modified) const {
    auto const path = file(key);
    PageFileHandle handle(*m_operations, path, O_RDONLY);
    if (!handle.is_open()) fail_file(path, "open", errno);
    modified = handle.status().modified;
    return read_head(handle, key, to);
  }

  /// Reads a page, and finds out whether it is as it should be.
  std::optional<PageFileFault> read(PageKey const& key, StoredPage& to) const {
    auto const path = file(key);
    PageFileHandle handle(*m_operations, path, O_RDONLY);
    if (!handle.is_open() && errno == ENOENT) return PageFileFault{"the file is gone"};
    if (!handle.is_open()) fail_file(path, "open", errno);
    PageFileHead head;
    if (auto fault = read_head(handle, key, head)) return fault;
    to.bytes.resize(static_cast<std::size_t>(m_options.page_bytes));
    if (handle.read_all(to.bytes) != to.bytes.size()) {
      return PageFileFault{"keys and values are cut off"};
    }
    if (auto fault = find_bytes_fault(to.bytes, head)) return fault;
    to.key    = head.key;
    to.parent = head.parent;
    to.salt   = head.salt;
    to.tokens = std::move(head.tokens);
    return std::nullopt;
  }

  /// A file that is not there counts as removed.
  void remove(std::filesystem::path const& path) const {
    if (m_operations->remove(path) != 0 && errno != ENOENT) fail_file(path, "remove", errno);
  }

 private:
  std::optional<PageFileFault> read_head(PageFileHandle& handle, PageKey const& key,
                                         PageFileHead& to) const {
    // As many bytes as a page of ours has: what a file says of itself is not yet known to be true.
    std::vector<std::byte> head(page_head_bytes(m_options));
    auto const size  = handle.status().size;
    auto const count = handle.read_all(head);
    return decode_page_head(std::span<std::byte const>(head).first(count), size, m_options, key,
                            to);
  }

  std::filesystem::path m_folder;
  PageFileOptions m_options;
  std::shared_ptr<PageFileOperations> m_operations;
};

}  // namespace KokkosKV::Impl

#endif
