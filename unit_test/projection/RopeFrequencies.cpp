// Frequencies by hand and from other derivations; refusals of parameters.
#include <projection/KokkosKV_RopeFrequencies.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <vector>

#include <support/Refusal.hpp>

namespace KokkosKVTest {
namespace {

using namespace KokkosKV;
using Frequencies = RopeFrequencies<Kokkos::HostSpace>;

std::vector<double> frequencies(RopeParams const& params) {
  return Frequencies(params).inverse_frequencies();
}

void expect_relative(std::vector<double> const& found, std::vector<double> const& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i] / expected[i], 1, 1e-12) << "pair " << i;
  }
}

TEST(RopeFrequencies, Unscaled) {
  expect_relative(frequencies({.rotary_dim = 4}), {1, 0.01});
  expect_relative(frequencies({.rotary_dim = 6, .theta = 1000}), {1, 0.1, 0.01});
  Frequencies const interleaved({.rotary_dim = 8, .form = RopeForm::interleaved});
  EXPECT_EQ(interleaved.rotary_dim(), 8);
  EXPECT_EQ(interleaved.form(), RopeForm::interleaved);
  EXPECT_EQ(interleaved.attention_factor(), 1);
  expect_relative(interleaved.inverse_frequencies(), {1, 0.1, 0.01, 0.001});
}

TEST(RopeFrequencies, Linear) {
  expect_relative(frequencies({.rotary_dim = 4, .scaling = LinearRope{4}}), {0.25, 0.0025});
}

// The fastest pair stays, the slowest is slowed down by the whole factor.
TEST(RopeFrequencies, NtkAware) {
  auto const plain  = frequencies({.rotary_dim = 128});
  auto const scaled = frequencies({.rotary_dim = 128, .scaling = NtkRope{8}});
  EXPECT_EQ(scaled.front(), 1);
  EXPECT_NEAR(scaled.back() / plain.back(), 0.125, 1e-14);
  // By its definition: another theta.
  auto const theta = 10000 * std::pow(8.0, 128.0 / 126.0);
  expect_relative(scaled, frequencies({.rotary_dim = 128, .theta = theta}));
}

// rotary_dim 64, 4096 positions: the pair that turns 32 times has index 10.47, the pair that turns
// once 22.51; the ramp goes from 10 to 23.
TEST(RopeFrequencies, YarnRampBetweenWholeIndices) {
  YarnRope const scaling{.factor = 40};
  auto const plain  = frequencies({.rotary_dim = 64});
  auto const scaled = frequencies({.rotary_dim = 64, .scaling = scaling});
  for (std::size_t pair = 0; pair < 32; ++pair) {
    double const ramp = pair <= 10 ? 0 : pair >= 23 ? 1 : (static_cast<double>(pair) - 10) / 13;
    EXPECT_NEAR(scaled[pair] / plain[pair], 1 - ramp * (1 - 1.0 / 40), 1e-14) << "pair " << pair;
  }
  EXPECT_NEAR(Frequencies({.rotary_dim = 64, .scaling = scaling}).attention_factor(),
              1.3688879454113936, 1e-15);
}

TEST(RopeFrequencies, YarnRampBetweenRealIndices) {
  YarnRope const scaling{.factor = 40, .round_range = false};
  auto const plain  = frequencies({.rotary_dim = 64});
  auto const scaled = frequencies({.rotary_dim = 64, .scaling = scaling});
  // Equal steps of the index, between the indices where a pair turns 32 times and once.
  for (std::size_t pair = 0; pair < 32; ++pair) {
    auto const index_of = [](double turns) {
      return 32 * std::log(4096 / (2 * std::numbers::pi * turns)) / std::log(10000.0);
    };
    auto const low = index_of(32), high = index_of(1);
    auto const along = (static_cast<double>(pair) - low) / (high - low);
    auto const ramp  = along < 0 ? 0 : along > 1 ? 1 : along;
    EXPECT_NEAR(scaled[pair] / plain[pair], 1 - ramp * 39.0 / 40, 1e-13) << "pair " << pair;
  }
}

TEST(RopeFrequencies, YarnAttentionFactorIsTaken) {
  YarnRope const scaling{.factor = 40, .attention_factor = 1.0};
  EXPECT_EQ(Frequencies({.rotary_dim = 64, .scaling = scaling}).attention_factor(), 1);
}

// A short context: every pair turns less than once, so that all but the first are interpolated.
TEST(RopeFrequencies, YarnOfAShortContext) {
  YarnRope const scaling{.factor = 4, .original_max_positions = 6};
  expect_relative(frequencies({.rotary_dim = 4, .scaling = scaling}), {1, 0.0025});
}

// Llama 3.1 8B: 500000, 128 elements. Wavelengths below 2048 are kept, above 8192 multiplied by 8.
TEST(RopeFrequencies, Llama3) {
  auto const plain  = frequencies({.rotary_dim = 128, .theta = 500000});
  auto const scaled = frequencies({.rotary_dim = 128, .theta = 500000, .scaling = Llama3Rope{}});
  std::size_t kept = 0, between = 0, stretched = 0;
  for (std::size_t pair = 0; pair < 64; ++pair) {
    auto const wavelength = 2 * std::numbers::pi / plain[pair];
    if (wavelength < 2048) {
      EXPECT_EQ(scaled[pair], plain[pair]);
      ++kept;
    } else if (wavelength > 8192) {
      EXPECT_NEAR(scaled[pair] * 8 / plain[pair], 1, 1e-14);
      ++stretched;
    } else {
      auto const smooth = (8192 / wavelength - 1) / (4 - 1);
      EXPECT_NEAR(scaled[pair], (1 - smooth) * plain[pair] / 8 + smooth * plain[pair], 1e-16);
      ++between;
    }
  }
  EXPECT_EQ(kept, 29u);
  EXPECT_EQ(between, 6u);
  EXPECT_EQ(stretched, 29u);
}

TEST(RopeFrequencies, GivenFrequencies) {
  Frequencies const given(RopeForm::interleaved, {0.5, 0.25, 2}, 1.5);
  EXPECT_EQ(given.rotary_dim(), 6);
  EXPECT_EQ(given.attention_factor(), 1.5);
  EXPECT_EQ(given.inverse_frequencies(), (std::vector<double>{0.5, 0.25, 2}));
  EXPECT_EQ(given.turns().extent(0), 3u);
}

TEST(RopeFrequencies, Refusals) {
  auto const refuses = [](RopeParams const& params, char const* message) {
    expect_refusal<ShapeError>(std::string("RopeFrequencies: ") + message,
                               [&] { Frequencies const made(params); });
  };
  auto const infinity = std::numeric_limits<double>::infinity();
  refuses({.rotary_dim = 0}, "rotary_dim: found 0, expected an even number from 2");
  refuses({.rotary_dim = 7}, "rotary_dim: found 7, expected an even number from 2");
  refuses({.rotary_dim = -2}, "rotary_dim: found -2, expected an even number from 2");
  refuses({.rotary_dim = 4, .theta = 1}, "theta: found 1.000000, expected more than 1");
  refuses({.rotary_dim = 4, .theta = infinity}, "theta: found inf, expected more than 1");
  refuses({.rotary_dim = 4, .scaling = LinearRope{0.5}},
          "scaling.factor: found 0.500000, expected at least 1");
  refuses({.rotary_dim = 4, .scaling = NtkRope{0}},
          "scaling.factor: found 0.000000, expected at least 1");
  refuses({.rotary_dim = 2, .scaling = NtkRope{2}},
          "rotary_dim: found 2, expected at least 4 for NTK-aware scaling");
  refuses({.rotary_dim = 4, .scaling = YarnRope{.factor = infinity}},
          "scaling.factor: found inf, expected at least 1");
  refuses({.rotary_dim = 4, .scaling = YarnRope{.original_max_positions = 0}},
          "scaling.original_max_positions: found 0.000000, expected at least 1");
  refuses({.rotary_dim = 4, .scaling = YarnRope{.beta_slow = 0}},
          "scaling.beta_slow: found 0.000000, expected more than 0");
  refuses({.rotary_dim = 4, .scaling = YarnRope{.beta_fast = 1}},
          "scaling.beta_fast: found 1.000000, expected more than beta_slow = 1.000000");
  refuses({.rotary_dim = 4, .scaling = YarnRope{.attention_factor = infinity}},
          "attention_factor: found inf, expected a finite number");
  refuses({.rotary_dim = 4, .scaling = Llama3Rope{.factor = -1}},
          "scaling.factor: found -1.000000, expected at least 1");
  refuses({.rotary_dim = 4, .scaling = Llama3Rope{.low_freq_factor = -1}},
          "scaling.low_freq_factor: found -1.000000, expected more than 0");
  refuses(
      {.rotary_dim = 4, .scaling = Llama3Rope{.high_freq_factor = 1}},
      "scaling.high_freq_factor: found 1.000000, expected more than low_freq_factor = 1.000000");
  refuses({.rotary_dim = 4, .scaling = Llama3Rope{.original_max_positions = 0.5}},
          "scaling.original_max_positions: found 0.500000, expected at least 1");
  expect_refusal<ShapeError>(
      "RopeFrequencies: inverse_frequencies.size(): found 0, expected at least 1",
      [] { Frequencies const made(RopeForm::half_split, {}); });
  expect_refusal<ShapeError>(
      "RopeFrequencies: inverse_frequencies(1): found nan, expected a finite number",
      [] { Frequencies const made(RopeForm::half_split, {1, std::nan("")}); });
}

}  // namespace
}  // namespace KokkosKVTest
