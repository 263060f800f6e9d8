// One replay for each policy and capacity.
#include "sweep/Sweep.hpp"

#include <algorithm>

#include "replay/TimedReplay.hpp"

namespace trace_replay {
namespace {

using KokkosKV::EvictionKind;

/// From the worst to the best on most traces, which is the order of the legend.
constexpr EvictionKind policies[] = {EvictionKind::lfu, EvictionKind::lru,
                                     EvictionKind::reuse_rate};

/// Pages of the largest request.
std::uint64_t largest_request(Workload const& workload, Settings const& settings) {
  std::uint64_t pages = 1;
  for (std::size_t i = 0; i < workload.size(); ++i) {
    pages = std::max({pages, workload.num_prompt_pages(i, settings.page.tokens),
                      pages_at_end(workload.request(i), settings.page.tokens)});
  }
  return pages;
}

/// Pages for all that is ever stored.
std::uint64_t all_pages(Workload const& workload, Settings const& settings) {
  auto pages = workload.num_distinct_blocks() * (example::block_tokens / settings.page.tokens);
  if (!settings.timed) return pages;
  // Answers, which begin and end within pages.
  for (std::size_t i = 0; i < workload.size(); ++i) {
    pages += workload.request(i).generated / settings.page.tokens + 2;
  }
  return pages;
}

}  // namespace

std::vector<std::uint32_t> sweep_capacities(Workload const& workload, Settings const& settings) {
  auto const least = largest_request(workload, settings);
  auto const most  = std::max(least, all_pages(workload, settings));
  std::vector<std::uint32_t> capacities;
  // Round numbers, six a decade.
  for (std::uint64_t power = 1; power <= most; power *= 10) {
    for (std::uint64_t const tenths : {10, 15, 20, 30, 50, 70}) {
      auto const pages = power * tenths / 10;
      if (pages < least || pages >= most) continue;
      if (!capacities.empty() && capacities.back() == pages) continue;
      capacities.push_back(static_cast<std::uint32_t>(pages));
    }
  }
  capacities.push_back(static_cast<std::uint32_t>(std::min(most, std::uint64_t(0xFFFFFFFEu))));
  return capacities;
}

std::size_t num_replays(std::size_t num_capacities) {
  return std::size(policies) * num_capacities + 1;
}

Sweep sweep(Workload const& workload, Settings settings, Progress const& progress) {
  Sweep result;
  result.capacities = sweep_capacities(workload, settings);
  std::size_t done  = 0;
  auto const run    = [&](std::uint32_t pages, EvictionKind kind) {
    settings.num_pages = pages;
    settings.kind      = kind;
    auto const rate    = replay(workload, settings).hit_rate();
    if (progress) progress(++done);
    return rate;
  };
  for (auto const kind : policies) {
    auto& curve  = result.curves.emplace_back();
    curve.policy = to_text(kind);
    for (auto const pages : result.capacities) curve.hit_rates.push_back(run(pages, kind));
  }
  result.unbounded_hit_rate = run(result.capacities.back(), EvictionKind::lru);
  return result;
}

}  // namespace trace_replay
