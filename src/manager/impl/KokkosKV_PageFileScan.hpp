// Finds the pages that an earlier process has left in a folder.
#ifndef KOKKOSKV_PAGEFILESCAN_HPP
#define KOKKOSKV_PAGEFILESCAN_HPP

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include <manager/KokkosKV_PageFileError.hpp>
#include <manager/impl/KokkosKV_PageFileFolder.hpp>
#include <manager/impl/KokkosKV_PageFileFormat.hpp>
#include <manager/impl/KokkosKV_PageFileIndex.hpp>
#include <manager/impl/KokkosKV_PageFileName.hpp>
#include <manager/impl/KokkosKV_PageFileRefusals.hpp>

namespace KokkosKV::Impl {

/// The files of a folder that have a name of ours, sorted.
inline std::vector<PageFileName> list_page_files(std::filesystem::path const& folder) {
  std::vector<PageFileName> names;
  std::error_code error;
  std::filesystem::directory_iterator at(folder, error);
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    auto const name = PageFileName::parse(at->path().filename().string());
    if (name) names.push_back(*name);
  }
  if (error) throw PageFileError(folder, "cannot list its files: " + error.message());
  std::sort(names.begin(), names.end(), [](auto const& left, auto const& right) {
    return std::tie(left.key, left.model_tag, left.partial) <
           std::tie(right.key, right.model_tag, right.partial);
  });
  return names;
}

/// Puts the whole pages of a folder into `index`, those written first as those unused for longest,
/// and removes what writers have left behind who did not live to rename it.
inline void scan_page_files(PageFileFolder const& folder, PageFileIndex& index,
                            PageFileRefusals& refusals) {
  std::vector<std::pair<std::int64_t, PageFileHead>> pages;
  for (auto const& name : list_page_files(folder.path())) {
    auto const path = folder.path() / name.text();
    std::error_code ignored;
    auto const type = std::filesystem::symlink_status(path, ignored).type();
    if (type != std::filesystem::file_type::regular) {
      refusals.add(path, "not a regular file");
    } else if (name.partial) {
      // Nobody else writes here: the folder is locked.
      folder.remove(path);
    } else if (name.model_tag != folder.options().model_tag) {
      refusals.add(path, "model_tag: found " + std::to_string(name.model_tag) + ", expected " +
                             std::to_string(folder.options().model_tag));
    } else {
      std::int64_t modified = 0;
      PageFileHead head;
      try {
        auto fault = folder.read_head(name.key, head, modified);
        if (fault) {
          refusals.add(folder, path, std::move(*fault));
        } else {
          pages.emplace_back(modified, std::move(head));
        }
      } catch (PageFileError const& failure) {
        // One file that cannot be read does not keep the others from being used.
        refusals.add(path, failure.reason());
      }
    }
  }
  std::sort(pages.begin(), pages.end(), [](auto const& left, auto const& right) {
    return std::tie(left.first, left.second.key) < std::tie(right.first, right.second.key);
  });
  for (auto& [modified, head] : pages) index.insert(std::move(head));
}

}  // namespace KokkosKV::Impl

#endif
