// PageManager against the model, by random operations.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include <manager/KokkosKV_PageManager.hpp>

#include "RandomSteps.hpp"

namespace KokkosKVTest {

using namespace KokkosKV;

/// Sixteen keys for all pages.
PageKey hash_of_four_bits(PageKey parent, std::span<std::uint32_t const> tokens) {
  return {hash_page(parent, tokens).low & 15, 0};
}

void run_random_steps(PageManagerOptions options, std::uint64_t seed, int operations) {
  for (auto const kind : {EvictionKind::reuse_rate, EvictionKind::lru, EvictionKind::lfu}) {
    SCOPED_TRACE(to_text(kind));
    options.eviction = kind;
    PlainStorage storage(options, 0);
    RandomSteps steps(options, storage, {}, seed);
    steps.run(operations);
    steps.finish();
    auto const& statistics = steps.manager().statistics();
    EXPECT_GT(statistics.hit_pages, 0u);
    EXPECT_GT(statistics.evicted_pages, 0u);
    // A page of one token is never written twice.
    EXPECT_EQ(statistics.copied_pages > 0, options.page_size > 1);
    EXPECT_EQ(statistics.partial_hits > 0, options.reuse_partial_pages);
    EXPECT_GT(statistics.refused_steps, 0u);
  }
}

TEST(PageManagerModel, SmallPages) {
  run_random_steps({.num_pages = 60, .page_size = 4}, 1, 30000);
}

TEST(PageManagerModel, PagesOfOneToken) {
  run_random_steps({.num_pages = 200, .page_size = 1}, 2, 10000);
}

TEST(PageManagerModel, OddPages) {
  run_random_steps({.num_pages = 40, .page_size = 7, .recompute_last_token = false}, 3, 20000);
}

TEST(PageManagerModel, HashesCollide) {
  run_random_steps({.num_pages = 60, .page_size = 4, .hash = &hash_of_four_bits}, 4, 10000);
}

TEST(PageManagerModel, PartialPages) {
  run_random_steps({.num_pages = 50, .page_size = 8, .reuse_partial_pages = true}, 5, 20000);
  run_random_steps({.num_pages            = 80,
                    .page_size            = 3,
                    .hash                 = &hash_of_four_bits,
                    .recompute_last_token = false,
                    .reuse_partial_pages  = true},
                   6, 10000);
}

}  // namespace KokkosKVTest
