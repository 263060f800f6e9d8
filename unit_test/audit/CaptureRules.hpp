// Rule for captures: a kernel that captures `this` follows a host's pointer on the device.
#ifndef KOKKOSKV_TEST_AUDIT_CAPTURERULES_HPP
#define KOKKOSKV_TEST_AUDIT_CAPTURERULES_HPP

#include <cstddef>
#include <set>
#include <string>

#include "Finding.hpp"

namespace KokkosKVTest {

/// Members of a class whose bare name stands for `this->name`.
struct MemberNames {
  std::set<std::string> data;
  std::set<std::string> functions;

  MemberNames(SourceText const& source, std::size_t type) {
    if (type == Declaration::none) return;
    for (auto const& member : source.declarations()) {
      if (member.parent != type || source.has(member.head, "static")) continue;
      if (member.kind == Declaration::Kind::variable) data.insert(member.name);
      if (member.kind == Declaration::Kind::function) functions.insert(member.name);
    }
    functions.erase(source.declarations()[type].name);
    functions.erase("operator");
  }
};

/// True where a function declares a parameter or variable of its own by that name.
inline bool declares(SourceText const& source, TokenRange range, std::string const& name) {
  for (auto at = range.begin; at < range.end; ++at) {
    if (!source.token(at).is(name)) continue;
    auto const& last    = source.before(at);
    bool const by_value = last.is_word() && !is_one_of(last, {"return", "throw", "case", "else",
                                                              "template", "KOKKOS_FUNCTION"});
    bool const by_reference =
        is_one_of(last, {"&", "&&", "*"}) &&
        is_one_of(source.before(at, 2), {"const", "auto", ">", "int", "bool", "float", "double",
                                         "size_t", "uint32_t", "uint64_t"});
    if (by_value || by_reference) return true;
  }
  return false;
}

/// True where a bare name stands at `at`, not one that belongs to an object or a scope.
inline bool is_bare(SourceText const& source, std::size_t at) {
  std::size_t const distance = source.before(at).is("template") ? 2 : 1;
  return !is_one_of(source.before(at, distance), {".", "->", "::"});
}

/// Names in a lambda with [&] that capture `this`.
inline void check_reference_lambda(Findings& findings, SourceText const& source,
                                   DeviceBody const& device, Lambda const& lambda,
                                   MemberNames const& members) {
  auto const* const why = "captures `this` in device code; bind a local reference and name that";
  TokenRange const function{device.head.begin, device.body.end};
  for (auto at = lambda.body.begin; at < lambda.body.end; ++at) {
    auto const& here = source.token(at);
    bool const call  = is_one_of(source.token(at + 1), {"(", "<"});
    bool const named =
        members.data.contains(here.text) || (call && members.functions.contains(here.text));
    bool const member = here.is_word() && named && is_bare(source, at);
    if (here.is("this") || (member && !declares(source, function, here.text))) {
      report(findings, source, here.line, here.text, why);
    }
  }
}

/// No kernel captures `this`; kernels are named functors.
inline Findings captures(SourceText const& source) {
  Findings findings;
  for (auto const& token : source.tokens()) {
    if (is_one_of(token, {"KOKKOS_LAMBDA", "KOKKOS_CLASS_LAMBDA"})) {
      report(findings, source, token.line, token.text, "kernels in headers are named functors");
    }
  }
  for (auto const& lambda : source.lambdas({0, source.tokens().size()})) {
    auto const begin = lambda.captures.begin;
    auto const line  = source.token(begin).line;
    if (source.has(lambda.captures, "this")) {
      report(findings, source, line, "capture of this", "devices cannot follow it");
    }
    if (!lambda.captures.empty() && source.token(begin).is("=")) {
      report(findings, source, line, "[=]", "captures whatever is named, `this` too");
    }
  }
  for (auto const& device : source.device_bodies()) {
    MemberNames const members(source, device.parent);
    for (auto const& lambda : source.lambdas(device.body)) {
      auto const begin   = lambda.captures.begin;
      bool const is_last = begin + 1 == lambda.captures.end || source.token(begin + 1).is(",");
      if (lambda.captures.empty() || !source.token(begin).is("&") || !is_last) continue;
      check_reference_lambda(findings, source, device, lambda, members);
    }
  }
  return findings;
}

}  // namespace KokkosKVTest

#endif
