// The files that were refused last, with what is done about them.
#ifndef KOKKOSKV_PAGEFILEREFUSALS_HPP
#define KOKKOSKV_PAGEFILEREFUSALS_HPP

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <manager/KokkosKV_PageFile.hpp>
#include <manager/KokkosKV_PageFileError.hpp>
#include <manager/impl/KokkosKV_PageFileFolder.hpp>
#include <manager/impl/KokkosKV_PageFileFormat.hpp>

namespace KokkosKV::Impl {

class PageFileRefusals {
 public:
  static constexpr std::size_t max_kept = 256;

  std::uint64_t count() const { return m_count; }
  std::vector<PageFileRefusal> kept() const { return {m_kept.begin(), m_kept.end()}; }

  /// Notes a file that stays where it is.
  void add(std::filesystem::path path, std::string reason) {
    ++m_count;
    m_kept.push_back({std::move(path), std::move(reason)});
    if (m_kept.size() > max_kept) m_kept.pop_front();
  }

  /// Notes a file that is no page, and removes it where it is good for nobody: it would take room
  /// that no capacity counts.
  void add(PageFileFolder const& folder, std::filesystem::path const& path, PageFileFault fault) {
    if (fault.foreign) return add(path, std::move(fault.reason));
    auto outcome = "; removed";
    try {
      folder.remove(path);
    } catch (PageFileError const&) {
      outcome = "; cannot be removed";
    }
    add(path, std::move(fault.reason) + outcome);
  }

 private:
  std::deque<PageFileRefusal> m_kept;
  std::uint64_t m_count = 0;
};

}  // namespace KokkosKV::Impl

#endif
