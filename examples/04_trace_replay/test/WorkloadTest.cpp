// Token ids of prompts and answers.
#include "replay/Workload.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "common/UsageError.hpp"

namespace {

using trace_replay::PageShape;
using trace_replay::Workload;

std::vector<std::uint32_t> prompt(Workload const& workload, std::size_t index, PageShape page) {
  std::vector<std::uint32_t> ids;
  workload.append_prompt(index, page, ids);
  return ids;
}

constexpr std::uint64_t far = 0xFFFF'FFFF'FFFF'FFFF;

Workload two_of_three_blocks() {
  return Workload({{1200, 3, 0, {7, far, 9}}, {1024, 2, 0, {7, far}}, {600, 1, 0, {7, 10}}});
}

TEST(WorkloadTest, EqualBlocksHaveEqualTokensAndOthersDiffer) {
  auto const workload = two_of_three_blocks();
  auto const first    = prompt(workload, 0, {512, 512});
  auto const second   = prompt(workload, 1, {512, 512});
  auto const third    = prompt(workload, 2, {512, 512});
  ASSERT_EQ(first.size(), 3 * 512u);
  ASSERT_EQ(second.size(), 2 * 512u);
  EXPECT_TRUE(std::equal(second.begin(), second.end(), first.begin()));
  EXPECT_TRUE(std::equal(third.begin(), third.begin() + 512, first.begin()));
  std::set<std::uint32_t> all(first.begin(), first.end());
  all.insert(third.begin() + 512, third.end());
  EXPECT_EQ(all.size(), 4 * 512u);
  EXPECT_EQ(workload.num_blocks(), 7u);
  EXPECT_EQ(workload.num_distinct_blocks(), 4u);
}

TEST(WorkloadTest, PagesHaveTheFirstTokensOfWhatTheyStandFor) {
  auto const workload = two_of_three_blocks();
  auto const tokens   = prompt(workload, 0, {512, 512});
  // 1,200 tokens are 10 pages of 128, the last of them in part.
  auto const thinned = prompt(workload, 0, {128, 2});
  ASSERT_EQ(thinned.size(), 20u);
  for (std::size_t page = 0; page < 10; ++page) {
    EXPECT_EQ(thinned[2 * page], tokens[128 * page]);
    EXPECT_EQ(thinned[2 * page + 1], tokens[128 * page + 1]);
  }
  EXPECT_EQ(workload.num_prompt_pages(0, 128), 10u);
  auto const exact = prompt(workload, 0, {1, 1});
  ASSERT_EQ(exact.size(), 1200u);
  EXPECT_TRUE(std::equal(exact.begin(), exact.end(), tokens.begin()));
}

TEST(WorkloadTest, WithoutBlocksAllTokensDiffer) {
  Workload const workload({{700, 5}, {700, 5}});
  std::set<std::uint32_t> all;
  for (std::size_t i = 0; i < 2; ++i) {
    for (auto const id : prompt(workload, i, {1, 1})) all.insert(id);
    for (std::uint32_t place = 0; place < 5; ++place) all.insert(workload.answer_token(i, place));
  }
  EXPECT_EQ(all.size(), 1410u);
  EXPECT_EQ(workload.num_distinct_blocks(), 4u);
}

TEST(WorkloadTest, RefusesMoreTokensThanIds) {
  constexpr std::uint32_t quarter = 1u << 30;
  EXPECT_NO_THROW(Workload({{0, quarter}, {0, quarter}, {0, quarter}, {0, quarter}}));
  EXPECT_THROW(Workload({{1, quarter}, {0, quarter}, {0, quarter}, {0, quarter}}),
               example::UsageError);
}

}  // namespace
