// What eviction policies are made of, against their definitions.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include <manager/impl/KokkosKV_AgeGroups.hpp>
#include <manager/impl/KokkosKV_CellRanking.hpp>
#include <manager/impl/KokkosKV_GhostTable.hpp>
#include <manager/impl/KokkosKV_PageHeap.hpp>
#include <manager/impl/KokkosKV_PageHistory.hpp>
#include <manager/impl/KokkosKV_PageLists.hpp>
#include <manager/impl/KokkosKV_ReuseRates.hpp>
#include <reference/Random.hpp>

namespace KokkosKVTest {

using KokkosKV::Impl::AgeGroups;
using KokkosKV::Impl::blended_rate;
using KokkosKV::Impl::CellRanking;
using KokkosKV::Impl::find_worths;
using KokkosKV::Impl::Ghost;
using KokkosKV::Impl::GhostTable;
using KokkosKV::Impl::measured_rates;
using KokkosKV::Impl::PageHeap;
using KokkosKV::Impl::PageHistory;
using KokkosKV::Impl::PageLists;
using KokkosKV::Impl::ReuseCell;
using KokkosKV::Impl::ReuseCells;
using KokkosKV::Impl::ReuseRates;

std::vector<std::uint32_t> pages_of(PageLists const& lists, std::uint32_t list) {
  std::vector<std::uint32_t> pages;
  for (auto page = lists.front(list); page != lists.end(list); page = lists.after(page)) {
    pages.push_back(page);
  }
  return pages;
}

TEST(PageLists, AppendOneListToAnother) {
  using Pages = std::vector<std::uint32_t>;
  PageLists lists;
  lists.reset(6, 3);
  for (std::uint32_t const page : {4, 0, 2}) lists.push_back(0, page);
  for (std::uint32_t const page : {1, 3}) lists.push_back(1, page);
  lists.append_all(0, 1);
  lists.append_all(2, 1);
  EXPECT_TRUE(lists.empty(0));
  EXPECT_EQ(pages_of(lists, 1), Pages({1, 3, 4, 0, 2}));
  lists.unlink(4);
  lists.unlink(4);
  EXPECT_FALSE(lists.is_listed(4));
  lists.insert_before(1, 4);
  EXPECT_EQ(pages_of(lists, 1), Pages({4, 1, 3, 0, 2}));
  lists.append_all(1, 2);
  EXPECT_EQ(pages_of(lists, 2), Pages({4, 1, 3, 0, 2}));
}

TEST(PageHeap, HasTheLeastPageOnTop) {
  std::vector<std::size_t> keys(60);
  auto const less = [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; };
  PageHeap heap(less);
  heap.reset(60);
  std::set<std::pair<std::size_t, std::uint32_t>> plain;
  Random random(1);
  for (std::size_t i = 0; i < 20000; ++i) {
    auto const page = static_cast<std::uint32_t>(random.below(60));
    if (plain.erase({keys[page], page}) > 0 || random.chance(30)) {
      heap.erase(page);
    } else {
      keys[page] = random.below(1000) * 100000 + i;  // no two are equal
      heap.push(page);
      plain.insert({keys[page], page});
    }
    ASSERT_EQ(heap.empty(), plain.empty());
    if (!plain.empty()) {
      ASSERT_EQ(heap.top(), plain.begin()->second);
    }
  }
}

// The epochs in each group are kept in a list, and handed on as they are told.
TEST(AgeGroups, KnowTheGroupOfEveryEpoch) {
  AgeGroups ages;
  std::array<std::vector<std::uint32_t>, AgeGroups::count> members;
  members[0] = {0};
  for (int i = 0; i < 5000; ++i) {
    ages.advance([&](std::size_t group) {
      auto& older = members[group + 1];
      older.insert(older.end(), members[group].begin(), members[group].end());
      members[group].clear();
    });
    members[0].push_back(ages.now());
    if (i % 7 != 0) continue;
    for (std::size_t group = 0; group < AgeGroups::count; ++group) {
      for (auto const epoch : members[group]) ASSERT_EQ(ages.of(epoch), group) << epoch;
    }
  }
}

TEST(AgeGroups, KnowAnAgeToWithinAHalf) {
  AgeGroups ages;
  for (int i = 0; i < 2000; ++i) {
    ages.advance([](std::size_t) {});
    if (i < 1500) continue;
    for (std::uint32_t epochs = 0; epochs < 1000; ++epochs) {
      double const middle = AgeGroups::middle(ages.of(ages.now() - epochs));
      ASSERT_NEAR(epochs + 0.5, middle, middle / 2) << ages.now();
    }
  }
}

TEST(PageHistory, CountsUses) {
  PageHistory history;
  EXPECT_FALSE(history.is_known());
  std::vector<std::size_t> classes;
  for (int uses = 1; uses <= 300; ++uses) {
    history = history.used();
    EXPECT_TRUE(history.is_known());
    if (uses == 1 || uses == 2 || uses == 3 || uses == 4 || uses == 7 || uses == 8 || uses == 63 ||
        uses == 64 || uses == 300) {
      classes.push_back(history.class_index());
    }
  }
  EXPECT_EQ(classes, std::vector<std::size_t>({0, 8, 9, 10, 10, 11, 13, 14, 14}));
}

TEST(PageHistory, KnowsTheParentUntilTheSecondUse) {
  auto const once  = PageHistory().used();
  auto const twice = once.used();
  EXPECT_EQ(PageHistory().used(once).class_index(), 0u);
  auto const child = PageHistory().used(twice);
  EXPECT_EQ(child.class_index(), 1u);
  EXPECT_EQ(PageHistory().used(child).class_index(), 1u);  // from further up in the chain
  EXPECT_EQ(child.used(twice).class_index(), twice.class_index());
}

TEST(GhostTable, KeepsTheMostValuable) {
  GhostTable table;
  table.reset(8);  // one set
  auto const history = PageHistory().used();
  auto const value   = [](Ghost const& ghost) { return std::int64_t(ghost.epoch); };
  std::vector<std::uint32_t> dropped;
  auto const drop = [&](Ghost const& ghost) { dropped.push_back(ghost.epoch); };
  for (std::uint32_t const epoch : {5, 3, 9, 7, 1, 8, 2, 6}) {
    table.store(1000 + epoch, history, epoch, value, drop);
  }
  EXPECT_TRUE(dropped.empty());
  table.store(2000, history, 10, value, drop);
  table.store(2001, history, 11, value, drop);
  EXPECT_EQ(dropped, std::vector<std::uint32_t>({1, 2}));
  EXPECT_EQ(table.find(1001), nullptr);
  ASSERT_NE(table.find(1005), nullptr);
  EXPECT_EQ(table.find(1005)->epoch, 5u);
  table.find(1005)->history_byte = 0;
  EXPECT_EQ(table.find(1005), nullptr);
  table.store(2002, history, 0, value, drop);  // into the free place
  EXPECT_EQ(dropped.size(), 2u);
}

TEST(CellRanking, FindsTheFirstFilledCell) {
  CellRanking<130> ranking;
  ranking.sort([](std::size_t a, std::size_t b) { return a > b; });
  EXPECT_EQ(ranking.rank(129), 0u);
  auto const all = [](std::size_t) { return true; };
  EXPECT_EQ(ranking.first(all), 130u);
  ranking.mark(3);
  ranking.mark(77);
  EXPECT_EQ(ranking.first([](std::size_t cell) { return cell == 3; }), 3u);
  EXPECT_EQ(ranking.first(all), 3u);  // that 77 was empty is known now
}

// All ages to stop at are tried.
TEST(ReuseRates, WorthIsTheBestAverageRate) {
  Random random(7);
  for (int round = 0; round < 200; ++round) {
    ReuseRates rates;
    for (auto& rate : rates) rate = 1e-4 * static_cast<double>(1 + random.below(1000));
    auto const worths = find_worths(rates);
    for (std::size_t from = 0; from < rates.size(); ++from) {
      double hits = 0, time = 0, survival = 1, best = 0;
      for (auto g = from; g < rates.size(); ++g) {
        double const width = AgeGroups::width(g);
        double const lost  = 1 / (1 + rates[g] * width);
        hits += survival * rates[g] * width * lost;
        time += survival * width * lost;
        survival *= lost;
        best = std::max(best, hits / time);
      }
      EXPECT_NEAR(worths[from], best, 1e-9 * best);
    }
  }
}

TEST(ReuseRates, WithoutMeasurementsTheOldestIsWorthLeast) {
  auto const rates = measured_rates(ReuseCells{});
  for (auto const& of_class : rates) {
    EXPECT_EQ(of_class, rates[0]);
    auto const worths = find_worths(of_class);
    EXPECT_TRUE(std::is_sorted(worths.rbegin(), worths.rend()));
  }
}

TEST(ReuseRates, MeasurementsOutweighThePrior) {
  EXPECT_DOUBLE_EQ(blended_rate(ReuseCell{}, 0.25), 0.25);
  EXPECT_NEAR(blended_rate(ReuseCell{1e6, 1e7, 0}, 0.25), 0.1, 1e-4);
}

}  // namespace KokkosKVTest
