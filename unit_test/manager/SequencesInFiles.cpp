// Sequences in files: what is lost, forged, looked for in vain, or left behind.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include <manager/KokkosKV_PageManager.hpp>

#include "FailingMemory.hpp"
#include "PageFileFixture.hpp"
#include "TieredManager.hpp"

namespace KokkosKVTest {

using namespace KokkosKV;

namespace {

/// Host pages for four pages, and a folder of files behind them.
struct Tiers {
  TemporaryFolder folder;
  std::shared_ptr<PageFileTier> files =
      std::make_shared<PageFileTier>(folder.path(), file_options(60));
  TieredManager managed{{.num_pages = 16, .page_size = 4}, 4, files};

  /// A sequence of which host pages have nothing any more.
  SequenceId add_in_files(std::vector<std::uint32_t> const& tokens) {
    auto const id = managed.add(tokens);
    EXPECT_TRUE(managed.manager.swap_out(id).fits());
    auto const other = managed.add(counting(13, 100000));
    EXPECT_TRUE(managed.manager.swap_out(other).fits());
    managed.manager.free(other);
    EXPECT_EQ(managed.manager.state(id), SequenceState::in_files);
    return id;
  }
};

}  // namespace

TEST(SequencesInFiles, LastPagesLeaveNoFilesBehind) {
  enum Way { freed, swapped_in, lost };
  for (auto const way : {freed, swapped_in, lost}) {
    Tiers tiers;
    auto const id = tiers.add_in_files(counting(11));
    ASSERT_EQ(tiers.files->count(), 3u);
    auto const tail   = tiers.files->keys();
    auto const second = hash_page(hash_page(hash_domain({}), counting(4)), counting(4, 5));
    if (way == freed) tiers.managed.manager.free(id);
    if (way == lost) tiers.files->remove(second);
    if (way != freed) {
      ASSERT_TRUE(tiers.managed.manager.swap_in(id).fits());
    }
    std::size_t num_left = 0;
    for (auto const key : tail) num_left += tiers.files->contains(key) ? 1 : 0;
    EXPECT_EQ(num_left, way == lost ? 1u : 2u) << way;
  }
}

TEST(SequencesInFiles, EqualLastPagesAreTheirOwn) {
  Tiers tiers;
  auto& manager = tiers.managed.manager;
  auto const a = tiers.managed.add(counting(7)), b = manager.fork(a);
  ASSERT_TRUE(manager.swap_out(a).fits());
  ASSERT_TRUE(manager.swap_out(b).fits());
  auto const other = tiers.managed.add(counting(16, 1000));
  ASSERT_TRUE(manager.swap_out(other).fits());
  manager.free(other);
  for (auto const id : {a, b}) {
    ASSERT_TRUE(manager.swap_in(id).fits());
    EXPECT_EQ(manager.num_stored(id), 7u);
    tiers.managed.expect_whole(id);
  }
}

TEST(SequencesInFiles, NothingIsLeftOfSwapsForWhichMemoryFailed) {
  std::size_t num_failures = 0;
  for (std::size_t number = 0; number < 40; ++number) {
    Tiers tiers;
    auto& manager = tiers.managed.manager;
    auto const a  = tiers.add_in_files(counting(11));
    try {
      FailingMemory const failing(number);
      manager.swap_in(a);
    } catch (std::bad_alloc const&) {
      ++num_failures;
      WorkingMemory const working;
      // What could not be read for lack of memory counts as lost.
      auto const num_pages = (manager.num_stored(a) + 3) / 4;
      EXPECT_NE(manager.state(a), SequenceState::resident);
      EXPECT_EQ(manager.page_counts().host_used,
                manager.state(a) == SequenceState::on_host ? num_pages : 0);
    }
    manager.free(a);
    // Whoever goes out now is the one that goes on to files, and comes back whole.
    auto const b = tiers.managed.add(counting(13, 3000)), c = tiers.managed.add(counting(13, 4000));
    ASSERT_TRUE(manager.swap_out(b).fits());
    ASSERT_TRUE(manager.swap_out(c).fits());
    EXPECT_EQ(manager.state(b), SequenceState::in_files);
    ASSERT_TRUE(manager.swap_in(b).fits());
    EXPECT_EQ(manager.num_stored(b), 13u);
    tiers.managed.expect_whole(b);
  }
  EXPECT_GT(num_failures, 3u);
}

TEST(SequencesInFiles, RefusedSwapsReadNothing) {
  Tiers tiers;
  auto& manager = tiers.managed.manager;
  auto const id = tiers.add_in_files(counting(16));
  tiers.managed.add(counting(56, 200));
  auto const before = tiers.files->statistics();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(manager.swap_in(id).missing_pages, 2u);
  EXPECT_EQ(tiers.files->statistics().gets, before.gets);
  EXPECT_EQ(tiers.files->statistics().puts, before.puts);
  EXPECT_EQ(manager.state(id), SequenceState::in_files);
}

TEST(SequencesInFiles, RefusedStepsReadOnce) {
  Tiers tiers;
  {
    TieredManager other({.num_pages = 8, .page_size = 4}, 8, tiers.files);
    for (std::uint32_t i = 0; i < 8; ++i) other.manager.free(other.add(counting(32, 1000 * i)));
  }
  TieredManager managed({.num_pages = 8, .page_size = 4}, 8, tiers.files);
  managed.add(counting(30, 90000));
  std::vector<StepRequest> const requests{{managed.manager.create(counting(32, 0))},
                                          {managed.manager.create(counting(32, 1000))}};
  EXPECT_FALSE(managed.manager.prepare_step(requests).fits());
  auto const once = tiers.files->statistics().gets;
  EXPECT_GT(once, 0u);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(managed.manager.prepare_step(requests).fits());
  EXPECT_EQ(tiers.files->statistics().gets, once);
  // Other tokens are another question.
  managed.manager.append(requests[0].sequence, counting(1));
  EXPECT_FALSE(managed.manager.prepare_step(requests).fits());
  EXPECT_GT(tiers.files->statistics().gets, once);
}

TEST(SequencesInFiles, ForgedPagesAreNotTaken) {
  enum Way { other_salt, other_tokens, other_parent, none };
  for (auto const way : {other_salt, other_tokens, other_parent, none}) {
    Tiers tiers;
    {
      TieredManager other({.num_pages = 4, .page_size = 4}, 4, tiers.files);
      other.manager.free(other.add(counting(13)));
      for (std::uint32_t i = 1; i < 4; ++i) other.manager.free(other.add(counting(16, 100 * i)));
    }
    auto const key = hash_page(hash_domain({}), counting(4));
    auto page      = tiers.files->get(key);
    ASSERT_TRUE(page);
    tiers.files->remove(key);
    if (way == other_salt) ++page->salt;
    if (way == other_tokens) ++page->tokens[2];
    if (way == other_parent) ++page->parent.low;
    tiers.files->put(*page);
    TieredManager managed({.num_pages = 8, .page_size = 4}, 8, tiers.files);
    auto const id = managed.manager.create(counting(13));
    EXPECT_EQ(managed.step(id).cache_lengths[0], way == none ? 12u : 0u) << way;
    EXPECT_EQ(managed.manager.statistics().failed_files, way == none ? 0u : 1u);
  }
}

}  // namespace KokkosKVTest
