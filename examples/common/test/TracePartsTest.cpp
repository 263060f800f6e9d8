// Arrivals and blocks of requests.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "TraceFixture.hpp"

namespace {

using example::TraceParts;

class TracePartsTest : public TraceTest {
 protected:
  static std::string mooncake(std::string const& timestamp, std::string const& ids,
                              std::string const& length = "1000") {
    return "{\"timestamp\": " + timestamp + ", \"input_length\": " + length +
           ", \"output_length\": 2, \"hash_ids\": " + ids + "}\n";
  }
  std::string refusal_of_azure(std::string const& timestamp) {
    return refusal(azure_header + timestamp + ",1,2\n", TraceParts::all);
  }
};

TEST_F(TracePartsTest, ReadsMooncake) {
  auto const trace = read(mooncake("27", "[0, 18446744073709551615]") + mooncake("1027", "[0, 5]"),
                          all, TraceParts::all);
  ASSERT_EQ(trace.requests.size(), 2u);
  EXPECT_EQ(trace.requests[0].arrival_us, 0);
  EXPECT_EQ(trace.requests[1].arrival_us, 1'000'000);
  EXPECT_EQ(trace.requests[0].block_ids, (std::vector<std::uint64_t>{0, 18446744073709551615u}));
  EXPECT_EQ(trace.requests[1].block_ids, (std::vector<std::uint64_t>{0, 5}));
}

TEST_F(TracePartsTest, ReadsAzure) {
  auto const trace = read(std::string(azure_header) +
                              "2023-12-31 23:59:59.9799600,1,2\n2024-01-01 00:00:00,1,2\n"
                              "2024-03-01 00:00:00.5,1,2\n",
                          all, TraceParts::all);
  ASSERT_EQ(trace.requests.size(), 3u);
  EXPECT_EQ(trace.requests[0].arrival_us, 0);
  EXPECT_EQ(trace.requests[1].arrival_us, 20'040);
  EXPECT_EQ(trace.requests[2].arrival_us, 20'040 + 60 * 86'400'000'000 + 500'000);
  EXPECT_TRUE(trace.requests[0].block_ids.empty());
}

TEST_F(TracePartsTest, RefusesBadMooncakeLines) {
  auto const refused = [&](std::string const& text) { return refusal(text, TraceParts::all); };
  EXPECT_EQ(refused("{\"input_length\": 1, \"output_length\": 1}"), ":1: no field timestamp");
  EXPECT_EQ(refused(mooncake("-1", "[0, 1]")), ":1: timestamp is negative");
  EXPECT_EQ(refused(mooncake("1.5", "[0, 1]")), ":1: timestamp is not a whole number: 1.5");
  EXPECT_EQ(refused(mooncake("99999999999999", "[0, 1]")), ":1: timestamp is above 31622400000");
  EXPECT_EQ(refused(mooncake("5", "[0, 1]") + mooncake("4", "[0, 1]")),
            ":2: the request arrives before the one above it");
  EXPECT_EQ(refused(mooncake("0", "7")), ":1: hash_ids is not a list");
  EXPECT_EQ(refused(mooncake("0", "[0, -1]")), ":1: an entry of hash_ids is negative");
  EXPECT_EQ(refused(mooncake("0", "[0, \"a\"]")),
            ":1: an entry of hash_ids is not a whole number: \"a\"");
  EXPECT_EQ(refused(mooncake("0", "[0]")),
            ":1: hash_ids has 1 entries, expected 2 for 1000 tokens");
  EXPECT_EQ(refused(mooncake("0", "[0, 1]", "512")),
            ":1: hash_ids has 2 entries, expected 1 for 512 tokens");
}

TEST_F(TracePartsTest, RefusesBadAzureTimestamps) {
  for (std::string const bad :
       {"", "x", "2023-11-16", "2023-13-16 18:17:03", "2023-02-29 18:17:03", "2023-11-16 24:17:03",
        "2023-11-16 18:17:03.9x", "2023/11/16 18:17:03"}) {
    EXPECT_EQ(refusal_of_azure(bad), ":2: TIMESTAMP is not a date and time: '" + bad + "'");
  }
}

}  // namespace
