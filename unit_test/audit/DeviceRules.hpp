// Rules for the bodies of device code: what the compiler of a device refuses or, worse, accepts.
#ifndef KOKKOSKV_TEST_AUDIT_DEVICERULES_HPP
#define KOKKOSKV_TEST_AUDIT_DEVICERULES_HPP

#include <cstddef>
#include <set>
#include <string>

#include "Finding.hpp"

namespace KokkosKVTest {

/// Types, traits and constants of the standard library: nothing that would be called.
inline bool is_device_name(std::string const& name) {
  static std::set<std::string> const names = {"size_t",
                                              "ptrdiff_t",
                                              "int8_t",
                                              "int16_t",
                                              "int32_t",
                                              "int64_t",
                                              "uint8_t",
                                              "uint16_t",
                                              "uint32_t",
                                              "uint64_t",
                                              "uintptr_t",
                                              "numeric_limits",
                                              "integral_constant",
                                              "bool_constant",
                                              "true_type",
                                              "false_type",
                                              "index_sequence",
                                              "make_index_sequence",
                                              "conditional_t",
                                              "remove_const_t",
                                              "remove_cvref_t",
                                              "remove_pointer_t",
                                              "is_same_v",
                                              "is_void_v",
                                              "is_const_v",
                                              "is_integral_v",
                                              "is_floating_point_v",
                                              "integral",
                                              "floating_point"};
  return names.contains(name);
}

/// Device code calls no function of the standard library.
inline Findings standard_functions(SourceText const& source) {
  Findings findings;
  auto const check = [&](std::size_t at, std::string const& why) {
    if (!source.token(at).is("std") || !source.token(at + 1).is("::")) return;
    auto const& name = source.token(at + 2);
    if (!is_device_name(name.text)) report(findings, source, name.line, "std::" + name.text, why);
  };
  for (auto const& device : source.device_bodies()) {
    for (auto at = device.body.begin; at < device.body.end; ++at) {
      check(at, "device code may use types and traits of std, not its functions");
    }
  }
  for (std::size_t at = 0; at < source.tokens().size(); ++at) {
    if (!source.token(at).is("using")) continue;
    if (source.token(at + 1).is("namespace") && source.token(at + 2).is("std")) {
      report(findings, source, source.token(at).line, "using namespace std",
             "device code could call its functions unseen");
    }
    check(at + 1, "device code could call it without std::");
  }
  return findings;
}

/// Device code uses nothing that needs the run-time system of a host.
inline Findings host_features(SourceText const& source) {
  static std::set<std::string> const keywords = {
      "throw",  "try",          "catch", "new",  "delete",   "dynamic_cast", "typeid",   "virtual",
      "static", "thread_local", "cout",  "cerr", "co_await", "co_yield",     "co_return"};
  static std::set<std::string> const functions = {
      "printf", "fprintf", "sprintf", "snprintf", "puts",   "putchar",
      "assert", "abort",   "exit",    "malloc",   "calloc", "realloc",
      "free",   "memcpy",  "memmove", "memset",   "memcmp", "strlen"};
  Findings findings;
  for (auto const& device : source.device_bodies()) {
    for (auto at = device.body.begin; at < device.body.end; ++at) {
      auto const& here = source.token(at);
      if (!here.is_word()) continue;
      bool const is_member = is_one_of(source.before(at), {".", "->"});
      bool const is_call   = !is_member && source.token(at + 1).is("(");
      if (keywords.contains(here.text) || (is_call && functions.contains(here.text))) {
        report(findings, source, here.line, here.text, "not available to device code");
      }
    }
  }
  // A class that devices see has no table of virtual functions.
  std::set<std::size_t> device_classes;
  for (auto const& device : source.device_bodies()) device_classes.insert(device.parent);
  device_classes.erase(Declaration::none);
  for (auto const& declaration : source.declarations()) {
    if (!device_classes.contains(declaration.parent)) continue;
    for (auto const* const word : {"virtual", "override"}) {
      if (source.has(declaration.head, word)) {
        report(findings, source, declaration.line, word, "the class has functions of device code");
      }
    }
  }
  return findings;
}

}  // namespace KokkosKVTest

#endif
