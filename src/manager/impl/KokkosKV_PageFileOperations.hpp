// The few operations of the system that page files need. Tests put others in their place.
#ifndef KOKKOSKV_PAGEFILEOPERATIONS_HPP
#define KOKKOSKV_PAGEFILEOPERATIONS_HPP

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

#include <manager/KokkosKV_PageFileError.hpp>

namespace KokkosKV::Impl {

/// Each function is the one of POSIX of that name: -1 and `errno` tell of failures.
class PageFileOperations {
 public:
  virtual ~PageFileOperations() = default;

  /// Files are for their owner alone: the token ids in them are somebody's text. Links and pipes
  /// with the name of a page are none of ours, and must not be followed or waited for.
  virtual int open(std::filesystem::path const& path, int flags) {
    return ::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, S_IRUSR | S_IWUSR);
  }
  virtual ssize_t read(int file, std::byte* to, std::size_t count) {
    return ::read(file, to, count);
  }
  virtual ssize_t write(int file, std::byte const* from, std::size_t count) {
    return ::write(file, from, count);
  }
  virtual int sync(int file) { return ::fsync(file); }
  virtual int close(int file) { return ::close(file); }
  virtual int rename(std::filesystem::path const& from, std::filesystem::path const& to) {
    return std::rename(from.c_str(), to.c_str());
  }
  virtual int remove(std::filesystem::path const& path) { return ::unlink(path.c_str()); }
};

/// The text of an `errno`.
inline std::string error_text(int error) { return std::generic_category().message(error); }

/// Throws the error of an operation that failed with `errno` at `error`.
[[noreturn]] inline void fail_file(std::filesystem::path const& path, char const* action,
                                   int error) {
  throw PageFileError(path, std::string("cannot ") + action + ": " + error_text(error));
}

}  // namespace KokkosKV::Impl

#endif
