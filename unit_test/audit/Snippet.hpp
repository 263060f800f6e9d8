// Applies a rule to a few lines of code.
#ifndef KOKKOSKV_TEST_AUDIT_SNIPPET_HPP
#define KOKKOSKV_TEST_AUDIT_SNIPPET_HPP

#include <string>
#include <vector>

#include "Finding.hpp"

namespace KokkosKVTest {

/// What a rule finds in a snippet, as "line what", in the order of the report.
template <class Rule>
std::vector<std::string> found(Rule const& rule, std::string const& text,
                               std::string const& path = "src/store/Snippet.hpp") {
  std::vector<std::string> result;
  for (auto const& finding : rule(SourceText(path, text))) {
    result.push_back(std::to_string(finding.line) + " " + finding.what);
  }
  return result;
}

using Lines = std::vector<std::string>;

}  // namespace KokkosKVTest

#endif
