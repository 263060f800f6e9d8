// What a rule finds in a header, and where.
#ifndef KOKKOSKV_TEST_AUDIT_FINDING_HPP
#define KOKKOSKV_TEST_AUDIT_FINDING_HPP

#include <ostream>
#include <string>
#include <vector>

#include "SourceText.hpp"

namespace KokkosKVTest {

struct Finding {
  std::string file;
  int line = 0;
  std::string what;
  std::string why;
};

inline std::ostream& operator<<(std::ostream& stream, Finding const& finding) {
  return stream << finding.file << ':' << finding.line << ": " << finding.what << ": "
                << finding.why;
}

using Findings = std::vector<Finding>;

/// Adds a finding unless the same one is there already: bodies can lie within each other.
inline void report(Findings& findings, SourceText const& source, int line, std::string const& what,
                   std::string const& why) {
  for (auto const& known : findings) {
    if (known.line == line && known.what == what) return;
  }
  findings.push_back({source.path(), line, what, why});
}

}  // namespace KokkosKVTest

#endif
