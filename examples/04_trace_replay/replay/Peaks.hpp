// The largest numbers of pages that a replay has seen.
#pragma once

#include <algorithm>

#include "replay/Results.hpp"

namespace trace_replay {

inline void update_peaks(Results& results, KokkosKV::PageCounts const& pages) {
  results.peak_pages      = std::max(results.peak_pages, pages.used + pages.cached);
  results.peak_used_pages = std::max(results.peak_used_pages, pages.used);
}

}  // namespace trace_replay
