// Pages of the pool and host pages that hold the same find each other, whichever came first.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include <manager/KokkosKV_PageManager.hpp>

#include "HostContents.hpp"
#include "PageFileFixture.hpp"
#include "TieredManager.hpp"

namespace KokkosKVTest {

using namespace KokkosKV;

TEST(HostLinks, PagesOfThePoolLeadToHostPagesBehindThem) {
  TieredManager managed({.num_pages = 4, .page_size = 4}, 8);
  managed.manager.free(managed.add(counting(13)));
  managed.manager.free(managed.add(counting(16, 100)));
  managed.manager.free(managed.add(counting(5)));  // brings the first page back alone
  EXPECT_EQ(managed.manager.count_cached_tokens(counting(13)), 12u);
  auto const id = managed.manager.create(counting(13));
  EXPECT_EQ(managed.step(id).cache_lengths[0], 12u);
  EXPECT_EQ(managed.manager.statistics().hit_pages, 1u);
  EXPECT_EQ(managed.manager.statistics().hit_host_pages, 1u + 2u);
  managed.expect_whole(id);
}

TEST(HostLinks, EvictedPagesThatFilesBroughtBackAreNotCopied) {
  TemporaryFolder folder;
  auto files = std::make_shared<PageFileTier>(folder.path(), file_options(60));
  TieredManager managed({.num_pages = 8, .page_size = 4}, 6, files);
  auto& manager    = managed.manager;
  auto const first = hash_page(hash_domain({}), counting(4));
  HostContents const contents(manager);
  auto const a = managed.add(counting(9));
  ASSERT_TRUE(manager.swap_out(a).fits());  // the pool keeps two full pages
  // Last pages alone fill host memory: of them the pool keeps nothing.
  std::vector<SequenceId> others;
  for (std::uint32_t i = 0; i < 6; ++i) {
    others.push_back(managed.add(counting(1, 1000 + i)));
    ASSERT_TRUE(manager.swap_out(others.back()).fits());
  }
  for (auto const id : others) manager.free(id);
  ASSERT_EQ(manager.state(a), SequenceState::in_files);
  ASSERT_FALSE(contents.has(first));
  ASSERT_TRUE(manager.swap_in(a).fits());
  ASSERT_EQ(manager.statistics().hit_file_pages, 2u);
  ASSERT_TRUE(contents.has(first));
  manager.free(a);
  managed.add(counting(32, 5000));
  EXPECT_EQ(manager.statistics().evicted_pages, 2u);
  EXPECT_EQ(manager.statistics().kept_pages, 0u);
  EXPECT_TRUE(contents.has(first));
}

}  // namespace KokkosKVTest
