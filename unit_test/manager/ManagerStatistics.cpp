// What a PageManager tells of itself: events, statistics, and those who read them meanwhile.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

#include <manager/KokkosKV_PageManager.hpp>

#include "TieredManager.hpp"

namespace KokkosKVTest {

using namespace KokkosKV;

namespace {

void serve(PageManager& manager, std::vector<std::uint32_t> const& tokens) {
  StepRequest const request{manager.create(tokens)};
  ASSERT_TRUE(manager.prepare_step({&request, 1}).fits());
  manager.commit_step();
  manager.free(request.sequence);
}

}  // namespace

TEST(ManagerStatistics, EventsFollowTheContents) {
  struct Seen {
    PageEvent::Kind kind;
    PageEvent::Place place;
    PageKey key;
    PageKey parent;
    std::vector<std::uint32_t> tokens;
  };
  std::vector<Seen> seen;
  PageManager manager({.num_pages = 2, .page_size = 2},
                      PageTiers{std::make_shared<NoPageTransfer>(2), nullptr});
  manager.set_event_callback([&](PageEvent const& event) {
    seen.push_back({event.kind, event.place, event.key, event.parent,
                    std::vector<std::uint32_t>(event.tokens.begin(), event.tokens.end())});
  });
  auto const root   = hash_domain({});
  auto const first  = hash_page(root, counting(2));
  auto const second = hash_page(first, counting(2, 3));
  serve(manager, counting(4));
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0].kind, PageEvent::Kind::stored);
  EXPECT_EQ(seen[0].place, PageEvent::Place::pool);
  EXPECT_EQ(seen[0].key, first);
  EXPECT_EQ(seen[0].parent, root);
  EXPECT_EQ(seen[0].tokens, counting(2));
  EXPECT_EQ(seen[1].key, second);
  EXPECT_EQ(seen[1].parent, first);
  seen.clear();
  serve(manager, counting(1, 50));
  // The second page goes to a host page, with the first one, before it leaves the pool.
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen[0].place, PageEvent::Place::host);
  EXPECT_EQ(seen[0].key, first);
  EXPECT_EQ(seen[1].place, PageEvent::Place::host);
  EXPECT_EQ(seen[1].key, second);
  EXPECT_EQ(seen[2].kind, PageEvent::Kind::removed);
  EXPECT_EQ(seen[2].place, PageEvent::Place::pool);
  EXPECT_EQ(seen[2].key, second);
}

TEST(ManagerStatistics, CallbacksThatThrowAreCounted) {
  PageManager manager({.num_pages = 4, .page_size = 2});
  manager.set_event_callback([](PageEvent const&) { throw std::runtime_error("no"); });
  serve(manager, counting(4));
  EXPECT_EQ(manager.statistics().failed_events, 2u);
  EXPECT_EQ(manager.page_counts().cached, 2u);
}

TEST(ManagerStatistics, JsonHasEveryNumber) {
  PageManager manager({.num_pages = 4, .page_size = 2});
  serve(manager, counting(5));
  serve(manager, counting(5));
  auto const id     = manager.create(counting(3));
  auto const parsed = nlohmann::json::parse(to_json(manager.read_statistics()));
  EXPECT_EQ(parsed.size(), sizeof(ManagerStatistics) / sizeof(std::uint64_t));
  EXPECT_EQ(parsed.at("hit_pages"), 2);
  EXPECT_EQ(parsed.at("computed_pages"), 2);
  EXPECT_EQ(parsed.at("prepared_steps"), 2);
  EXPECT_EQ(parsed.at("cached"), 2);
  EXPECT_EQ(parsed.at("free"), 2);
  EXPECT_EQ(parsed.at("sequences"), 1);
  manager.free(id);
}

TEST(ManagerStatistics, LastPagesCountAsFragmented) {
  PageManager manager({.num_pages = 8, .page_size = 4});
  auto const a = manager.create(counting(5));
  StepRequest const request{a};
  manager.prepare_step({&request, 1});
  manager.commit_step();
  EXPECT_EQ(manager.page_counts().unused_slots, 3u);
  auto const b = manager.fork(a);
  EXPECT_EQ(manager.page_counts().unused_slots, 6u);
  manager.truncate(a, 4);
  EXPECT_EQ(manager.page_counts().unused_slots, 3u);
  manager.free(b);
  EXPECT_EQ(manager.page_counts().unused_slots, 0u);
}

TEST(ManagerStatistics, AbandonedStepsHitNothing) {
  PageManager manager({.num_pages = 4, .page_size = 2},
                      PageTiers{std::make_shared<NoPageTransfer>(8), nullptr});
  serve(manager, counting(5));
  serve(manager, counting(8, 100));  // sends a page to host memory
  auto const before = manager.statistics();
  auto const shared = manager.create(counting(3));
  StepRequest const first{shared};
  manager.prepare_step({&first, 1});
  manager.commit_step();
  auto const hits = manager.statistics().hit_pages + manager.statistics().hit_host_pages;
  EXPECT_EQ(hits - before.hit_pages - before.hit_host_pages, 1u);
  auto const copied = manager.fork(shared);
  manager.append(copied, counting(1, 50));
  std::vector<StepRequest> const requests{{manager.create(counting(3))}, {copied}};
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(manager.prepare_step(requests).fits());
    manager.abandon_step();
  }
  EXPECT_EQ(manager.statistics().hit_pages + manager.statistics().hit_host_pages, hits);
  EXPECT_EQ(manager.statistics().copied_pages, 0u);
  ASSERT_TRUE(manager.prepare_step(requests).fits());
  manager.commit_step();
  EXPECT_EQ(manager.statistics().hit_pages + manager.statistics().hit_host_pages, hits + 1);
  EXPECT_EQ(manager.statistics().copied_pages, 1u);
}

TEST(ManagerStatistics, SwappedPagesAreNotKeptOnes) {
  PageManager manager({.num_pages = 4, .page_size = 2},
                      PageTiers{std::make_shared<NoPageTransfer>(8), nullptr});
  StepRequest const request{manager.create(counting(5))};
  ASSERT_TRUE(manager.prepare_step({&request, 1}).fits());
  manager.commit_step();
  ASSERT_TRUE(manager.swap_out(request.sequence).fits());
  EXPECT_EQ(manager.statistics().kept_pages, 0u);
  EXPECT_EQ(manager.statistics().swapped_out, 1u);
}

TEST(ManagerStatistics, DomainsGoWithTheirLastPage) {
  PageManager manager({.num_pages = 2, .page_size = 2});
  for (auto const* const tenant : {"a", "b"}) {
    StepRequest const request{manager.create(counting(2), {.tenant = tenant})};
    ASSERT_TRUE(manager.prepare_step({&request, 1}).fits());
    manager.commit_step();
    manager.free(request.sequence);
  }
  EXPECT_EQ(manager.read_statistics().domains, 2u);  // each has a cached page
  auto const waiting = manager.create(counting(2), {.tenant = "c"});
  EXPECT_EQ(manager.read_statistics().domains, 3u);
  manager.free(waiting);
  EXPECT_EQ(manager.read_statistics().domains, 2u);
  serve(manager, counting(4));  // evicts both pages
  EXPECT_EQ(manager.read_statistics().domains, 1u);
}

TEST(ManagerStatistics, BoardsAreReadWhole) {
  Impl::StatisticsBoard board;
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    ManagerStatistics statistics;
    for (std::uint64_t i = 1; !stop; ++i) {
      Impl::for_each_field(statistics, [&](char const*, std::uint64_t& field) { field = i; });
      board.write(statistics);
    }
  });
  std::uint64_t num_torn = 0, last = 0;
  for (int i = 0; i < 100000 || last == 0; ++i) {
    auto const statistics = board.read();
    bool is_torn          = statistics.pages.free < last;
    last                  = statistics.pages.free;
    Impl::for_each_field(
        statistics, [&](char const*, std::uint64_t field) { is_torn = is_torn || field != last; });
    num_torn += is_torn ? 1 : 0;
  }
  stop = true;
  writer.join();
  EXPECT_EQ(num_torn, 0u);
}

TEST(ManagerStatistics, OtherThreadsReadWholeStatistics) {
  constexpr std::uint32_t num_pages = 64;
  PageManager manager({.num_pages = num_pages, .page_size = 2});
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> num_reads{0};
  std::atomic<std::uint64_t> num_torn{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i) {
    readers.emplace_back([&] {
      std::uint64_t last = 0;
      while (!stop) {
        auto const now   = manager.read_statistics();
        bool const whole = now.pages.free + now.pages.cached + now.pages.used == num_pages &&
                           now.events.prepared_steps >= last;
        last = now.events.prepared_steps;
        num_torn += whole ? 0 : 1;
        ++num_reads;
      }
    });
  }
  for (std::uint32_t i = 0; num_reads < 1000 || i < 2000; ++i) serve(manager, counting(9, i % 500));
  stop = true;
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(num_torn, 0u);
}

}  // namespace KokkosKVTest
