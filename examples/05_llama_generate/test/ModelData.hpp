// The model of the data folder, and what it must generate.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "common/DataFolder.hpp"

namespace llama_generate::test {

inline std::string data_path(std::string const& name) {
  return example::data_path("model/" + name);
}

/// A published text with its token ids, BOS first.
struct Reference {
  std::vector<std::uint32_t> tokens;
  std::string text;
};

inline Reference read_reference() {
  std::ifstream file(data_path("greedy256.txt"));
  Reference result;
  std::string line;
  std::getline(file, line);
  std::getline(file, line);
  std::istringstream ids(line);
  result.tokens.assign(std::istream_iterator<std::uint32_t>(ids), {});
  std::getline(file, line);
  result.text.assign(std::istreambuf_iterator<char>(file), {});
  if (result.text.ends_with('\n')) result.text.pop_back();
  return result;
}

/// Tests that need the data: skipped without it, but not where the environment says CI.
class WithModel : public testing::Test {
 protected:
  void SetUp() override {
    if (std::filesystem::exists(data_path("stories260K.bin"))) return;
    char const* const ci = std::getenv("CI");
    if (ci != nullptr && *ci != '\0') FAIL() << "no " << data_path("") << ": set KOKKOSKV_DATA";
    GTEST_SKIP() << "no " << data_path("");
  }
};

/// The message that an action throws.
template <class Action>
std::string refusal(Action const& action) {
  try {
    action();
  } catch (std::exception const& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace llama_generate::test
