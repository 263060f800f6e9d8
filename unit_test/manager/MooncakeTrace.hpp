// The conversation trace of Mooncake, from the data folder.
#ifndef KOKKOSKV_TEST_MOONCAKETRACE_HPP
#define KOKKOSKV_TEST_MOONCAKETRACE_HPP

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include <reference/Random.hpp>

#include "TraceReplay.hpp"

namespace KokkosKVTest {

/// $KOKKOSKV_DATA or, by default, what lies beside the checkout.
inline std::filesystem::path data_folder() {
  if (char const* const given = std::getenv("KOKKOSKV_DATA"); given != nullptr && *given != '\0') {
    return given;
  }
  return std::filesystem::path(KOKKOSKV_SOURCE_DIR) / ".." / "shared" / "data";
}

/// No test may be skipped there.
inline bool is_continuous_integration() {
  char const* const given = std::getenv("CI");
  return given != nullptr && std::string(given) == "true";
}

/// Blocks in traces have small numbers; hashes of real blocks are anything.
inline std::uint64_t hash_of_block(std::uint64_t number) {
  return Random(number * 0x9E3779B97F4A7C15u).bits();
}

/// One request a line; its `hash_ids` number the blocks of its prompt.
inline BlockTrace read_mooncake_trace(std::filesystem::path const& path) {
  BlockTrace trace;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    auto const object = nlohmann::json::parse(line);
    auto& request     = trace.emplace_back();
    for (auto const& number : object.at("hash_ids")) {
      request.push_back(hash_of_block(number.get<std::uint64_t>()));
    }
  }
  return trace;
}

/// Tests that need the trace.
class ConversationTrace : public testing::Test {
 protected:
  void SetUp() override {
    auto const path = data_folder() / "traces" / "mooncake_conversation_trace.jsonl";
    if (!std::filesystem::exists(path)) {
      if (is_continuous_integration())
        FAIL() << path << " is missing, and with CI=true it must be there";
      GTEST_SKIP() << path << " is missing (KOKKOSKV_DATA names the data folder)";
    }
    trace = read_mooncake_trace(path);
  }

  BlockTrace trace;
};

/// The figures that everybody gets who serves this trace with least recently used.
/// \param count  hits of a pool of so many pages
template <class Count>
void expect_known_lru_hits(Count const& count) {
  EXPECT_EQ(count(1000u), 12847u);
  EXPECT_EQ(count(5000u), 32260u);
  EXPECT_EQ(count(10000u), 61046u);
  EXPECT_EQ(count(30000u), 93978u);
  EXPECT_EQ(count(50000u), 102290u);
}

/// What the default policy must reach.
template <class Count>
void expect_reuse_rate_hits(Count const& count) {
  EXPECT_GE(count(1000u), 22000u);
  EXPECT_GE(count(5000u), 46000u);
  EXPECT_GE(count(10000u), 64000u);
  EXPECT_GE(count(30000u), 94500u);
}

}  // namespace KokkosKVTest

#endif
