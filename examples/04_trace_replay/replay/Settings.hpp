// What a replay is told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include <manager/KokkosKV_EvictionPolicies.hpp>

#include "replay/Workload.hpp"

namespace trace_replay {

/// Requests arrive by the clock of the trace. A step of n rows takes
/// `step_us + n / tokens_per_second` of simulated time.
struct TimedModel {
  std::uint64_t tokens_per_second = 50'000;
  std::uint64_t step_us           = 20'000;
  std::uint32_t max_batch         = 64;    ///< sequences that run at once
  std::uint32_t budget            = 8192;  ///< rows of a step
};

/// Where pages go that leave the pool; nowhere by default.
struct Tiers {
  std::uint32_t host_pages    = 0;
  std::string file_folder     = "";  ///< empty: no files
  std::uint64_t file_capacity = 0;   ///< bytes
};

struct Settings {
  std::uint32_t num_pages     = 10'000;
  PageShape page              = {512, 2};
  KokkosKV::EvictionKind kind = KokkosKV::EvictionKind::reuse_rate;
  Tiers tiers;
  std::optional<TimedModel> timed;  ///< without it each request is served at one instant
};

/// Told how many requests have been served.
using Progress = std::function<void(std::size_t served)>;

}  // namespace trace_replay
