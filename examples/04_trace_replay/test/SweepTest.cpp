// Capacities, curves, and what gnuplot is told.
#include "sweep/Sweep.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "sweep/Plot.hpp"

namespace {

using namespace trace_replay;

/// Two prompts of two blocks, in turn, so that a pool of two pages never has a hit.
Workload alternating() {
  return Workload(
      {{1024, 1, 0, {1, 2}}, {1024, 1, 0, {3, 4}}, {1024, 1, 0, {1, 2}}, {1024, 1, 0, {3, 4}}});
}

TEST(SweepTest, CapacitiesAreRoundAndReachFromOneRequestToAll) {
  EXPECT_EQ(sweep_capacities(alternating(), {}), (std::vector<std::uint32_t>{2, 3, 4}));
  Workload const many(std::vector<example::Request>(30, {1024, 1}));
  EXPECT_EQ(sweep_capacities(many, {}),
            (std::vector<std::uint32_t>{2, 3, 5, 7, 10, 15, 20, 30, 50, 60}));
}

TEST(SweepTest, HasACurveForEachPolicyAndTheLimit) {
  std::size_t done  = 0;
  auto const result = sweep(alternating(), {}, [&](std::size_t count) { done = count; });
  EXPECT_EQ(done, num_replays(result.capacities.size()));
  ASSERT_EQ(result.curves.size(), 3u);
  for (auto const& curve : result.curves) {
    ASSERT_EQ(curve.hit_rates.size(), 3u) << curve.policy;
    EXPECT_EQ(curve.hit_rates.back(), 0.5) << curve.policy;
  }
  EXPECT_EQ(result.curves[1].policy, "lru");
  EXPECT_EQ(result.curves[1].hit_rates.front(), 0.0);
  EXPECT_EQ(result.unbounded_hit_rate, 0.5);
}

TEST(PlotTest, QuotesWhatTheUserNames) {
  Sweep const result{{2, 4}, {{"lru", {0.0, 0.5}}}, 0.5};
  std::ostringstream out;
  write_gnuplot(out, result, "it's", 512, "a'b.png");
  auto const text = out.str();
  EXPECT_NE(text.find("set title 'it''s'"), std::string::npos) << text;
  EXPECT_NE(text.find("set output 'a''b.png'"), std::string::npos) << text;
  EXPECT_NE(text.find("2 0\n4 50\n"), std::string::npos) << text;
}

}  // namespace
