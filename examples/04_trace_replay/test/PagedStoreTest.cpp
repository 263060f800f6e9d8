// The comparison of cached pages with what they should hold: it passes good pages and finds bad
// ones.
#include "store/PagedStore.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/UsageError.hpp"
#include "replay/Replay.hpp"

namespace {

using namespace trace_replay;

constexpr std::uint32_t page_size = 16, num_pages = 8;
using store_type = PagedStore<page_size>;

/// Two requests with the same 32 tokens.
Workload twice_the_same() { return Workload({{32, 1, 0, {1}}, {32, 1, 0, {1}}}); }

Settings settings() {
  Settings result;
  result.num_pages = num_pages;
  result.page      = {page_size, page_size};
  return result;
}

/// Adds to one element of every page: keys or values, slot, head, element.
void damage(store_type const& store, std::size_t plane, std::size_t slot, std::size_t head,
            std::size_t dim) {
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), store.blocks());
  for (std::size_t page = 0; page < num_pages; ++page) host(page, plane, 0, slot, head, dim) += 1;
  Kokkos::deep_copy(store.blocks(), host);
}

/// What is thrown where the pages are damaged after the first request.
std::string failure(std::size_t plane, std::size_t slot, std::size_t head, std::size_t dim) {
  store_type store(num_pages);
  try {
    replay(twice_the_same(), settings(), &store, [&](std::size_t served) {
      if (served == 1) damage(store, plane, slot, head, dim);
    });
  } catch (WrongPage const& error) {
    return error.what();
  }
  return "none";
}

TEST(PagedStoreTest, ComparesEveryHit) {
  store_type store(num_pages);
  auto const results = replay(twice_the_same(), settings(), &store);
  EXPECT_EQ(results.hit_pages, 2u);
  EXPECT_EQ(store.rows_compared(), 2 * 32u);  // keys and values
}

TEST(PagedStoreTest, FindsWrongElements) {
  EXPECT_EQ(failure(0, 0, 0, 0),
            "sequence 1: the cached key of token 0, head 0 is not that of its prefix");
  EXPECT_EQ(failure(0, 5, 1, 7),
            "sequence 1: the cached key of token 5, head 1 is not that of its prefix");
  EXPECT_EQ(failure(1, 15, 0, 3),
            "sequence 1: the cached value of token 15, head 0 is not that of its prefix");
}

/// A page of other tokens is wrong, though its contents are what was stored there.
TEST(PagedStoreTest, FindsPagesOfOtherTokens) {
  store_type store(num_pages);
  Workload const workload({{16, 1, 0, {1}}, {16, 1, 0, {2}}, {16, 1, 0, {1}}});
  auto const swap_pages = [&](std::size_t served) {
    if (served != 2) return;
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), store.blocks());
    for (std::size_t plane = 0; plane < 2; ++plane) {
      for (std::size_t i = 0; i < page_size * 16; ++i) {
        std::swap(host(0, plane, 0, i / 16, i / 8 % 2, i % 8),
                  host(1, plane, 0, i / 16, i / 8 % 2, i % 8));
      }
    }
    Kokkos::deep_copy(store.blocks(), host);
  };
  EXPECT_THROW(replay(workload, settings(), &store, swap_pages), WrongPage);
}

TEST(PagedStoreTest, FollowsPreemptedAndSwappedSequences) {
  for (std::uint32_t const host_pages : {0u, 16u}) {
    store_type store(num_pages);
    auto options             = settings();
    options.timed            = TimedModel{};
    options.tiers.host_pages = host_pages;
    Workload const workload(std::vector<example::Request>(6, {40, 60}));
    auto const results = replay(workload, options, &store);
    EXPECT_EQ(results.requests, 6u);
    EXPECT_GT(results.timed->preemptions, 0u);
    EXPECT_EQ(results.manager.events.swapped_out > 0, host_pages > 0);
    EXPECT_GT(store.rows_compared(), 0u);
  }
}

TEST(PrefixSeedsTest, DependOnAllTokensBefore) {
  PrefixSeeds first, second, third;
  first.extend(std::vector<std::uint32_t>{1, 2});
  first.extend(std::vector<std::uint32_t>{1, 2, 3});
  second.extend(std::vector<std::uint32_t>{1, 2, 3});
  third.extend(std::vector<std::uint32_t>{2, 2, 3});
  EXPECT_TRUE(std::ranges::equal(first.seeds(), second.seeds()));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NE(first.seeds()[i], third.seeds()[i]);
}

TEST(MakeStoredPagesTest, RefusesWhatIsTooLarge) {
  EXPECT_THROW(make_stored_pages(0xFFFFFFFEu, 512), example::UsageError);
}

}  // namespace
