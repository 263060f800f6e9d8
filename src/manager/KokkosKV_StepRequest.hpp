// What a step is asked for, and what the manager makes of it.
#ifndef KOKKOSKV_STEPREQUEST_HPP
#define KOKKOSKV_STEPREQUEST_HPP

#include <cstdint>
#include <vector>

namespace KokkosKV {

/// Names a sequence of a PageManager; a number is never used again.
using SequenceId = std::uint64_t;

/// Rows of a sequence that a step shall compute.
struct StepRequest {
  /// No limit.
  static constexpr std::uint32_t all_rows = 0xFFFFFFFFu;

  SequenceId sequence;  ///< one of the manager's
  /// At most so many of the tokens that are not stored yet: long prompts go in chunks.
  std::uint32_t max_rows = all_rows;
};

/// A page whose contents another one gets before the step writes into that.
struct PageCopy {
  std::uint32_t source;       ///< page to read
  std::uint32_t destination;  ///< page to write

  /// Whether both pages are the same.
  friend bool operator==(PageCopy const&, PageCopy const&) = default;
};

/// A step as the host knows it, one entry for each request.
struct StepLayout {
  /// Pages that were lacking; where that is not 0 nothing has changed, and the rest is empty.
  std::uint32_t missing_pages = 0;
  std::vector<SequenceId> sequences;  ///< those of the requests
  /// Tokens whose keys and values are in the cache before the step, those of shared pages included.
  std::vector<std::uint32_t> cache_lengths;
  /// Begin of each sequence's rows among all rows, and the end of the last one's.
  std::vector<std::uint32_t> row_offsets;
  /// To be done before the step's rows are stored.
  std::vector<PageCopy> copies;
  std::uint32_t max_prompt_length = 0;  ///< rows of the sequence that has the most
  std::uint32_t max_cache_length  = 0;  ///< the largest of the cache lengths
  std::uint32_t max_pages         = 0;  ///< pages of the sequence that has the most

  /// Whether there were enough pages.
  bool fits() const { return missing_pages == 0; }
};

/// Whether a sequence could be swapped, and what is lacking if not.
struct SwapResult {
  std::uint32_t missing_pages      = 0;  ///< pages of the pool
  std::uint32_t missing_host_pages = 0;  ///< host pages

  /// Whether there was room.
  bool fits() const { return missing_pages == 0 && missing_host_pages == 0; }
};

}  // namespace KokkosKV

#endif
