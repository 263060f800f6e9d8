// Rule for captures: explicit ones, defaults, and members that a lambda names.
#include <gtest/gtest.h>

#include <string>

#include "CaptureRules.hpp"
#include "Snippet.hpp"

namespace KokkosKVTest {

TEST(Captures, OfThisAreFound) {
  EXPECT_EQ(found(captures,
                  "void S::f() {\n  run([this](int i) { m(i); });\n  run([&, this] { m; });\n"
                  "  run([*this] { m; });\n}\n"),
            (Lines{"2 capture of this", "3 capture of this", "4 capture of this"}));
  EXPECT_EQ(found(captures, "auto f() {\n  return\n      [=, this] { return m; };\n}\n"),
            (Lines{"3 capture of this", "3 [=]"}));
}

TEST(Captures, ByValueOfEverythingAreFound) {
  EXPECT_EQ(found(captures, "void f() {\n  run([=](int i) { g(i); });\n}\n"), Lines{"2 [=]"});
  EXPECT_EQ(found(captures, "void f() {\n\n  auto const g = [=, &a] { return a; };\n}\n"),
            Lines{"3 [=]"});
}

TEST(Captures, LambdasAsKernelsAreFound) {
  EXPECT_EQ(found(captures, "void f() {\n  run(KOKKOS_LAMBDA(int i) { g(i); });\n}\n"),
            Lines{"2 KOKKOS_LAMBDA"});
  EXPECT_EQ(
      found(captures, "void S::f() {\n  run(\n      KOKKOS_CLASS_LAMBDA(int i) { m(i); });\n}\n"),
      Lines{"3 KOKKOS_CLASS_LAMBDA"});
}

/// A functor whose lambda has a given body in line 4.
std::string functor(std::string const& statement) {
  return "template <class T>\nstruct S {\n  KOKKOS_FUNCTION void operator()(Member const& member) "
         "const {\n"
         "    auto const loop = [&](int i) { " +
         statement +
         " };\n    for_each(member, loop);\n  }\n"
         "  KOKKOS_FUNCTION int length(int i) const { return i; }\n"
         "  static int sum(int i);\n"
         "  static constexpr int width = 4;\n"
         "  int const* data = nullptr;\n  Kokkos::View<T**[3], Space> rows;\n};\n";
}

TEST(Captures, ThroughMembersAreFound) {
  EXPECT_EQ(found(captures, functor("use(data[i]);")), Lines{"4 data"});
  EXPECT_EQ(found(captures, functor("int const a = rows.extent(i);")), Lines{"4 rows"});
  EXPECT_EQ(found(captures, functor("use(length(i));")), Lines{"4 length"});
  EXPECT_EQ(found(captures, functor("use(this->sum(i));")), Lines{"4 this"});
}

TEST(Captures, OfLocalNamesMayStay) {
  EXPECT_EQ(found(captures, functor("use(other.data, p->rows, Other::length(i));")), Lines{});
  EXPECT_EQ(found(captures, functor("use(width, sum(i), other.template length<2>(i));")), Lines{});
  EXPECT_EQ(found(captures, functor("auto const& length = i; use(length);")), Lines{});
  EXPECT_EQ(found(captures, functor("/* data */ use(\"data\");")), Lines{});
}

TEST(Captures, OfHostsMayNameMembers) {
  EXPECT_EQ(
      found(captures, "struct S {\n  void f() { run([&] { return data; }); }\n  int data;\n};\n"),
      Lines{});
  EXPECT_EQ(found(captures, "void f() {\n  a[this->b] = c[1];\n  run([x = 1] { x; });\n}\n"),
            Lines{});
}

}  // namespace KokkosKVTest
