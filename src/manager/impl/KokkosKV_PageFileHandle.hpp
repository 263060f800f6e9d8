// An open page file: whole reads and writes made from partial ones, failures turned into errors.
#ifndef KOKKOSKV_PAGEFILEHANDLE_HPP
#define KOKKOSKV_PAGEFILEHANDLE_HPP

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

#include <manager/impl/KokkosKV_PageFileOperations.hpp>

namespace KokkosKV::Impl {

/// Size and age of a file.
struct PageFileStatus {
  std::uint64_t size    = 0;
  std::int64_t modified = 0;  ///< nanoseconds since some point
};

class PageFileHandle {
 public:
  /// \param flags  of `open`; the caller looks at is_open() and at `errno`
  PageFileHandle(PageFileOperations& operations, std::filesystem::path const& path, int flags)
      : m_operations(operations), m_path(path), m_file(operations.open(path, flags)) {}
  PageFileHandle(PageFileHandle const&)            = delete;
  PageFileHandle& operator=(PageFileHandle const&) = delete;
  /// What is still open here was read or failed: what closing it says is of no interest.
  ~PageFileHandle() {
    if (is_open()) ::close(m_file);
  }

  bool is_open() const { return m_file >= 0; }

  void write_all(std::span<std::byte const> bytes) {
    while (!bytes.empty()) {
      auto const count = m_operations.write(m_file, bytes.data(), bytes.size());
      if (count > 0) {
        bytes = bytes.subspan(static_cast<std::size_t>(count));
      } else if (count == 0) {
        throw PageFileError(m_path, "cannot write: the file takes no more bytes");
      } else if (errno != EINTR) {
        fail_file(m_path, "write", errno);
      }
    }
  }

  /// Returns how many bytes there were, fewer than asked for only at the end of the file.
  std::size_t read_all(std::span<std::byte> bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
      auto const count = m_operations.read(m_file, bytes.data() + done, bytes.size() - done);
      if (count == 0) break;
      if (count > 0) {
        done += static_cast<std::size_t>(count);
      } else if (errno != EINTR) {
        fail_file(m_path, "read", errno);
      }
    }
    return done;
  }

  PageFileStatus status() const {
    struct stat found{};
    if (::fstat(m_file, &found) != 0) fail_file(m_path, "read the size", errno);
    auto const seconds = static_cast<std::int64_t>(found.st_mtim.tv_sec);
    return {static_cast<std::uint64_t>(found.st_size),
            seconds * 1'000'000'000 + static_cast<std::int64_t>(found.st_mtim.tv_nsec)};
  }

  void sync() {
    if (m_operations.sync(m_file) != 0) fail_file(m_path, "sync", errno);
  }

  /// Some file systems tell only here that a write has failed.
  void close() {
    if (m_operations.close(std::exchange(m_file, -1)) != 0) fail_file(m_path, "close", errno);
  }

 private:
  PageFileOperations& m_operations;
  std::filesystem::path const& m_path;
  int m_file;
};

}  // namespace KokkosKV::Impl

#endif
