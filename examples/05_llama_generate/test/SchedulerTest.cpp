// Continuous batching, preemption and refusals, with a model that computes nothing.
#include "serving/Scheduler.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "CountingModel.hpp"
#include "ModelData.hpp"

namespace llama_generate {
namespace {

using test::CountingModel;
using test::refusal;
using Tokens = std::vector<std::uint32_t>;

Tokens prompt_of(std::size_t length, std::uint32_t first = 3) {
  Tokens result(length);
  for (std::size_t i = 0; i < length; ++i) {
    result[i] = 3 + (first + static_cast<std::uint32_t>(i)) % 40;
  }
  return result;
}

/// What the model generates after a prompt.
Tokens expected(CountingModel const& model, Tokens tokens, std::size_t count) {
  auto const begin = tokens.size();
  while (tokens.size() < begin + count) tokens.push_back(model.next(tokens));
  tokens.erase(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(begin));
  return tokens;
}

/// All pages are given back, those of host memory too.
void expect_empty(Scheduler const& scheduler) {
  EXPECT_EQ(scheduler.manager().num_sequences(), 0u);
  EXPECT_EQ(scheduler.manager().page_counts().used, 0u);
  EXPECT_EQ(scheduler.manager().page_counts().host_used, 0u);
  EXPECT_EQ(scheduler.num_finished(), scheduler.num_requests());
}

TEST(Scheduler, generates_what_the_model_says) {
  CountingModel model(64);
  Scheduler scheduler(model, {.num_pages = 20, .page_size = 4});
  Tokens told;
  scheduler.set_token_callback([&](auto, std::uint32_t token) { told.push_back(token); });
  auto const id = scheduler.submit({prompt_of(5), 12});
  while (scheduler.step()) continue;
  EXPECT_EQ(scheduler.completion(id).tokens, expected(model, prompt_of(5), 12));
  EXPECT_EQ(scheduler.completion(id).tokens, told);
  EXPECT_EQ(scheduler.completion(id).finish, Finish::length);
  EXPECT_EQ(scheduler.statistics().steps, 12u);
  EXPECT_EQ(scheduler.statistics().rows, 5u + 11u);
  expect_empty(scheduler);
}

TEST(Scheduler, reads_long_prompts_in_chunks) {
  CountingModel model(64);
  Scheduler scheduler(model, {.num_pages = 20, .page_size = 4, .chunk = 6});
  auto const id         = scheduler.submit({prompt_of(20), 2});
  std::uint32_t largest = 0;
  while (scheduler.step()) largest = std::max(largest, model.largest_step);
  EXPECT_EQ(largest, 6u);
  EXPECT_EQ(scheduler.statistics().steps, 5u);  // 6, 6, 6, 2 rows, and one of a new token
  EXPECT_EQ(scheduler.completion(id).tokens, expected(model, prompt_of(20), 2));
}

TEST(Scheduler, lets_requests_join_and_leave_at_any_step) {
  CountingModel model(64);
  Scheduler scheduler(model, {.num_pages = 40, .page_size = 4, .max_batch = 2});
  scheduler.submit({prompt_of(5, 1), 3});
  scheduler.step();
  scheduler.submit({prompt_of(6, 2), 4});
  scheduler.submit({prompt_of(7, 3), 5});
  while (scheduler.step()) continue;
  scheduler.submit({prompt_of(8, 4), 6});
  while (scheduler.step()) continue;
  for (std::uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(scheduler.completion(i).tokens, expected(model, prompt_of(5 + i, 1 + i), 3 + i)) << i;
  }
  EXPECT_EQ(scheduler.statistics().peak_batch, 2u);
  expect_empty(scheduler);
}

TEST(Scheduler, stops_where_the_model_does_or_the_context_ends) {
  CountingModel stopping(64, 9), endless(10);
  Scheduler first(stopping, {.num_pages = 20, .page_size = 4});
  auto id = first.submit({prompt_of(5), 12});
  while (first.step()) continue;
  EXPECT_EQ(first.completion(id).tokens, expected(stopping, prompt_of(5), 4));
  EXPECT_EQ(first.completion(id).finish, Finish::stop);
  expect_empty(first);

  Scheduler second(endless, {.num_pages = 20, .page_size = 4});
  id              = second.submit({prompt_of(5), 12});
  auto const full = second.submit({prompt_of(10), 12});
  while (second.step()) continue;
  EXPECT_EQ(second.completion(id).tokens, expected(endless, prompt_of(5), 6));
  EXPECT_EQ(second.completion(id).finish, Finish::context);
  EXPECT_EQ(second.completion(full).tokens, expected(endless, prompt_of(10), 1));
  expect_empty(second);
}

/// Serves 30 requests in a pool that holds few of them.
class Crowd : public testing::TestWithParam<std::uint32_t> {};

TEST_P(Crowd, preempts_the_youngest_and_loses_nothing) {
  CountingModel model(100);
  Scheduler scheduler(
      model,
      {.num_pages = 25, .page_size = 4, .max_batch = 8, .chunk = 5, .host_pages = GetParam()});
  std::vector<std::size_t> finished;
  for (std::uint32_t i = 0; i < 30; ++i) scheduler.submit({prompt_of(3 + i % 9, i % 5), 20 + i});
  while (scheduler.step()) continue;
  for (std::uint32_t i = 0; i < 30; ++i) {
    EXPECT_EQ(scheduler.completion(i).tokens, expected(model, prompt_of(3 + i % 9, i % 5), 20 + i))
        << i;
  }
  EXPECT_GT(scheduler.statistics().preemptions, 0u);
  auto const& pages = scheduler.manager().statistics();
  EXPECT_EQ(pages.swapped_out, pages.swapped_in);
  EXPECT_EQ(pages.swapped_out > 0, GetParam() > 0);
  EXPECT_LE(pages.swapped_out, scheduler.statistics().preemptions);
  if (GetParam() >= 1000) {
    EXPECT_EQ(pages.swapped_out, scheduler.statistics().preemptions);
  }
  EXPECT_GT(pages.hit_pages, 0u);
  EXPECT_GT(pages.evicted_pages, 0u);
  expect_empty(scheduler);
}
INSTANTIATE_TEST_SUITE_P(HostPages, Crowd, testing::Values(0u, 6u, 1000u));

TEST(Scheduler, serves_the_oldest_first) {
  CountingModel model(100);
  Scheduler scheduler(model, {.num_pages = 12, .page_size = 4, .max_batch = 4});
  // Any two of them need more pages than there are.
  for (std::uint32_t i = 0; i < 4; ++i) scheduler.submit({prompt_of(4, 9 * i), 30});
  std::vector<std::size_t> order;
  do {
    for (std::size_t id = 0; id < 4; ++id) {
      if (scheduler.completion(id).finish != Finish::none && std::ranges::count(order, id) == 0) {
        order.push_back(id);
      }
    }
  } while (scheduler.step());
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 3}));
  EXPECT_GT(scheduler.statistics().preemptions, 0u);
}

TEST(Scheduler, fills_a_pool_to_the_last_page) {
  CountingModel model(100);
  // 8 tokens of the prompt are cached after the first, and its last page is copied.
  Scheduler scheduler(model, {.num_pages = 3, .page_size = 4});
  for (int i = 0; i < 3; ++i) {
    auto const id     = scheduler.submit({prompt_of(8), 1});
    auto const longer = scheduler.submit({prompt_of(7), 5});
    while (scheduler.step()) continue;
    EXPECT_EQ(scheduler.completion(id).tokens, expected(model, prompt_of(8), 1));
    EXPECT_EQ(scheduler.completion(longer).tokens, expected(model, prompt_of(7), 5));
  }
  expect_empty(scheduler);
}

TEST(Scheduler, a_step_that_fails_can_be_tried_again) {
  CountingModel model(64);
  Scheduler scheduler(model, {.num_pages = 20, .page_size = 4});
  auto const id = scheduler.submit({prompt_of(5), 3});
  model.fails   = true;
  EXPECT_EQ(refusal([&] { scheduler.step(); }), "launch failed");
  model.fails = false;
  while (scheduler.step()) continue;
  EXPECT_EQ(scheduler.completion(id).tokens, expected(model, prompt_of(5), 3));
  expect_empty(scheduler);
}

TEST(Scheduler, refuses_what_it_cannot_serve) {
  CountingModel model(32);
  Scheduler scheduler(model, {.num_pages = 7, .page_size = 4});
  auto const refuse = [&](Request const& request) {
    return refusal([&] { scheduler.submit(request); });
  };
  EXPECT_EQ(refuse({{}, 3}), "request 1: the prompt has no token");
  EXPECT_EQ(refuse({{1}, 0}), "request 1: no new tokens are wanted");
  EXPECT_EQ(refuse({{1, 50}, 3}), "request 1: token 50 is not in the vocabulary of 50");
  EXPECT_EQ(refuse({prompt_of(33), 3}),
            "request 1: the prompt has 33 tokens, the model's context 32");
  EXPECT_EQ(refuse({prompt_of(9), 20}),
            "request 1: needs 8 pages of 4 tokens, the pool has 7 (see --pages)");
  EXPECT_EQ(refuse({prompt_of(9), 19}), "accepted");
  EXPECT_EQ(refuse({{}, 3}), "request 2: the prompt has no token");
}

}  // namespace
}  // namespace llama_generate
