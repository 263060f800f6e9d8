// Both models on small workloads whose figures can be counted by hand, and on random ones.
#include "replay/Replay.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/UsageError.hpp"

namespace {

using namespace trace_replay;
using example::Request;

Settings timed(std::uint32_t pages, std::uint32_t page_size, TimedModel const& model) {
  Settings settings;
  settings.num_pages = pages;
  settings.page      = {page_size, page_size};
  settings.timed     = model;
  return settings;
}

std::string refusal(Workload const& workload, Settings const& settings) {
  try {
    replay(workload, settings);
  } catch (example::UsageError const& error) {
    return error.what();
  }
  return "accepted";
}

/// Counts what each sequence computes.
class RowCounter : public StepObserver {
 public:
  void step(KokkosKV::PageManager const& manager, KokkosKV::StepLayout const& layout) override {
    auto const rows = layout.row_offsets.back();
    largest_step    = std::max(largest_step, rows);
    largest_batch   = std::max(largest_batch, layout.sequences.size());
    for (auto const id : layout.sequences) lengths[id] = manager.tokens(id).size();
  }
  std::shared_ptr<KokkosKV::PageTransfer> make_transfer(std::uint32_t pages) override {
    return std::make_shared<KokkosKV::NoPageTransfer>(pages);
  }
  void end(KokkosKV::SequenceId id) override {
    ended_lengths.push_back(lengths.at(id));
    lengths.erase(id);
  }

  std::uint32_t largest_step = 0;
  std::size_t largest_batch  = 0;
  std::unordered_map<KokkosKV::SequenceId, std::size_t> lengths;
  std::vector<std::size_t> ended_lengths;
};

TEST(InstantReplayTest, CountsLeadingBlocks) {
  // The third request has blocks 1 and 4, but 4 behind another one: only 1 is a hit.
  Workload const workload({{1536, 1, 0, {1, 2, 3}}, {1030, 1, 0, {1, 2, 4}}, {1024, 1, 0, {1, 5}}});
  Settings settings;
  settings.num_pages = 8;
  auto const results = replay(workload, settings);
  EXPECT_EQ(results.requests, 3u);
  EXPECT_EQ(results.prompt_pages, 8u);
  EXPECT_EQ(results.hit_pages, 3u);
  EXPECT_EQ(results.peak_pages, 5u);
  EXPECT_EQ(results.peak_used_pages, 3u);
  EXPECT_EQ(results.manager.events.evicted_pages, 0u);
}

TEST(InstantReplayTest, RefusesRequestsLargerThanThePool) {
  Settings settings;
  settings.num_pages = 2;
  EXPECT_EQ(refusal(Workload({{512, 1}, {1025, 1}}), settings),
            "request 2 needs 3 pages of 512 tokens, the pool has 2 (see --pages)");
}

TEST(TimedReplayTest, TakesTheTimeOfItsSteps) {
  // The prompt takes a step of 10 rows, and each of the 4 other answer tokens one of 1 row.
  TimedModel model;
  model.tokens_per_second = 1000;
  model.step_us           = 500;
  auto const results      = replay(Workload({{10, 5}}), timed(4, 4, model));
  ASSERT_TRUE(results.timed);
  EXPECT_EQ(results.timed->steps, 5u);
  EXPECT_EQ(results.timed->rows, 14u);
  EXPECT_NEAR(results.timed->seconds, 0.0005 * 5 + 0.014, 1e-9);
  EXPECT_NEAR(results.timed->first_token_mean, 0.0105, 1e-9);
}

TEST(TimedReplayTest, WaitsForArrivals) {
  TimedModel model;
  model.step_us      = 1000;
  auto const results = replay(Workload({{1, 1, 0}, {1, 1, 5'000'000}}), timed(4, 4, model));
  EXPECT_NEAR(results.timed->seconds, 5.001, 1e-3);
  EXPECT_LT(results.timed->first_token_p99, 0.002);
}

TEST(TimedReplayTest, KeepsToBatchAndBudget) {
  TimedModel model;
  model.max_batch = 3;
  model.budget    = 7;
  RowCounter rows;
  auto const results =
      replay(Workload(std::vector<Request>(9, {20, 4})), timed(100, 4, model), &rows);
  EXPECT_EQ(rows.largest_step, 7u);
  EXPECT_EQ(rows.largest_batch, 3u);
  EXPECT_EQ(results.timed->peak_batch, 3u);
}

TEST(TimedReplayTest, ServesRequestsWithoutPromptOrAnswer) {
  auto const results = replay(Workload({{0, 3}, {5, 0}, {0, 0}}), timed(4, 4, {}));
  EXPECT_EQ(results.requests, 3u);
  EXPECT_EQ(results.timed->rows, 2u + 5u);
}

TEST(TimedReplayTest, RefusesRequestsThatCouldNeverEnd) {
  // The last answer token is not stored: 8 tokens are 2 pages, 9 are 3.
  EXPECT_EQ(refusal(Workload({{5, 4}}), timed(2, 4, {})), "accepted");
  EXPECT_EQ(refusal(Workload({{5, 5}}), timed(2, 4, {})),
            "request 1 needs 3 pages of 4 tokens, the pool has 2 (see --pages)");
}

/// Whatever happens on the way, every request ends with all its tokens.
class ConservationTest : public testing::TestWithParam<std::uint32_t> {};

TEST_P(ConservationTest, EveryRequestIsServedWhole) {
  std::vector<Request> requests;
  for (std::uint32_t i = 0; i < 200; ++i) {
    Request request{1 + i * 37 % 1500, 1 + i * 11 % 300, 3'000 * std::int64_t(i)};
    for (std::uint32_t block = 0; block * 512 < request.context; ++block) {
      // Five groups of prompts; a block of a shorter prompt that is whole only there is its own.
      bool const is_whole = (block + 1) * 512 <= request.context;
      request.block_ids.push_back(is_whole ? 10 * block + i % 5 : 1000 + i);
    }
    requests.push_back(request);
  }
  Workload const workload(requests);
  TimedModel model;
  model.max_batch           = 16;
  model.budget              = 512;
  auto settings             = timed(120, 16, model);
  settings.tiers.host_pages = GetParam();
  RowCounter rows;
  std::size_t served = 0;
  auto const results =
      replay(workload, settings, &rows, [&](std::size_t done) { EXPECT_EQ(done, ++served); });
  EXPECT_EQ(served, requests.size());
  EXPECT_GT(results.timed->preemptions, 0u);
  EXPECT_GT(results.hit_pages, 0u);
  EXPECT_EQ(results.manager.sequences, 0u);
  EXPECT_EQ(results.manager.pages.free + results.manager.pages.cached, 120u);
  EXPECT_EQ(results.manager.pages.host_used, 0u);
  EXPECT_EQ(results.manager.events.swapped_out > 0, GetParam() > 0);
  EXPECT_TRUE(rows.lengths.empty());
  std::vector<std::size_t> expected;
  for (auto const& request : requests) expected.push_back(request.tokens() - 1);
  std::ranges::sort(expected);
  std::ranges::sort(rows.ended_lengths);
  EXPECT_EQ(rows.ended_lengths, expected);
}

INSTANTIATE_TEST_SUITE_P(HostPages, ConservationTest, testing::Values(0u, 20u, 400u));

}  // namespace
