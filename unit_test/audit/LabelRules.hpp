// Rule for labels: what profilers show of the library says that it is the library's.
#ifndef KOKKOSKV_TEST_AUDIT_LABELRULES_HPP
#define KOKKOSKV_TEST_AUDIT_LABELRULES_HPP

#include <cstddef>

#include "Finding.hpp"

namespace KokkosKVTest {

/// True for a literal that begins as our labels do.
inline bool is_label(Token const& token) {
  return token.kind == Token::Kind::literal && token.text.starts_with("\"KokkosKV::");
}

inline bool has_label(SourceText const& source, TokenRange range) {
  for (auto at = range.begin; at < range.end; ++at) {
    if (is_label(source.token(at))) return true;
  }
  return false;
}

/// The first argument of a call whose '(' is at `open`.
inline TokenRange first_argument(SourceText const& source, std::size_t open) {
  auto const close = closing(source.tokens(), open);
  for (auto at = open + 1; at < close; ++at) {
    if (source.token(at).is(",")) return {open + 1, at};
    if (is_one_of(source.token(at), {"(", "[", "{"})) at = closing(source.tokens(), at);
  }
  return {open + 1, close};
}

/// True for a range within a team: such a loop is no launch and takes no label.
inline bool is_nested_range(SourceText const& source, std::size_t at) {
  if (source.token(at).is("Kokkos") && source.token(at + 1).is("::")) at += 2;
  return is_one_of(source.token(at),
                   {"TeamThreadRange", "ThreadVectorRange", "TeamVectorRange", "TeamThreadMDRange",
                    "ThreadVectorMDRange", "TeamVectorMDRange"});
}

/// Launches, fences and allocations have labels that begin with KokkosKV::
inline Findings labels(SourceText const& source) {
  Findings findings;
  for (std::size_t at = 0; at < source.tokens().size(); ++at) {
    auto const& here = source.token(at);
    if (!here.is_word() || !source.token(at + 1).is("(")) continue;
    auto const first = first_argument(source, at + 1);
    TokenRange const all{at + 2, closing(source.tokens(), at + 1)};
    bool labelled = true;
    if (here.is("fence") || here.is("view_alloc")) {
      labelled = has_label(source, all);
    } else if (is_one_of(here, {"parallel_for", "parallel_reduce", "parallel_scan"})) {
      bool const variable = first.end == first.begin + 1 && source.token(first.begin).is("label");
      labelled = variable || has_label(source, first) || is_nested_range(source, first.begin);
    }
    if (!labelled) {
      report(findings, source, here.line, here.text, "has no label that begins with KokkosKV::");
    }
  }
  return findings;
}

}  // namespace KokkosKVTest

#endif
