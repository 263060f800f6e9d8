// The plain types of the file tier: a stored page, options, statistics and refusals.
#ifndef KOKKOSKV_PAGEFILE_HPP
#define KOKKOSKV_PAGEFILE_HPP

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <manager/KokkosKV_PageKey.hpp>

namespace KokkosKV {

/// A page outside the pool, with all that tells what it is.
struct StoredPage {
  PageKey key;                        ///< names the page
  PageKey parent;                     ///< the page before it; `null_page_key` for a first page
  std::uint64_t salt = 0;             ///< what separates users whose pages must not be shared
  std::vector<std::uint32_t> tokens;  ///< token ids, to be compared before the page is used again
  std::vector<std::byte> bytes;       ///< keys and values, as they lie in the pool

  /// Equal in every part.
  friend bool operator==(StoredPage const&, StoredPage const&) = default;
};

/// What the pages of a PageFileTier are like, and how many it keeps.
struct PageFileOptions {
  std::uint64_t capacity_bytes = 0;  ///< of all page files together; at least one page
  std::uint32_t page_size      = 0;  ///< tokens of a page
  std::uint64_t page_bytes     = 0;  ///< bytes of a page's keys and values
  /// What pages belong to: a hash of the model, the layout of pages and the storage type. Pages
  /// with another tag are foreign.
  std::uint64_t model_tag = 0;
  /// Whether a page is forced to the disk before it gets its name. Without it a failure of power
  /// can leave damaged pages behind, which are then refused.
  bool sync = true;
};

/// What a PageFileTier holds, and what it has done since it was made.
struct PageFileStatistics {
  std::uint64_t pages   = 0;  ///< pages held
  std::uint64_t bytes   = 0;  ///< bytes of their files
  std::uint64_t puts    = 0;  ///< pages written
  std::uint64_t gets    = 0;  ///< pages asked for
  std::uint64_t hits    = 0;  ///< pages found and whole
  std::uint64_t refused = 0;  ///< files refused
  std::uint64_t evicted = 0;  ///< pages removed to make room
};

/// A file that a PageFileTier did not take for one of its pages.
struct PageFileRefusal {
  std::filesystem::path path;  ///< the file
  std::string reason;          ///< what is wrong with it, and what became of it
};

}  // namespace KokkosKV

#endif
