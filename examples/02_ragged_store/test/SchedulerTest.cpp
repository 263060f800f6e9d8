// The scheduler: whatever the limits, every token is stored once, budgets are kept and no page is
// lost.
#include "scheduler/Scheduler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "SyntheticWorkload.hpp"

namespace {

using namespace ragged_store;
using example::Request;

/// Follows a schedule from outside and checks each step.
class ScheduleCheck {
 public:
  ScheduleCheck(std::vector<Request> requests, SchedulerLimits const& limits)
      : m_requests(std::move(requests)),
        m_limits(limits),
        m_scheduler(m_requests, limits, 7),
        m_stored(m_requests.size()) {}

  /// Runs to the end; returns the number of steps that held tokens.
  std::size_t run() {
    std::size_t steps = 0;
    for (std::size_t guard = 0; !m_scheduler.is_done(); ++guard) {
      if (guard > 1000000) {
        ADD_FAILURE() << "the schedule does not end";
        return steps;
      }
      auto const step = m_scheduler.next_step();
      check_pages(step);
      check_pieces(step);
      for (auto const slot : m_scheduler.complete(step)) {
        EXPECT_EQ(m_scheduler.cached(slot), m_requests[m_scheduler.request(slot)].tokens());
        m_held.erase(slot);
        m_scheduler.release(slot);
      }
      steps += step.tokens > 0;
    }
    for (std::size_t i = 0; i < m_requests.size(); ++i) {
      EXPECT_EQ(m_stored[i], m_requests[i].tokens()) << "request " << i;
    }
    EXPECT_EQ(m_scheduler.free_pages().available(), m_limits.num_pages);
    EXPECT_EQ(m_scheduler.finished(), m_requests.size());
    return steps;
  }

 private:
  /// Free pages and pages in use are all pages, and none is in use twice.
  void check_pages(Step const& step) {
    for (auto const slot : step.admitted) {
      auto const pages = m_scheduler.pages(slot);
      EXPECT_EQ(pages.size(),
                pages_needed(m_requests[m_scheduler.request(slot)], m_limits.page_size));
      EXPECT_TRUE(m_held.emplace(slot, std::vector(pages.begin(), pages.end())).second);
    }
    std::vector<bool> used(m_limits.num_pages);
    std::size_t held = 0, repeated = 0;
    for (auto const& [slot, pages] : m_held) {
      for (auto const page : pages) {
        repeated += used.at(page);
        used[page] = true;
      }
      held += pages.size();
      EXPECT_TRUE(std::ranges::equal(pages, m_scheduler.pages(slot)));
    }
    EXPECT_EQ(repeated, 0u);
    EXPECT_EQ(m_scheduler.free_pages().available() + held, m_limits.num_pages);
  }

  void check_pieces(Step const& step) {
    std::uint32_t tokens = 0;
    std::int64_t last    = -1;
    for (auto const& piece : step.pieces) {
      auto const& request = m_requests[piece.request];
      EXPECT_GT(std::int64_t(piece.slot), last) << "slots ascend";
      last = piece.slot;
      EXPECT_EQ(piece.first_token, m_stored[piece.request]) << "no gap and no repetition";
      EXPECT_GE(piece.tokens, 1u);
      EXPECT_LE(piece.tokens, m_limits.chunk);
      if (piece.first_token >= request.context) {
        EXPECT_EQ(piece.tokens, 1u);
      } else {
        EXPECT_LE(piece.first_token + piece.tokens, request.context);
      }
      m_stored[piece.request] += piece.tokens;
      tokens += piece.tokens;
    }
    EXPECT_EQ(tokens, step.tokens);
    EXPECT_LE(tokens, m_limits.budget);
    EXPECT_LE(m_held.size(), m_limits.max_batch);
  }

  std::vector<Request> m_requests;
  SchedulerLimits m_limits;
  Scheduler m_scheduler;
  std::vector<std::uint64_t> m_stored;
  std::map<std::uint32_t, std::vector<std::uint32_t>> m_held;
};

TEST(SchedulerTest, StoresEveryTokenOnceForAnyLimits) {
  auto const requests = synthesise_workload(40, 3);
  for (std::uint32_t const page_size : {7u, 16u, 256u}) {
    std::uint64_t largest = 0;
    for (auto const& request : requests) {
      largest = std::max(largest, pages_needed(request, page_size));
    }
    // A pool for the largest request alone, and one for several.
    for (std::uint64_t const num_pages : {largest, 3 * largest + 1}) {
      for (std::uint32_t const budget : {97u, 2048u}) {
        for (std::uint32_t const chunk : {64u, 4096u}) {
          SCOPED_TRACE(testing::Message() << "page_size " << page_size << " num_pages " << num_pages
                                          << " budget " << budget << " chunk " << chunk);
          ScheduleCheck(requests,
                        {static_cast<std::uint32_t>(num_pages), page_size, 8, budget, chunk})
              .run();
        }
      }
    }
  }
}

TEST(SchedulerTest, BudgetSmallerThanTheDecodingSequencesStillEnds) {
  EXPECT_EQ(ScheduleCheck(std::vector<Request>(4, {1, 3}), {8, 16, 4, 1, 1}).run(), 16u);
}

TEST(SchedulerTest, DecodingGoesBeforePrompts) {
  std::vector<Request> const requests{{4, 2}, {100, 1}};
  Scheduler scheduler(requests, {100, 16, 4, 8, 64}, 1);
  auto step = scheduler.next_step();
  ASSERT_EQ(step.pieces.size(), 2u);
  EXPECT_EQ(step.pieces[0].tokens, 4u);
  EXPECT_EQ(step.pieces[1].tokens, 4u);
  scheduler.complete(step);
  step = scheduler.next_step();
  ASSERT_EQ(step.pieces.size(), 2u);
  EXPECT_EQ(step.pieces[0].tokens, 1u);
  EXPECT_EQ(step.pieces[1].tokens, 7u);
}

TEST(SchedulerTest, LargeRequestIsNotOvertaken) {
  std::vector<Request> const requests{{20, 0}, {160, 0}, {1, 0}};
  Scheduler scheduler(requests, {10, 16, 4, 8, 64}, 1);
  auto const step = scheduler.next_step();
  EXPECT_EQ(step.admitted.size(), 1u);
}

TEST(SchedulerTest, RequestsWithoutTokensOrPromptAreServed) {
  EXPECT_EQ(ScheduleCheck({{0, 0}, {0, 3}, {5, 0}, {0, 0}}, {4, 16, 2, 8, 8}).run(), 3u);
  EXPECT_EQ(ScheduleCheck({{0, 0}}, {4, 16, 2, 8, 8}).run(), 0u);
}

TEST(SchedulerTest, NamesTheRequestThatNeverFits) {
  std::vector<Request> const requests{{16, 0}, {100, 5}};
  EXPECT_FALSE(Scheduler::find_unservable(requests, {7, 16, 2, 8, 8}).has_value());
  auto const reason = Scheduler::find_unservable(requests, {6, 16, 2, 8, 8});
  EXPECT_EQ(reason.value_or(""),
            "request 2 (100 + 5 tokens) needs 7 pages of 16 tokens, the pool has 6");
}

TEST(FreePagesTest, ShufflesAndCountsThePeak) {
  FreePages pages(100, 1);
  auto const first = pages.take(60);
  EXPECT_FALSE(std::ranges::is_sorted(first));
  EXPECT_EQ(std::set(first.begin(), first.end()).size(), 60u);
  pages.give_back(first);
  auto const second = pages.take(10);
  EXPECT_EQ(pages.available(), 90u);
  EXPECT_EQ(pages.peak(), 60u);
  EXPECT_EQ(pages.total(), 100u);
}

}  // namespace
