// A workload without a trace file: lengths of prompts and answers drawn from log-normal
// distributions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "Random.hpp"
#include "common/trace/Request.hpp"

namespace ragged_store {

/// Requests without a trace where the user names no number: some seconds on two cores.
inline constexpr std::size_t default_synthetic_requests = 120;

/// Median prompt 900 and median answer 24 tokens, much like a coding assistant's, with a long tail.
inline std::vector<example::Request> synthesise_workload(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  auto const length = [&random](double median, double sigma, double longest) {
    auto const value = std::round(median * std::exp(sigma * random.normal()));
    return static_cast<std::uint32_t>(std::clamp(value, 1.0, longest));
  };
  std::vector<example::Request> requests(count);
  for (auto& request : requests) {
    request.context   = length(900, 0.9, 8192);
    request.generated = length(24, 0.8, 512);
  }
  return requests;
}

}  // namespace ragged_store
