// Sines and cosines of positions against those of the mathematics library in extended precision.
#include <projection/impl/KokkosKV_TurnFraction.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

#include <reference/Random.hpp>

namespace KokkosKVTest {
namespace {

using KokkosKV::Impl::rotation_by;
using KokkosKV::Impl::turn_fraction;

/// Largest difference of a sine or cosine at an angle that is known exactly, in turns.
template <class Real>
double error_at(std::uint64_t turns) {
  auto const rotation = rotation_by<Real>(turns);
  auto const angle =
      std::ldexp(static_cast<long double>(turns), -64) * 2 * std::numbers::pi_v<long double>;
  auto const difference = [](Real found, long double expected) {
    return static_cast<double>(std::fabs(static_cast<long double>(found) - expected));
  };
  return std::max(difference(rotation.cosine, std::cos(angle)),
                  difference(rotation.sine, std::sin(angle)));
}

template <class Real>
double worst_error() {
  Random random(64);
  double worst = 0;
  for (int i = 0; i < 200000; ++i) worst = std::max(worst, error_at<Real>(random.bits()));
  // Around multiples of an eighth of a turn.
  for (std::uint64_t eighth = 0; eighth < 8; ++eighth) {
    for (int bit = 0; bit < 61; ++bit) {
      auto const step = std::uint64_t(1) << bit;
      worst           = std::max(worst, error_at<Real>((eighth << 61) + step));
      worst           = std::max(worst, error_at<Real>((eighth << 61) - step));
    }
  }
  return worst;
}

TEST(TurnFraction, FloatErrorIsOneUnit) { EXPECT_LE(worst_error<float>(), 0x1p-23); }
TEST(TurnFraction, DoubleErrorIsOneUnit) { EXPECT_LE(worst_error<double>(), 0x1p-52); }

TEST(TurnFraction, QuarterTurnsAreExact) {
  auto const expect = [](std::uint64_t quarter, float cosine, float sine) {
    auto const rotation = rotation_by<float>(quarter << 62);
    EXPECT_EQ(rotation.cosine, cosine);
    EXPECT_EQ(rotation.sine, sine);
  };
  expect(0, 1, 0);
  expect(1, 0, 1);
  expect(2, -1, 0);
  expect(3, 0, -1);
}

TEST(TurnFraction, OfRadians) {
  EXPECT_EQ(turn_fraction(0), 0u);
  EXPECT_EQ(turn_fraction(std::numbers::pi), std::uint64_t(1) << 63);
  EXPECT_EQ(turn_fraction(2 * std::numbers::pi), 0u);
  EXPECT_EQ(turn_fraction(-std::numbers::pi / 2), std::uint64_t(3) << 62);
  // So little below a whole turn that the fraction rounds to one.
  EXPECT_EQ(turn_fraction(-1e-300), 0u);
}

// The angle of a float product would be wrong by 0.06 at the last of these positions.
TEST(TurnFraction, LongContextsLoseNothing) {
  for (double const frequency : {1.0, 0.7498942093324559, 0.0177827941, 1.1548e-4, 3.07e-7}) {
    auto const turns = turn_fraction(frequency);
    double worst     = 0;
    for (std::uint64_t position = 0; position <= std::uint64_t(1) << 20; position += 1021) {
      for (auto const at : {position, (std::uint64_t(1) << 20) - position}) {
        auto const rotation = rotation_by<float>(at * turns);
        auto const angle    = static_cast<long double>(frequency) * static_cast<long double>(at);
        worst = std::max(worst, std::fabs(rotation.cosine - static_cast<double>(std::cos(angle))));
        worst = std::max(worst, std::fabs(rotation.sine - static_cast<double>(std::sin(angle))));
      }
    }
    EXPECT_LE(worst, 0x1p-23) << frequency;
  }
}

}  // namespace
}  // namespace KokkosKVTest
