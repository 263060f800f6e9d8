// A trace in a file of its own.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "common/UsageError.hpp"
#include "common/trace/Trace.hpp"

constexpr auto all            = std::numeric_limits<std::size_t>::max();
constexpr char azure_header[] = "TIMESTAMP,ContextTokens,GeneratedTokens\n";

/// Each test has a file of its own, since tests run at the same time.
class TraceTest : public testing::Test {
 protected:
  void SetUp() override {
    auto const* info = testing::UnitTest::GetInstance()->current_test_info();
    m_path           = testing::TempDir() + "example_" + info->name() + ".trace";
  }
  void TearDown() override { std::filesystem::remove(m_path); }

  example::Trace read(std::string const& text, std::size_t max_requests = all,
                      example::TraceParts parts = example::TraceParts::lengths) {
    std::ofstream(m_path, std::ios::binary) << text;
    return example::read_trace(m_path, max_requests, parts);
  }

  /// The message without the path.
  std::string refusal(std::string const& text,
                      example::TraceParts parts = example::TraceParts::lengths) {
    try {
      read(text, all, parts);
    } catch (example::UsageError const& error) {
      std::string const message = error.what();
      EXPECT_EQ(message.substr(0, m_path.size()), m_path);
      return message.substr(m_path.size());
    }
    return "accepted";
  }

  std::string m_path;
};
