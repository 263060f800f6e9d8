// The trace readers: both formats, what files of other systems look like, and what is refused.
#include <gtest/gtest.h>

#include <string>

#include "TraceFixture.hpp"

namespace {

using example::read_trace;

TEST_F(TraceTest, ReadsAzureCsv) {
  auto const trace = read(std::string(azure_header) + "2023-11-16 18:17:03.97,4808,10\nx,0,8\n");
  EXPECT_EQ(trace.format, "Azure CSV");
  ASSERT_EQ(trace.requests.size(), 2u);
  EXPECT_EQ(trace.requests[0].context, 4808u);
  EXPECT_EQ(trace.requests[0].generated, 10u);
  EXPECT_EQ(trace.requests[1].context, 0u);
}

TEST_F(TraceTest, ReadsMooncakeJsonl) {
  auto const trace = read(
      "{\"timestamp\": 0, \"input_length\": 6758, \"output_length\": 500, \"hash_ids\": [0, 1]}\n"
      "{\"output_length\": 1, \"input_length\": 2}");
  EXPECT_EQ(trace.format, "Mooncake JSONL");
  ASSERT_EQ(trace.requests.size(), 2u);
  EXPECT_EQ(trace.requests[0].context, 6758u);
  EXPECT_EQ(trace.requests[0].generated, 500u);
  EXPECT_EQ(trace.requests[1].tokens(), 3u);
}

TEST_F(TraceTest, ToleratesByteOrderMarkCrlfAndBlankLines) {
  auto const csv =
      read("\xEF\xBB\xBFTIMESTAMP,ContextTokens,GeneratedTokens\r\n\r\nx, 1 ,2\r\n\r\n");
  ASSERT_EQ(csv.requests.size(), 1u);
  EXPECT_EQ(csv.requests[0].tokens(), 3u);
  auto const json = read("\xEF\xBB\xBF{\"input_length\": 1, \"output_length\": 2}\r\n");
  ASSERT_EQ(json.requests.size(), 1u);
  EXPECT_EQ(json.requests[0].tokens(), 3u);
}

TEST_F(TraceTest, StopsAtTheLimitWithoutLookingFurther) {
  EXPECT_EQ(read(std::string(azure_header) + "x,1,2\nbroken\n", 1).requests.size(), 1u);
}

TEST_F(TraceTest, RefusesFilesWithoutRequests) {
  EXPECT_EQ(refusal(""), ":1: the trace holds no request");
  EXPECT_EQ(refusal(azure_header), ":1: the trace holds no request");
  EXPECT_THROW(read_trace(m_path + ".missing", all), example::UsageError);
}

TEST_F(TraceTest, RefusesUnknownFormats) {
  auto const message = refusal("a;b\n1;2\n");
  EXPECT_EQ(message.find(":1: unknown trace format, expected Azure CSV"), 0u) << message;
  EXPECT_NE(message.find("Mooncake JSONL"), std::string::npos) << message;
}

TEST_F(TraceTest, RefusesBadAzureLines) {
  auto const with_line = [&](char const* line) {
    return refusal(azure_header + std::string(line));
  };
  EXPECT_EQ(with_line("x,1,2\nx,-5,2\n"), ":3: ContextTokens is negative");
  EXPECT_EQ(with_line("x,1,1.5\n"), ":2: GeneratedTokens is not a whole number: '1.5'");
  EXPECT_EQ(with_line("x,,1\n"), ":2: ContextTokens is not a whole number: ''");
  EXPECT_EQ(with_line("x,99999999999999999999,1\n"), ":2: ContextTokens is above 1073741824");
  EXPECT_EQ(with_line("x,4294967297,1\n"), ":2: ContextTokens is above 1073741824");
  EXPECT_EQ(with_line("x,1\n"),
            ":2: expected 3 fields (TIMESTAMP,ContextTokens,GeneratedTokens), found 2");
  EXPECT_EQ(with_line("x,1,2,3\n"),
            ":2: expected 3 fields (TIMESTAMP,ContextTokens,GeneratedTokens), found 4");
}

TEST_F(TraceTest, RefusesBadMooncakeLines) {
  EXPECT_EQ(refusal("{\"input_length\": 1}\n"), ":1: no field output_length");
  EXPECT_EQ(refusal("{\"input_length\": -1, \"output_length\": 1}"),
            ":1: input_length is negative");
  EXPECT_EQ(refusal("{\"input_length\": \"7\", \"output_length\": 1}"),
            ":1: input_length is not a whole number: \"7\"");
  EXPECT_EQ(refusal("{\"input_length\": 18446744073709551615, \"output_length\": 1}"),
            ":1: input_length is above 1073741824");
  EXPECT_EQ(refusal("{\"input_length\": 1,"), ":1: not valid JSON");
  EXPECT_EQ(refusal("{\"input_length\": 1, \"output_length\": 1}\n[1]\n"), ":2: not a JSON object");
}

}  // namespace
