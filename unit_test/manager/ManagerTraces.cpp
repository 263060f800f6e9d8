// A real trace through the PageManager: the hits of the policies alone, and no page lost.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <manager/KokkosKV_PageManager.hpp>

#include "MooncakeTrace.hpp"

namespace KokkosKVTest {

using namespace KokkosKV;

/// Serves one request after the other, a page for each block; gives the leading pages that were
/// cached.
std::size_t count_manager_hits(EvictionKind kind, BlockTrace const& trace,
                               std::uint32_t num_pages) {
  constexpr std::uint32_t page_size = 2;
  PageManager manager({.num_pages            = num_pages,
                       .page_size            = page_size,
                       .eviction             = kind,
                       .recompute_last_token = false});
  std::size_t hits = 0;
  std::vector<std::uint32_t> tokens;
  for (auto const& blocks : trace) {
    tokens.clear();
    for (auto const block : blocks) {
      tokens.push_back(static_cast<std::uint32_t>(block));
      tokens.push_back(static_cast<std::uint32_t>(block >> 32));
    }
    StepRequest const request{manager.create(tokens)};
    auto const layout = manager.prepare_step({&request, 1});
    if (!layout.fits()) {
      ADD_FAILURE() << layout.missing_pages << " pages are lacking";
      return 0;
    }
    hits += layout.cache_lengths[0] / page_size;
    manager.commit_step();
    manager.free(request.sequence);
  }
  EXPECT_EQ(manager.page_counts().used, 0u);
  EXPECT_EQ(manager.statistics().hit_pages, hits);
  return hits;
}

using ManagerTraces = ConversationTrace;

TEST_F(ManagerTraces, LruHasTheKnownHits) {
  expect_known_lru_hits([&](std::uint32_t num_pages) {
    return count_manager_hits(EvictionKind::lru, trace, num_pages);
  });
}

TEST_F(ManagerTraces, ReuseRateHasMoreHits) {
  expect_reuse_rate_hits([&](std::uint32_t num_pages) {
    return count_manager_hits(EvictionKind::reuse_rate, trace, num_pages);
  });
}

}  // namespace KokkosKVTest
