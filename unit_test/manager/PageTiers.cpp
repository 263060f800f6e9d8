// What happens to pages that leave the pool: host pages, files, swapping, pins, priorities.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <manager/KokkosKV_PageManager.hpp>
#include <support/Refusal.hpp>

#include "ModelStorage.hpp"
#include "PageFileFixture.hpp"
#include "TieredManager.hpp"

namespace KokkosKVTest {

using namespace KokkosKV;

TEST(PageTiers, SwapOutRefusesWhereHostPagesLack) {
  TieredManager managed({.num_pages = 4, .page_size = 4}, 1);
  auto const a = managed.add(counting(7));
  managed.add(counting(8, 100));
  auto const before = managed.manager.page_counts();
  auto const result = managed.manager.swap_out(a);
  EXPECT_EQ(result.missing_host_pages, 1u);
  EXPECT_FALSE(result.fits());
  EXPECT_EQ(managed.manager.state(a), SequenceState::resident);
  EXPECT_EQ(managed.manager.page_counts().used, before.used);
  EXPECT_EQ(managed.manager.page_counts().host_used, 0u);
  managed.expect_whole(a);
  // Computing again stays possible.
  managed.manager.release_pages(a);
  EXPECT_EQ(managed.step(a).cache_lengths[0], 4u);
  managed.expect_whole(a);
}

TEST(PageTiers, SwappedSequencesComeBackAsTheyWere) {
  TieredManager managed({.num_pages = 4, .page_size = 4}, 4);
  auto const a = managed.add(counting(11));
  ASSERT_TRUE(managed.manager.swap_out(a).fits());
  EXPECT_EQ(managed.manager.state(a), SequenceState::on_host);
  EXPECT_EQ(managed.manager.num_stored(a), 11u);
  EXPECT_TRUE(managed.manager.pages(a).empty());
  EXPECT_EQ(managed.manager.page_counts().used, 0u);
  EXPECT_EQ(managed.manager.page_counts().host_used, 3u);
  auto const b      = managed.add(counting(16, 100));  // takes all pages
  auto const result = managed.manager.swap_in(a);
  EXPECT_EQ(result.missing_pages, 3u);
  EXPECT_EQ(managed.manager.state(a), SequenceState::on_host);
  managed.manager.free(b);
  ASSERT_TRUE(managed.manager.swap_in(a).fits());
  EXPECT_EQ(managed.manager.num_stored(a), 11u);
  managed.expect_whole(a);
  managed.manager.append(a, counting(3, 12));
  EXPECT_EQ(managed.step(a).cache_lengths[0], 11u);
  managed.expect_whole(a);
}

TEST(PageTiers, FailedCopiesLeaveSequencesWhereTheyAre) {
  TieredManager managed({.num_pages = 4, .page_size = 4}, 4);
  auto const a = managed.add(counting(11));
  managed.let_transfers_fail(true);
  EXPECT_THROW(managed.manager.swap_out(a), TransferFailure);
  EXPECT_EQ(managed.manager.state(a), SequenceState::resident);
  EXPECT_EQ(managed.manager.page_counts().host_free, 4u);
  managed.expect_whole(a);
  managed.let_transfers_fail(false);
  ASSERT_TRUE(managed.manager.swap_out(a).fits());
  managed.manager.free(managed.add(counting(16, 100)));
  managed.let_transfers_fail(true);
  EXPECT_THROW(managed.manager.swap_in(a), TransferFailure);
  EXPECT_EQ(managed.manager.state(a), SequenceState::on_host);
  EXPECT_EQ(managed.manager.page_counts().used, 0u);
  managed.let_transfers_fail(false);
  ASSERT_TRUE(managed.manager.swap_in(a).fits());
  managed.expect_whole(a);
}

TEST(PageTiers, EvictedPagesAreFoundInHostPages) {
  TieredManager managed({.num_pages = 4, .page_size = 4}, 8);
  managed.manager.free(managed.add(counting(13)));
  managed.manager.free(managed.add(counting(16, 100)));
  EXPECT_EQ(managed.manager.statistics().kept_pages, 3u);
  EXPECT_EQ(managed.manager.count_cached_tokens(counting(13)), 12u);
  auto const id     = managed.manager.create(counting(13));
  auto const layout = managed.step(id);
  EXPECT_EQ(layout.cache_lengths[0], 12u);
  EXPECT_EQ(managed.manager.statistics().hit_host_pages, 3u);
  EXPECT_EQ(managed.manager.statistics().computed_pages, 3u + 4u);
  managed.expect_whole(id);
}

TEST(PageTiers, EvictedPagesWhoseCopiesFailAreCounted) {
  TieredManager managed({.num_pages = 4, .page_size = 4}, 8);
  managed.manager.free(managed.add(counting(13)));
  managed.let_transfers_fail(true);
  managed.manager.free(managed.add(counting(16, 100)));
  EXPECT_EQ(managed.manager.statistics().evicted_pages, 3u);
  EXPECT_EQ(managed.manager.statistics().failed_transfers, 3u);
  EXPECT_EQ(managed.manager.statistics().kept_pages, 0u);
  EXPECT_EQ(managed.manager.page_counts().host_free, 8u);
  managed.let_transfers_fail(false);
  EXPECT_EQ(managed.manager.count_cached_tokens(counting(13)), 0u);
}

TEST(PageTiers, SequencesWithoutTokensAreSwapped) {
  TieredManager managed({.num_pages = 4, .page_size = 4}, 1);
  auto const id = managed.manager.create({});
  ASSERT_TRUE(managed.manager.swap_out(id).fits());
  EXPECT_EQ(managed.manager.state(id), SequenceState::on_host);
  EXPECT_EQ(managed.manager.page_counts().host_used, 0u);
  ASSERT_TRUE(managed.manager.swap_in(id).fits());
  managed.manager.append(id, counting(5));
  EXPECT_TRUE(managed.step(id).fits());
  managed.expect_whole(id);
}

TEST(PageTiers, EqualPromptsOfAStepShareWhatComesFromHostPages) {
  TieredManager managed({.num_pages = 4, .page_size = 4}, 8);
  managed.manager.free(managed.add(counting(9)));
  managed.manager.free(managed.add(counting(16, 100)));
  std::vector<StepRequest> const requests{{managed.manager.create(counting(9))},
                                          {managed.manager.create(counting(9))}};
  auto const layout = managed.manager.prepare_step(requests);
  ASSERT_TRUE(layout.fits());
  EXPECT_EQ(layout.cache_lengths, (std::vector<std::uint32_t>{8, 8}));
  EXPECT_EQ(managed.manager.page_counts().used, 4u);
  managed.manager.abandon_step();
  EXPECT_EQ(managed.manager.page_counts().used, 0u);
}

TEST(PageTiers, SequencesGoOnToFilesAndComeBack) {
  TemporaryFolder folder;
  auto files = std::make_shared<PageFileTier>(folder.path(), file_options(20));
  TieredManager managed({.num_pages = 4, .page_size = 4}, 4, files);
  auto const a = managed.add(counting(11));
  ASSERT_TRUE(managed.manager.swap_out(a).fits());
  auto const b = managed.add(counting(10, 100));
  ASSERT_TRUE(managed.manager.swap_out(b).fits());
  EXPECT_EQ(managed.manager.state(a), SequenceState::in_files);
  EXPECT_EQ(managed.manager.state(b), SequenceState::on_host);
  EXPECT_EQ(managed.manager.page_counts().in_files, 3u);
  managed.manager.free(managed.add(counting(16, 200)));
  ASSERT_TRUE(managed.manager.swap_in(a).fits());
  EXPECT_EQ(managed.manager.num_stored(a), 11u);
  managed.expect_whole(a);
  // The file of its last page, which is nobody else's, is gone.
  EXPECT_EQ(managed.manager.statistics().lost_tokens, 0u);
  managed.manager.free(a);
  ASSERT_TRUE(managed.manager.swap_in(b).fits());
  managed.expect_whole(b);
}

TEST(PageTiers, WhatFilesLoseIsComputedAgain) {
  TemporaryFolder folder;
  auto files = std::make_shared<PageFileTier>(folder.path(), file_options(20));
  TieredManager managed({.num_pages = 4, .page_size = 4}, 4, files);
  auto const a = managed.add(counting(11));
  ASSERT_TRUE(managed.manager.swap_out(a).fits());
  ASSERT_TRUE(managed.manager.swap_out(managed.add(counting(13, 100))).fits());
  ASSERT_EQ(managed.manager.state(a), SequenceState::in_files);
  managed.manager.free(managed.add(counting(16, 200)));
  files->remove(files->keys()[1]);
  ASSERT_TRUE(managed.manager.swap_in(a).fits());
  EXPECT_EQ(managed.manager.num_stored(a), 4u);
  EXPECT_EQ(managed.manager.statistics().lost_tokens, 7u);
  EXPECT_TRUE(managed.step(a).fits());
  managed.expect_whole(a);
}

TEST(PageTiers, FilesWarmANewManager) {
  TemporaryFolder folder;
  {
    auto files = std::make_shared<PageFileTier>(folder.path(), file_options(20));
    TieredManager managed({.num_pages = 4, .page_size = 4}, 4, files);
    managed.manager.free(managed.add(counting(13)));
    managed.manager.free(managed.add(counting(16, 100)));
    managed.manager.free(managed.add(counting(16, 200)));  // sends the first ones to files
    EXPECT_GE(files->count(), 3u);
  }
  auto files = std::make_shared<PageFileTier>(folder.path(), file_options(20));
  TieredManager managed({.num_pages = 4, .page_size = 4}, 4, files);
  auto const id     = managed.manager.create(counting(13));
  auto const layout = managed.step(id);
  EXPECT_EQ(layout.cache_lengths[0], 12u);
  EXPECT_EQ(managed.manager.statistics().hit_file_pages, 3u);
  EXPECT_EQ(managed.manager.statistics().hit_host_pages, 3u);
  managed.expect_whole(id);
  // Another tenant's prompt is another prompt.
  auto const other = managed.manager.create(counting(13), {.tenant = "other"});
  managed.manager.free(id);
  StepRequest const request{other};
  EXPECT_EQ(managed.manager.prepare_step({&request, 1}).cache_lengths[0], 0u);
}

TEST(PageTiers, PinnedPagesStayUntilTheyAreUnpinned) {
  TieredManager managed({.num_pages = 4, .page_size = 4}, 0);
  auto const a = managed.add(counting(9));
  managed.manager.pin(a);
  managed.manager.free(a);
  EXPECT_EQ(managed.manager.page_counts().used, 2u);
  managed.manager.free(managed.add(counting(8, 100)));
  EXPECT_EQ(managed.manager.count_cached_tokens(counting(9)), 8u);
  auto const b = managed.manager.create(counting(12, 200));
  EXPECT_EQ(managed.step(b).missing_pages, 1u);
  managed.manager.unpin(a);
  EXPECT_TRUE(managed.step(b).fits());
  EXPECT_EQ(managed.manager.count_cached_tokens(counting(9)), 4u);
}

TEST(PageTiers, PagesOfHigherPriorityAreEvictedLast) {
  for (auto const kind : {EvictionKind::reuse_rate, EvictionKind::lru, EvictionKind::lfu}) {
    TieredManager managed({.num_pages = 6, .page_size = 4, .eviction = kind}, 0);
    auto const a = managed.manager.create(counting(8));
    managed.manager.set_priority(a, 1);
    EXPECT_TRUE(managed.step(a).fits());
    managed.manager.free(a);
    for (std::uint32_t i = 1; i < 10; ++i) managed.manager.free(managed.add(counting(8, 100 * i)));
    EXPECT_EQ(managed.manager.count_cached_tokens(counting(8)), 8u) << to_text(kind);
    managed.manager.free(managed.add(counting(24, 5000)));
    EXPECT_EQ(managed.manager.count_cached_tokens(counting(8)), 0u) << to_text(kind);
  }
}

TEST(PageTiers, Refusals) {
  PageManager plain({.num_pages = 4, .page_size = 4});
  auto const id = plain.create(counting(4));
  expect_refusal<SequenceError>(
      "swap_out: sequence 0: found no host pages, expected a manager with tiers",
      [&] { plain.swap_out(id); });
  expect_refusal<SequenceError>(
      "swap_in: sequence 0: found resident, expected one that is swapped out",
      [&] { plain.swap_in(id); });
  expect_refusal<SequenceError>("unpin: sequence 0: found not pinned, expected a pinned one",
                                [&] { plain.unpin(id); });
  plain.pin(id);
  expect_refusal<SequenceError>("pin: sequence 0: found pinned, expected one that is not",
                                [&] { plain.pin(id); });

  TieredManager managed({.num_pages = 4, .page_size = 4}, 4);
  auto const out = managed.add(counting(5));
  ASSERT_TRUE(managed.manager.swap_out(out).fits());
  auto const expected = std::string(": sequence 0: found swapped out, expected a resident one");
  expect_refusal<SequenceError>("swap_out" + expected, [&] { managed.manager.swap_out(out); });
  expect_refusal<SequenceError>("fork" + expected, [&] { managed.manager.fork(out); });
  expect_refusal<SequenceError>("truncate" + expected, [&] { managed.manager.truncate(out, 1); });
  expect_refusal<SequenceError>("prepare_step" + expected, [&] { managed.step(out); });

  TemporaryFolder folder;
  auto files      = std::make_shared<PageFileTier>(folder.path(), file_options(2));
  auto const make = [&](std::uint32_t page_size, std::shared_ptr<PageTransfer> transfer) {
    PageManager({.num_pages = 4, .page_size = page_size}, PageTiers{transfer, files});
  };
  PlainStorage storage({.num_pages = 1, .page_size = 4}, 1);
  expect_refusal<ShapeError>(
      "PageManager: tiers.transfer: found none, expected one, where there are files",
      [&] { make(4, nullptr); });
  expect_refusal<ShapeError>("PageManager: tiers.files->options().page_size: found 4, expected 8",
                             [&] { make(8, storage.transfer()); });
  expect_refusal<ShapeError>("PageManager: tiers.files->options().page_bytes: found 32, expected 1",
                             [&] { make(4, std::make_shared<NoPageTransfer>(1)); });
  expect_refusal<ShapeError>(
      "PageManager: tiers.transfer->num_host_pages(): found 0, expected at least 1, where there "
      "are files",
      [&] { make(4, std::make_shared<NoPageTransfer>(0)); });
}

}  // namespace KokkosKVTest
