// The figures of a replay.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <manager/KokkosKV_PageManager.hpp>

namespace trace_replay {

/// Of the timed model; times are simulated.
struct TimedResults {
  std::uint64_t preemptions     = 0;
  std::uint64_t recovered_pages = 0;  ///< found again by sequences that had been preempted
  std::uint64_t steps           = 0;
  std::uint64_t rows            = 0;  ///< computed in all steps
  std::uint32_t peak_batch      = 0;  ///< sequences that ran at once
  double seconds                = 0;  ///< until the last request was served
  /// From the arrival of a request to its first answer token, in seconds.
  double first_token_mean = 0, first_token_median = 0, first_token_p99 = 0;
};

struct Results {
  std::uint64_t requests     = 0;  ///< that were served
  std::uint64_t prompt_pages = 0;  ///< that the prompts fill, in part or whole
  /// Of these, taken from the cache when a request needed them for the first time.
  std::uint64_t hit_pages       = 0;
  std::uint64_t peak_pages      = 0;    ///< of the pool, with contents at once
  std::uint64_t peak_used_pages = 0;    ///< of the pool, of running sequences at once
  KokkosKV::ManagerStatistics manager;  ///< its own figures, at the end
  std::optional<TimedResults> timed;
  double host_seconds = 0;  ///< that the replay took

  double hit_rate() const {
    return prompt_pages > 0 ? static_cast<double>(hit_pages) / static_cast<double>(prompt_pages)
                            : 0;
  }
};

}  // namespace trace_replay
