// What an eviction policy is told of a sequence: its pages come last to first.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <manager/KokkosKV_PageManager.hpp>

#include "TieredManager.hpp"

namespace KokkosKVTest {

using namespace KokkosKV;

namespace {

using Pages = std::vector<std::uint32_t>;

/// What a policy was told, in this order.
struct Told {
  Pages touched;
  Pages released;
};

/// Evicts as the policy of the library does, and writes down what it is told.
class RecordingPolicy final : public EvictionPolicy {
 public:
  explicit RecordingPolicy(Told& told)
      : m_policy(make_eviction_policy(EvictionKind::lru)), m_told(told) {}

  void reset(std::uint32_t num_pages) override { m_policy->reset(num_pages); }
  void insert(std::uint32_t page, std::uint64_t hash, std::uint32_t parent) override {
    m_policy->insert(page, hash, parent);
  }
  void touch(std::uint32_t page) override {
    m_told.touched.push_back(page);
    m_policy->touch(page);
  }
  void retain(std::uint32_t page, bool is_leaf) override { m_policy->retain(page, is_leaf); }
  void release(std::uint32_t page, bool is_leaf) override {
    m_told.released.push_back(page);
    m_policy->release(page, is_leaf);
  }
  void uncover(std::uint32_t page) override { m_policy->uncover(page); }
  std::uint32_t evict() override { return m_policy->evict(); }
  void remove(std::uint32_t page, bool is_listed) override { m_policy->remove(page, is_listed); }

 private:
  std::unique_ptr<EvictionPolicy> m_policy;
  Told& m_told;
};

class PageOrder : public testing::Test {
 protected:
  /// A step of one sequence, which is left open.
  void prepare(SequenceId id) {
    StepRequest const request{id};
    ASSERT_TRUE(manager.prepare_step({&request, 1}).fits());
  }
  /// A sequence of three full pages.
  SequenceId add() {
    auto const id = manager.create(counting(12));
    prepare(id);
    manager.commit_step();
    told = {};
    return id;
  }
  Pages last_to_first(SequenceId id) const {
    auto const pages = manager.pages(id);
    return Pages(pages.rbegin(), pages.rend());
  }

  Told told;
  PageManager manager{{.num_pages = 8, .page_size = 4, .recompute_last_token = false},
                      std::make_unique<RecordingPolicy>(told),
                      PageTiers{std::make_shared<NoPageTransfer>(8), nullptr}};
};

}  // namespace

TEST_F(PageOrder, SequencesGiveUpTheLastPageFirst) {
  std::vector<std::function<void(SequenceId)>> const ways{
      [&](SequenceId id) { manager.free(id); }, [&](SequenceId id) { manager.release_pages(id); },
      [&](SequenceId id) { manager.truncate(id, 0); },
      [&](SequenceId id) { ASSERT_TRUE(manager.swap_out(id).fits()); },
      [&](SequenceId id) {
        manager.pin(id);
        manager.free(id);
        ASSERT_TRUE(told.released.empty());
        manager.unpin(id);
      }};
  for (std::size_t way = 0; way < ways.size(); ++way) {
    auto const id    = add();
    auto const pages = last_to_first(id);
    ASSERT_EQ(pages.size(), 3u);
    ways[way](id);
    EXPECT_EQ(told.released, pages) << "way " << way;
  }
}

TEST_F(PageOrder, CachedPagesAreUsedLastToFirst) {
  manager.free(add());
  auto const id = manager.create(counting(12));
  told          = {};
  prepare(id);
  auto const pages = last_to_first(id);
  ASSERT_EQ(pages.size(), 3u);
  EXPECT_EQ(told.touched, pages);
  manager.abandon_step();
  EXPECT_EQ(told.released, pages);
}

TEST_F(PageOrder, PagesThatThePoolStillHasAreUsedLastToFirst) {
  auto const id = add();
  ASSERT_TRUE(manager.swap_out(id).fits());
  told = {};
  ASSERT_TRUE(manager.swap_in(id).fits());
  EXPECT_EQ(told.touched, last_to_first(id));
  EXPECT_EQ(told.touched.size(), 3u);
}

}  // namespace KokkosKVTest
