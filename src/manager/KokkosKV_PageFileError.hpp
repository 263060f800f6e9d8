// PageFileError: what a page file could not do because of its folder, disk or permissions.
#ifndef KOKKOSKV_PAGEFILEERROR_HPP
#define KOKKOSKV_PAGEFILEERROR_HPP

#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>

namespace KokkosKV {

/// An operation on a file or folder failed. `what()` reads `path: reason`.
class PageFileError : public std::runtime_error {
 public:
  /// \param path    file or folder
  /// \param reason  what failed, and why
  PageFileError(std::filesystem::path path, std::string reason)
      : std::runtime_error(path.string() + ": " + reason),
        m_path(std::move(path)),
        m_reason(std::move(reason)) {}

  /// The file or folder.
  std::filesystem::path const& path() const noexcept { return m_path; }
  /// What failed, and why.
  std::string const& reason() const noexcept { return m_reason; }

 private:
  std::filesystem::path m_path;
  std::string m_reason;
};

}  // namespace KokkosKV

#endif
