// The hit rates of all policies over pools of many sizes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "replay/Replay.hpp"

namespace trace_replay {

struct Sweep {
  struct Curve {
    std::string policy;
    std::vector<double> hit_rates;  ///< one for each capacity
  };
  std::vector<std::uint32_t> capacities;  ///< pages, ascending
  std::vector<Curve> curves;
  double unbounded_hit_rate = 0;  ///< of a pool from which nothing is evicted
};

/// Numbers of pages, evenly spaced on a logarithmic scale, from one that no request exceeds to one
/// that holds all prompts.
std::vector<std::uint32_t> sweep_capacities(Workload const& workload, Settings const& settings);

/// Runs every policy over all capacities.
/// \param settings  pages and policy are not looked at
/// \param progress  told of the replays that have been done
Sweep sweep(Workload const& workload, Settings settings, Progress const& progress);

/// Replays of such a sweep.
std::size_t num_replays(std::size_t num_capacities);

}  // namespace trace_replay
