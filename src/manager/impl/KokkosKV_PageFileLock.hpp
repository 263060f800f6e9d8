// PageFileLock: keeps a second process out of a folder of page files.
#ifndef KOKKOSKV_PAGEFILELOCK_HPP
#define KOKKOSKV_PAGEFILELOCK_HPP

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include <manager/impl/KokkosKV_PageFileOperations.hpp>

namespace KokkosKV::Impl {

/// Held as long as it lives; the system lets go of it when the process dies, however it does.
class PageFileLock {
 public:
  static constexpr char const* name = "kokkoskv.lock";

  explicit PageFileLock(std::filesystem::path const& folder) {
    auto const path = folder / name;
    m_file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    if (m_file < 0) fail_file(path, "open", errno);
    if (::flock(m_file, LOCK_EX | LOCK_NB) == 0) return;
    int const error = errno;
    ::close(m_file);
    if (error != EWOULDBLOCK) fail_file(path, "lock", error);
    throw PageFileError(folder, "another PageFileTier uses this folder");
  }
  PageFileLock(PageFileLock const&)            = delete;
  PageFileLock& operator=(PageFileLock const&) = delete;
  /// The file stays: a process that has just opened it would lock a file that is no longer there,
  /// and a third one a new file of the same name.
  ~PageFileLock() { ::close(m_file); }

 private:
  int m_file = -1;
};

}  // namespace KokkosKV::Impl

#endif
