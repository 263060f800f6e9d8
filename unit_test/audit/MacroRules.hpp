// Rule for the preprocessor: what depends on a backend, compiler or processor lies in one folder.
#ifndef KOKKOSKV_TEST_AUDIT_MACRORULES_HPP
#define KOKKOSKV_TEST_AUDIT_MACRORULES_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "Finding.hpp"

namespace KokkosKVTest {

inline constexpr std::string_view platform_folder = "src/kokkos_ext/impl/";

/// Macros that tell backends, compilers, systems and processors apart.
inline bool is_platform_macro(std::string_view name) {
  static constexpr std::array<std::string_view, 31> prefixes = {
      "KOKKOS_ENABLE_", "KOKKOS_ARCH_", "KOKKOS_COMPILER_",
      "KOKKOS_IMPL_",   "__CUDA",       "__NVCC__",
      "__NVCOMPILER",   "__HIP",        "__SYCL",
      "SYCL_",          "__AMDGCN",     "__AMDGPU",
      "__NVPTX",        "__SSE",        "__AVX",
      "__FMA__",        "__ARM",        "__arm",
      "__aarch64__",    "__x86_64",     "__i386",
      "__amd64",        "__powerpc",    "__riscv",
      "__GNUC",         "__clang",      "__INTEL",
      "__linux",        "_MSC_VER",     "_WIN32",
      "_OPENMP"};
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

/// True for the two lines of an include guard.
inline bool is_guard(SourceText const& source, std::size_t number) {
  auto const& directives = source.directives();
  if (number > 1 || directives.size() < 2) return false;
  auto const& begin  = directives[0].tokens;
  auto const& define = directives[1].tokens;
  return begin.size() == 2 && define.size() == 2 && begin[0].is("ifndef") &&
         define[0].is("define") && begin[1].text == define[1].text &&
         begin[1].text.starts_with("KOKKOSKV_") && begin[1].text.ends_with("HPP");
}

/// Outside one folder no platform macros, and no macros of our own.
inline Findings macros(SourceText const& source) {
  Findings findings;
  if (source.path().starts_with(platform_folder)) return findings;
  auto const folder = std::string(platform_folder);
  auto const check  = [&](Token const& token, bool in_directive) {
    if (!token.is_word()) return;
    bool const reserved =
        in_directive && token.text.starts_with("__") && token.text != "__cplusplus";
    if (is_platform_macro(token.text) || reserved) {
      report(findings, source, token.line, token.text, "a macro of the platform outside " + folder);
    }
    if (token.text.starts_with("KOKKOSKV_")) {
      report(findings, source, token.line, token.text,
              "a macro of our own that is no include guard, outside " + folder);
    }
  };
  for (auto const& token : source.tokens()) check(token, false);
  for (std::size_t number = 0; number < source.directives().size(); ++number) {
    auto const& directive = source.directives()[number];
    if (is_guard(source, number)) continue;
    for (auto const& token : directive.tokens) check(token, true);
    if (!directive.tokens.empty() && directive.tokens[0].is("define")) {
      report(findings, source, directive.line, "define",
             "a macro that is no include guard, outside " + folder);
    }
  }
  return findings;
}

}  // namespace KokkosKVTest

#endif
