// SourceText: tokens keep their lines, and the bodies of device code are found whatever is around.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "SourceText.hpp"

namespace KokkosKVTest {

/// Words and numbers of each device body.
std::vector<std::string> bodies(std::string const& text) {
  SourceText const source("Snippet.hpp", text);
  std::vector<std::string> result;
  for (auto const& device : source.device_bodies()) {
    std::string words;
    for (auto at = device.body.begin; at < device.body.end; ++at) {
      auto const& token = source.token(at);
      if (token.is_word() || token.kind == Token::Kind::number) words += token.text + " ";
    }
    result.push_back(words);
  }
  return result;
}

using Bodies = std::vector<std::string>;

TEST(SourceTexts, CommentsAreGoneAndLiteralsApart) {
  SourceText const source("Snippet.hpp",
                          "int a; // b {\n/* c\n } */ char const* d = \"e // \\\" }\";\n"
                          "auto f = R\"x(g\n)\")x\"; char h = '\\''; int i = 1'000;\n");
  std::vector<std::string> words;
  std::vector<int> lines;
  for (auto const& token : source.tokens()) {
    if (token.kind == Token::Kind::punctuation) continue;
    words.push_back(token.text);
    lines.push_back(token.line);
  }
  EXPECT_EQ(words, (std::vector<std::string>{"int", "a", "char", "const", "d", "\"e // \\\" }\"",
                                             "auto", "f", "R\"x(g\n)\")x\"", "char", "h", "'\\''",
                                             "int", "i", "1'000"}));
  EXPECT_EQ(lines, (std::vector<int>{1, 1, 3, 3, 3, 3, 4, 4, 4, 5, 5, 5, 5, 5, 5}));
}

TEST(SourceTexts, DirectivesLieApart) {
  SourceText const source("Snippet.hpp", "#if A && \\\n  B\nint c;\n  #endif // d\nint e;\n");
  ASSERT_EQ(source.directives().size(), 2u);
  EXPECT_EQ(source.directives()[0].tokens.size(), 4u);
  EXPECT_EQ(source.directives()[0].tokens.back().text, "B");
  EXPECT_EQ(source.directives()[0].tokens.back().line, 2);
  EXPECT_EQ(source.directives()[1].line, 4);
  EXPECT_EQ(source.tokens().back().line, 5);
}

TEST(SourceTexts, BodiesOfFunctions) {
  EXPECT_EQ(bodies("KOKKOS_FUNCTION int f() { return 1; } int g() { return 2; }"),
            Bodies{"return 1 "});
  EXPECT_EQ(
      bodies(
          "template <class T> requires(sizeof(T) > 1)\n"
          "KOKKOS_INLINE_FUNCTION constexpr auto f(T a = {}) noexcept -> A<T> { if (a) { 1; } }"),
      Bodies{"if a 1 "});
  EXPECT_EQ(bodies("struct S { KOKKOS_FORCEINLINE_FUNCTION auto f() const\n"
                   "  requires(A<int>::b && requires(int i) { i; })\n{ return 1; } int m{2}; };"),
            Bodies{"return 1 "});
  EXPECT_EQ(bodies("KOKKOS_FUNCTION void f() {}"), Bodies{""});
  EXPECT_EQ(bodies("KOKKOS_FUNCTION void f(); struct S { KOKKOS_FUNCTION S() = default; };"),
            Bodies{});
}

TEST(SourceTexts, BodiesOfConstructorsAndOperators) {
  EXPECT_EQ(bodies("struct S : B<int> { KOKKOS_FUNCTION S(int x) noexcept : B<int>{x}, m(x) { 1; } "
                   "int m; };"),
            Bodies{"B int x m x 1 "});
  EXPECT_EQ(bodies("struct S {\n KOKKOS_FUNCTION int& operator[](int i) { return 1; }\n"
                   " KOKKOS_FUNCTION void operator()(int) const { 2; }\n"
                   " KOKKOS_FUNCTION explicit operator float() const { 3; }\n"
                   " KOKKOS_FUNCTION bool operator<(S) const { 4; }\n"
                   " KOKKOS_FUNCTION S& operator=(S const&) { 5; } };"),
            (Bodies{"return 1 ", "2 ", "3 ", "4 ", "5 "}));
}

TEST(SourceTexts, BodiesWithinBodies) {
  EXPECT_EQ(bodies("namespace A { class B { struct C { KOKKOS_FUNCTION void f() { 1; } }; }; }"),
            Bodies{"1 "});
  EXPECT_EQ(bodies("void f() { struct L { KOKKOS_FUNCTION void g() const { 1; } }; 2; }"),
            Bodies{"1 "});
  EXPECT_EQ(bodies("void f() { run(KOKKOS_LAMBDA(int i) { 1; }); 2; }"), Bodies{"1 "});
}

TEST(SourceTexts, DeclarationsOfClasses) {
  SourceText const source(
      "Snippet.hpp",
      "template <class T>\nstruct alignas(T) S {\n  using A = T;\n  friend class F;\n"
      "  std::map<int, T> m_a;\n  int m_b = 1, m_c[3];\n  T* m_d{};\n  unsigned m_e : 3;\n"
      "  void (*m_f)(int);\n  T f(int a) const;\n private:\n  enum class E { x, y };\n};\n");
  std::vector<std::string> variables;
  for (auto const& declaration : source.declarations()) {
    if (declaration.kind != Declaration::Kind::variable) continue;
    EXPECT_EQ(source.declarations()[declaration.parent].name, "S");
    variables.push_back(declaration.name);
  }
  EXPECT_EQ(variables, (std::vector<std::string>{"m_a", "m_b", "m_c", "m_d", "m_e", "m_f"}));
}

TEST(SourceTexts, LambdasAreNoSubscripts) {
  SourceText const source(
      "Snippet.hpp",
      "void f() { [[maybe_unused]] int a[2] = {}; auto const& [b, c] = p(); a[0] = 1;\n"
      "  auto const g = [&](int i) -> A<int> { 1; }; call(a, [] { 2; });\n"
      "  return [=, &a]<class T>(T) mutable { 3; }; }\n"
      "using V = View<T*** [1][2]>; int& operator[](int);");
  std::vector<std::string> contents;
  for (auto const& lambda : source.lambdas({0, source.tokens().size()})) {
    contents.push_back(source.token(lambda.body.begin).text);
  }
  EXPECT_EQ(contents, (std::vector<std::string>{"1", "2", "3"}));
}

}  // namespace KokkosKVTest
