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

}  // namespace KokkosKVTest

#endif
