// What is drawn from logits.
#include "serving/Sampler.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

namespace llama_generate {
namespace {

/// How often each of four tokens is drawn.
std::array<double, 4> shares(SamplingOptions const& options, std::vector<float> const& logits) {
  constexpr int draws = 20000;
  Sampler sampler(options);
  std::array<double, 4> result{};
  for (int i = 0; i < draws; ++i) result[sampler.sample(logits)] += 1.0 / draws;
  return result;
}

std::vector<float> const probabilities{0.1f, 0.4f, 0.2f, 0.3f};
std::vector<float> logits_of(float temperature) {
  std::vector<float> result;
  for (auto const p : probabilities) result.push_back(temperature * std::log(p) + 50);
  return result;
}

TEST(Sampler, takes_the_largest_and_the_first_of_equals_without_temperature) {
  Sampler sampler({});
  EXPECT_EQ(sampler.sample(std::vector<float>{-3, 2, 5, 1}), 2u);
  EXPECT_EQ(sampler.sample(std::vector<float>{-3, 5, 5, 1}), 1u);
  EXPECT_EQ(sampler.sample(std::vector<float>{-1}), 0u);
}

TEST(Sampler, draws_by_probability) {
  for (float const temperature : {1.0f, 0.5f, 3.0f}) {
    auto const found = shares({.temperature = temperature, .seed = 4}, logits_of(temperature));
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(found[i], static_cast<double>(probabilities[i]), 0.015) << i;
    }
  }
}

TEST(Sampler, top_p_keeps_the_likeliest) {
  auto const found = shares({.temperature = 1, .top_p = 0.6f, .seed = 5}, logits_of(1));
  EXPECT_NEAR(found[1], 4.0 / 7, 0.015);
  EXPECT_NEAR(found[3], 3.0 / 7, 0.015);
  EXPECT_EQ(found[0] + found[2], 0);
  // Never fewer than one.
  EXPECT_NEAR(shares({.temperature = 1, .top_p = 0, .seed = 6}, logits_of(1))[1], 1, 1e-9);
}

TEST(Sampler, repeats_itself_with_the_same_seed) {
  auto const draw = [](std::uint64_t seed) {
    Sampler sampler({.temperature = 1, .seed = seed});
    std::vector<std::uint32_t> result;
    for (int i = 0; i < 50; ++i) result.push_back(sampler.sample(logits_of(1)));
    return result;
  };
  EXPECT_EQ(draw(7), draw(7));
  EXPECT_NE(draw(7), draw(8));
}

}  // namespace
}  // namespace llama_generate
