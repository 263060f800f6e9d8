// Rules for device code: functions of the standard library, and what needs a host.
#include <gtest/gtest.h>

#include "DeviceRules.hpp"
#include "Snippet.hpp"

namespace KokkosKVTest {

TEST(StandardFunctions, AreFound) {
  EXPECT_EQ(found(standard_functions,
                  "KOKKOS_FUNCTION int f(int a, int b) {\n  return std::min(a, b);\n}\n"),
            Lines{"2 std::min"});
  EXPECT_EQ(found(standard_functions,
                  "struct S {\n  KOKKOS_INLINE_FUNCTION S(int* a)\n      : m(std::move(a)) {\n"
                  "    std::memcpy(m, a, 4);\n  }\n  int* m;\n};\n"),
            (Lines{"3 std::move", "4 std::memcpy"}));
  EXPECT_EQ(found(standard_functions,
                  "void f() {\n  run(KOKKOS_LAMBDA(int) {\n    ::std::swap(a, b);\n  });\n}\n"),
            Lines{"3 std::swap"});
}

TEST(StandardFunctions, AreFoundBehindUsing) {
  EXPECT_EQ(found(standard_functions, "\nusing namespace std;\nusing std::max;\n"),
            (Lines{"2 using namespace std", "3 std::max"}));
}

TEST(StandardFunctions, TypesAndHostsMayUseStd) {
  EXPECT_EQ(found(standard_functions,
                  "KOKKOS_FUNCTION auto f(std::size_t a) {\n"
                  "  if constexpr (std::is_same_v<T, std::remove_const_t<U>>) return a;\n"
                  "  return static_cast<std::uintptr_t>(a);  // not std::min\n}\n"),
            Lines{});
  EXPECT_EQ(found(standard_functions,
                  "struct S {\n  static constexpr int n = std::max(1, 2);\n"
                  "  int f() const { return std::min(n, 3); }\n"
                  "  KOKKOS_FUNCTION int g() const { return n; }\n};\n"),
            Lines{});
}

TEST(HostFeatures, AreFound) {
  EXPECT_EQ(found(host_features,
                  "KOKKOS_FUNCTION int* f(int a) {\n  if (a < 0) throw a;\n"
                  "  static int calls = 0;\n  printf(\"%d\", a);\n  return new int(a);\n}\n"),
            (Lines{"2 throw", "3 static", "4 printf", "5 new"}));
  EXPECT_EQ(found(host_features,
                  "template <class T>\nKOKKOS_FUNCTION bool f(A* a) {\n  assert(a);\n"
                  "  thread_local int b;\n  std::cout << typeid(*a).name();\n"
                  "  return dynamic_cast<B*>(a);\n}\n"),
            (Lines{"3 assert", "4 thread_local", "5 cout", "5 typeid", "6 dynamic_cast"}));
  EXPECT_EQ(found(host_features, "KOKKOS_FUNCTION void f(int* a) {\n  memset(a, 0, 4);\n}\n"),
            Lines{"2 memset"});
}

TEST(HostFeatures, VirtualFunctionsAreFound) {
  EXPECT_EQ(found(host_features,
                  "struct S {\n  KOKKOS_FUNCTION void f() const {}\n  virtual ~S() {}\n};\n"),
            Lines{"3 virtual"});
  EXPECT_EQ(
      found(host_features, "struct S : B {\n  KOKKOS_FUNCTION\n  void f() const override {}\n};\n"),
      Lines{"3 override"});
}

TEST(HostFeatures, HostsMayHaveThem) {
  EXPECT_EQ(found(host_features,
                  "void f() { throw A(\"new\"); }\nstruct B { virtual void f(); };\n"
                  "KOKKOS_FUNCTION int g(B b) { return static_cast<int>(b.exit()); }\n"),
            Lines{});
  EXPECT_EQ(found(host_features,
                  "struct S {\n  KOKKOS_FUNCTION S(S const&) = delete;\n"
                  "  KOKKOS_FUNCTION static int f() {\n    static_assert(true, \"throw\");\n"
                  "    int renewed = 1;  // static\n    return renewed;\n  }\n};\n"),
            Lines{});
}

}  // namespace KokkosKVTest
