// Sequences that begin with a part of a page of others.
#include <gtest/gtest.h>

#include <cstdint>

#include <manager/KokkosKV_PageManager.hpp>

#include "TieredManager.hpp"

namespace KokkosKVTest {

using namespace KokkosKV;

TEST(PartialPages, AreCopied) {
  TieredManager managed({.num_pages = 8, .page_size = 4, .reuse_partial_pages = true}, 0);
  managed.manager.free(managed.add(counting(12)));
  auto tokens       = counting(12);
  tokens[6]         = 99;
  auto const id     = managed.manager.create(tokens);
  auto const layout = managed.step(id);
  EXPECT_EQ(layout.cache_lengths[0], 6u);
  ASSERT_EQ(layout.copies.size(), 1u);
  EXPECT_EQ(layout.copies[0].destination, managed.manager.pages(id)[1]);
  EXPECT_EQ(managed.manager.statistics().partial_hits, 1u);
  managed.expect_whole(id);
}

TEST(PartialPages, AreLookedForAmongTheNewestSiblings) {
  constexpr std::uint32_t num_siblings = 64;
  for (bool const is_among_newest : {true, false}) {
    TieredManager managed({.num_pages = 100, .page_size = 8, .reuse_partial_pages = true}, 0);
    // The first one has seven tokens in common with what comes later, its siblings have three.
    managed.manager.free(managed.add(counting(8)));
    for (std::uint32_t i = is_among_newest ? 1 : 0; i < num_siblings; ++i) {
      auto tokens = counting(8);
      tokens[3]   = 100 + i;
      managed.manager.free(managed.add(tokens));
    }
    auto tokens   = counting(8);
    tokens[7]     = 99;
    auto const id = managed.manager.create(tokens);
    EXPECT_EQ(managed.step(id).cache_lengths[0], is_among_newest ? 7u : 3u);
    managed.expect_whole(id);
  }
}

}  // namespace KokkosKVTest
