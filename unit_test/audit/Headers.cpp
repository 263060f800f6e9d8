// Every header of the library keeps every rule.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <vector>

#include "Rules.hpp"

namespace KokkosKVTest {

std::vector<SourceText> read_headers() {
  std::filesystem::path const root = KOKKOSKV_SOURCE_DIR;
  std::vector<std::filesystem::path> files;
  for (auto const& entry : std::filesystem::recursive_directory_iterator(root / "src")) {
    if (entry.is_regular_file() && entry.path().extension() == ".hpp") files.push_back(entry);
  }
  std::sort(files.begin(), files.end());
  std::vector<SourceText> headers;
  std::transform(files.begin(), files.end(), std::back_inserter(headers),
                 [&](auto const& file) { return SourceText::read(root, file); });
  return headers;
}

class Headers : public testing::Test {
 protected:
  std::vector<SourceText> headers = read_headers();
};

TEST_F(Headers, KeepEveryRule) {
  for (auto const& rule : all_rules) {
    for (auto const& header : headers) {
      for (auto const& finding : rule.find(header)) {
        ADD_FAILURE() << finding << " (" << rule.name << ")";
      }
    }
  }
}

// An audit of nothing must not pass.
TEST_F(Headers, AreAllSeen) {
  EXPECT_GE(headers.size(), 25u);
  std::size_t bodies = 0;
  for (auto const& header : headers) bodies += header.device_bodies().size();
  EXPECT_GE(bodies, 40u);
}

// No annotation is overlooked, and braces are in balance.
TEST_F(Headers, AreReadToTheEnd) {
  for (auto const& header : headers) {
    auto const& tokens     = header.tokens();
    auto const annotations = std::count_if(tokens.begin(), tokens.end(), is_function_annotation);
    auto const& functions  = header.declarations();
    auto const without = std::count_if(functions.begin(), functions.end(), [&](auto const& each) {
      return !each.has_body && header.is_annotated(each);
    });
    EXPECT_EQ(static_cast<std::ptrdiff_t>(header.device_bodies().size()) + without, annotations)
        << header.path();
    int depth = 0;
    for (auto const& token : tokens) depth += token.is("{") ? 1 : token.is("}") ? -1 : 0;
    EXPECT_EQ(depth, 0) << header.path();
  }
}

}  // namespace KokkosKVTest
