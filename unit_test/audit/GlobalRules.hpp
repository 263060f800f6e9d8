// Rule for variables that outlive a call: devices do not see those of a host.
#ifndef KOKKOSKV_TEST_AUDIT_GLOBALRULES_HPP
#define KOKKOSKV_TEST_AUDIT_GLOBALRULES_HPP

#include <cstddef>

#include "Finding.hpp"

namespace KokkosKVTest {

/// Variables of namespaces and static members are constexpr; functions have no static variables.
inline Findings globals(SourceText const& source) {
  Findings findings;
  for (auto const& variable : source.declarations()) {
    if (variable.kind != Declaration::Kind::variable) continue;
    bool const of_namespace = variable.parent == Declaration::none;
    bool const is_static    = source.has(variable.head, "static");
    if (!of_namespace && !is_static) continue;
    if (!source.has(variable.head, "constexpr")) {
      report(findings, source, variable.line, variable.name, "a global that is not constexpr");
    } else if (of_namespace && is_static) {
      report(findings, source, variable.line, variable.name,
             "a static global; inline constexpr is the same in every file");
    }
  }
  for (std::size_t at = 0; at < source.tokens().size(); ++at) {
    if (source.token(at).is("thread_local")) {
      report(findings, source, source.token(at).line, "thread_local", "devices have none");
    }
  }
  for (auto const& function : source.declarations()) {
    if (function.kind != Declaration::Kind::function) continue;
    for (auto at = function.body.begin; at < function.body.end; ++at) {
      if (source.token(at).is("static")) {
        report(findings, source, source.token(at).line, "static",
               "a variable of a function that outlives the call");
      }
    }
  }
  return findings;
}

}  // namespace KokkosKVTest

#endif
