// Rates of reuse, from what was measured of each kind of block, and what a page is worth by them.
#ifndef KOKKOSKV_IMPL_REUSERATES_HPP
#define KOKKOSKV_IMPL_REUSERATES_HPP

#include <array>
#include <cstddef>

#include <manager/impl/KokkosKV_AgeGroups.hpp>
#include <manager/impl/KokkosKV_PageHistory.hpp>

namespace KokkosKV::Impl {

/// What was measured of the blocks of one class and age.
struct ReuseCell {
  double hits   = 0;  ///< faded sum
  double time   = 0;  ///< epochs that blocks spent here: faded sum
  double blocks = 0;  ///< cached or remembered blocks that are here now
};

/// Cells by class and, within it, by age.
inline constexpr std::size_t num_reuse_cells = PageHistory::classes * AgeGroups::count;
using ReuseCells                             = std::array<ReuseCell, num_reuse_cells>;

/// Hits for each block and epoch, by age.
using ReuseRates = std::array<double, AgeGroups::count>;

/// A cell's own measurements outweigh those it inherits after so many hits: about those of one
/// request, whose blocks are hit together and so are one event.
inline constexpr double prior_hits = 10;

/// The rate before anything is measured. Only the order of cells matters, so that nearly any
/// positive value does.
inline constexpr double first_rate = 0.01;

/// A measured rate with `prior_hits` hits at the rate `prior` added.
constexpr double blended_rate(ReuseCell const& cell, double prior) {
  return (cell.hits + prior_hits) / (cell.time + prior_hits / prior);
}

/// The rates of all classes. What is not measured is taken from all blocks that were used once, for
/// more uses from the class with fewer; for all blocks used once from the next younger age, falling
/// as 1 / age: a policy that knows nothing is least recently used.
inline std::array<ReuseRates, PageHistory::classes> measured_rates(ReuseCells const& cells) {
  constexpr auto groups       = AgeGroups::count;
  constexpr auto once_classes = PageHistory::levels;
  std::array<ReuseRates, PageHistory::classes> rates{};
  ReuseRates once{};
  for (std::size_t g = 0; g < groups; ++g) {
    ReuseCell sum;
    for (std::size_t c = 0; c < once_classes; ++c) {
      sum.hits += cells[c * groups + g].hits;
      sum.time += cells[c * groups + g].time;
    }
    double const guess =
        g == 0 ? first_rate : once[g - 1] * AgeGroups::middle(g - 1) / AgeGroups::middle(g);
    once[g] = blended_rate(sum, guess);
    for (std::size_t c = 0; c < PageHistory::classes; ++c) {
      double const prior = c <= once_classes ? once[g] : rates[c - 1][g];
      rates[c][g]        = blended_rate(cells[c * groups + g], prior);
    }
  }
  return rates;
}

/// What a page of each age is worth: the best average rate that it can still reach, the maximum
/// over ages to stop at of expected hits / expected time until the hit or the stop (a Gittins
/// index). So a young block that cannot be hit yet is worth its later hits, and an old one that was
/// never hit is worth little.
///
/// From the oldest age to the youngest, a stretch of ages joins the stretch after it as long as
/// that raises its rate; what is left is the best one.
inline ReuseRates find_worths(ReuseRates const& rates) {
  struct Stretch {
    double hits, time, survival;
  };
  std::array<Stretch, AgeGroups::count> later{};
  std::size_t num_later = 0;
  ReuseRates worths{};
  for (auto g = AgeGroups::count; g-- > 0;) {
    // Hits fall on the time spent in the group as in a geometric distribution.
    double const hits     = rates[g] * AgeGroups::width(g);
    double const survival = 1 / (1 + hits);
    Stretch own{hits * survival, AgeGroups::width(g) * survival, survival};
    for (; num_later > 0; --num_later) {
      auto const& next = later[num_later - 1];
      if (next.hits * own.time <= own.hits * next.time) break;
      own = {own.hits + own.survival * next.hits, own.time + own.survival * next.time,
             own.survival * next.survival};
    }
    later[num_later++] = own;
    worths[g]          = own.hits / own.time;
  }
  return worths;
}

}  // namespace KokkosKV::Impl

#endif
