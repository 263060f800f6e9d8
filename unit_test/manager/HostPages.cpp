// What is in host pages: never a page twice, and room is counted as it is.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <manager/KokkosKV_PageManager.hpp>

#include "HostContents.hpp"
#include "PageFileFixture.hpp"
#include "TieredManager.hpp"

namespace KokkosKVTest {

using namespace KokkosKV;

TEST(HostPages, SequencesThatComeBackKeepTheirPriority) {
  TieredManager managed({.num_pages = 6, .page_size = 4, .eviction = EvictionKind::lru}, 4);
  HostContents const contents(managed.manager);
  auto const a = managed.add(counting(8));
  managed.manager.set_priority(a, 1);
  ASSERT_TRUE(managed.manager.swap_out(a).fits());
  managed.manager.free(managed.add(counting(24, 100)));
  ASSERT_TRUE(managed.manager.swap_in(a).fits());
  managed.manager.free(a);
  for (std::uint32_t i = 0; i < 8; ++i)
    managed.manager.free(managed.add(counting(8, 1000 + 100 * i)));
  // Its copies in host memory have long made room: what is found stayed in the pool.
  EXPECT_FALSE(contents.has(hash_page(hash_domain({}), counting(4))));
  EXPECT_EQ(managed.manager.count_cached_tokens(counting(8)), 8u);
}

TEST(HostPages, TableVersionsFollowSwaps) {
  TieredManager managed({.num_pages = 8, .page_size = 4}, 4);
  auto const a       = managed.add(counting(6));
  auto const version = managed.manager.table_version(a);
  ASSERT_TRUE(managed.manager.swap_out(a).fits());
  auto const out = managed.manager.table_version(a);
  EXPECT_NE(out, version);
  managed.add(counting(20, 100));
  ASSERT_TRUE(managed.manager.swap_in(a).fits());
  EXPECT_NE(managed.manager.table_version(a), version);
}

TEST(HostPages, PagesThatAreComputedAgainAreNotKeptTwice) {
  TieredManager managed({.num_pages = 4, .page_size = 4}, 16);
  HostContents const contents(managed.manager);
  for (int i = 0; i < 3; ++i) {
    managed.manager.free(managed.add(counting(13)));
    managed.manager.free(managed.add(counting(16, 100)));
  }
  EXPECT_TRUE(contents.has(hash_page(hash_domain({}), counting(4))));
  EXPECT_LE(managed.manager.statistics().kept_pages, 3u + 4u);
}

TEST(HostPages, PagesOfFilesAreNotKeptTwice) {
  TemporaryFolder folder;
  auto files = std::make_shared<PageFileTier>(folder.path(), file_options(60));
  TieredManager managed({.num_pages = 16, .page_size = 4}, 6, files);
  HostContents const contents(managed.manager);
  auto tokens   = counting(9);
  auto const a  = managed.add(tokens);
  tokens.back() = 90;
  auto const b  = managed.add(tokens);  // has the first two pages in common
  ASSERT_TRUE(managed.manager.swap_out(a).fits());
  auto const c = managed.add(counting(24, 1000));
  ASSERT_TRUE(managed.manager.swap_out(c).fits());
  ASSERT_EQ(managed.manager.state(a), SequenceState::in_files);
  managed.manager.free(c);
  ASSERT_TRUE(managed.manager.swap_in(a).fits());
  ASSERT_TRUE(managed.manager.swap_out(b).fits());
  EXPECT_TRUE(contents.has(hash_page(hash_domain({}), counting(4))));
}

TEST(HostPages, AncestorsComeBeforeWhatFilesHold) {
  TemporaryFolder folder;
  auto files = std::make_shared<PageFileTier>(folder.path(), file_options(60));
  TieredManager managed({.num_pages = 8, .page_size = 4}, 8, files);
  managed.add(counting(5));  // keeps the first page in the pool
  {
    TieredManager other({.num_pages = 4, .page_size = 4}, 4, files);
    other.manager.free(other.add(counting(13)));
    for (std::uint32_t i = 1; i < 4; ++i) other.manager.free(other.add(counting(16, 100 * i)));
  }
  auto const id = managed.manager.create(counting(13));
  EXPECT_EQ(managed.step(id).cache_lengths[0], 12u);
  EXPECT_EQ(managed.manager.statistics().hit_file_pages, 2u);
}

TEST(HostPages, PagesThatAreThereNeedNoRoom) {
  TemporaryFolder folder;
  auto files = std::make_shared<PageFileTier>(folder.path(), file_options(40));
  TieredManager managed({.num_pages = 16, .page_size = 4}, 4, files);
  auto const b = managed.add(counting(8));
  ASSERT_TRUE(managed.manager.swap_out(b).fits());
  ASSERT_TRUE(managed.manager.swap_in(b).fits());  // two host pages stay cached
  auto const a = managed.add(counting(8, 100));
  ASSERT_TRUE(managed.manager.swap_out(a).fits());
  managed.manager.append(b, counting(5, 9));
  managed.step(b);
  // Of its four pages two are there; for the two others `a` makes room.
  EXPECT_TRUE(managed.manager.swap_out(b).fits());
  EXPECT_EQ(managed.manager.state(a), SequenceState::in_files);
  ASSERT_TRUE(managed.manager.swap_in(b).fits());
  managed.expect_whole(b);
}

TEST(HostPages, LackingOnesAreCountedBesideThoseOfTheSequence) {
  TieredManager managed({.num_pages = 16, .page_size = 4}, 5);
  auto const c = managed.add(counting(4, 500)), b = managed.add(counting(8)),
             a = managed.add(counting(8, 100));
  ASSERT_TRUE(managed.manager.swap_out(b).fits());
  ASSERT_TRUE(managed.manager.swap_in(b).fits());
  ASSERT_TRUE(managed.manager.swap_out(c).fits());
  ASSERT_TRUE(managed.manager.swap_out(a).fits());
  managed.manager.append(b, counting(9, 9));
  managed.step(b);
  // Three of its five pages are not there, and no host page is free beside its own two.
  EXPECT_EQ(managed.manager.swap_out(b).missing_host_pages, 3u);
  managed.manager.free(c);
  EXPECT_EQ(managed.manager.swap_out(b).missing_host_pages, 2u);
}

TEST(HostPages, NobodyMakesRoomForWhatDoesNotFit) {
  TemporaryFolder folder;
  auto files = std::make_shared<PageFileTier>(folder.path(), file_options(60));
  TieredManager managed({.num_pages = 16, .page_size = 4}, 4, files);
  auto const a = managed.add(counting(8)), b = managed.add(counting(40, 100));
  ASSERT_TRUE(managed.manager.swap_out(a).fits());
  EXPECT_EQ(managed.manager.swap_out(b).missing_host_pages, 8u);
  EXPECT_EQ(managed.manager.state(a), SequenceState::on_host);
  EXPECT_EQ(files->count(), 0u);
}

}  // namespace KokkosKVTest
