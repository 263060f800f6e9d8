// Pages that several sequences of one step fill with the same tokens.
#include <gtest/gtest.h>

#include <vector>

#include <manager/KokkosKV_PageManager.hpp>

#include "TieredManager.hpp"

namespace KokkosKVTest {

using namespace KokkosKV;

TEST(SharedPages, AreThoseOfTheFirstThatFillsThem) {
  PageManager manager({.num_pages = 16, .page_size = 4});
  // The second one computes its last token, and so its second page, itself.
  std::vector<StepRequest> const requests{
      {manager.create(counting(8))}, {manager.create(counting(8))}, {manager.create(counting(9))}};
  auto const first = requests[0].sequence, last = requests[2].sequence;
  auto const layout = manager.prepare_step(requests);
  ASSERT_TRUE(layout.fits());
  EXPECT_EQ(layout.cache_lengths[2], 8u);
  EXPECT_EQ(manager.pages(last)[1], manager.pages(first)[1]);
  auto const version = manager.table_version(last);
  manager.commit_step();
  EXPECT_EQ(manager.pages(last)[1], manager.pages(first)[1]);
  EXPECT_EQ(manager.table_version(last), version);
}

TEST(SharedPages, FilledAlikeInTheMiddleBecomeOneAfterTheStep) {
  TieredManager managed({.num_pages = 40, .page_size = 4}, 0);
  auto& manager = managed.manager;
  auto const a = managed.add(counting(6)), b = manager.fork(a);
  std::vector<StepRequest> const requests{{a}, {b}};
  for (auto const id : {a, b}) manager.append(id, counting(20, 7));
  ASSERT_TRUE(manager.prepare_step(requests).fits());
  EXPECT_EQ(manager.page_counts().used, 1u + 2 * 6u);
  manager.commit_step();
  // Five full pages more are one now; the last ones have room and stay apart.
  EXPECT_EQ(manager.page_counts().used, 6u + 2u);
  EXPECT_EQ(manager.pages(a)[5], manager.pages(b)[5]);
  EXPECT_NE(manager.pages(a)[6], manager.pages(b)[6]);
}

}  // namespace KokkosKVTest
