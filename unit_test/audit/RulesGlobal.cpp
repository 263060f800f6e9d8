// Rule for globals: of namespaces, of classes, of functions.
#include <gtest/gtest.h>

#include "GlobalRules.hpp"
#include "Snippet.hpp"

namespace KokkosKVTest {

TEST(Globals, OfNamespacesAreFound) {
  EXPECT_EQ(found(globals, "namespace A {\nint count = 0;\ninline int const limit{3};\n}\n"),
            (Lines{"2 count", "3 limit"}));
  EXPECT_EQ(found(globals,
                  "template <class T>\ninline bool is_b = C<T>::value;\n"
                  "extern int d;\nstatic constexpr int e = 1;\n"),
            (Lines{"2 is_b", "3 d", "4 e"}));
  EXPECT_EQ(found(globals, "\nstatic Kokkos::View<int*> table(\"KokkosKV::table\", 3);\n"),
            Lines{"2 table"});
}

TEST(Globals, OfClassesAreFound) {
  EXPECT_EQ(
      found(globals, "struct S {\n  int a;\n  static int b;\n  inline static int c = 1;\n};\n"),
      (Lines{"3 b", "4 c"}));
  EXPECT_EQ(found(globals,
                  "class S {\n  struct T {\n    static Kokkos::View<int*, Space> v;\n  };\n};\n"),
            Lines{"3 v"});
}

TEST(Globals, OfFunctionsAreFound) {
  EXPECT_EQ(found(globals, "inline int f() {\n  static int calls = 0;\n  return ++calls;\n}\n"),
            Lines{"2 static"});
  EXPECT_EQ(
      found(globals,
            "struct S {\n  View f() {\n    static View const v(\"v\", 1);\n    return v;\n  }\n"
            "  int g() { return thread_local int a = 1; }\n};\n"),
      (Lines{"6 thread_local", "3 static"}));
}

TEST(Globals, ConstantsMayStay) {
  EXPECT_EQ(found(globals,
                  "namespace A {\ninline constexpr int a = 1;\nconstexpr char const b[] = \"c\";\n"
                  "template <class T>\ninline constexpr bool d<E<T>> = F<T>() && G{}.h;\n}\n"),
            Lines{});
  EXPECT_EQ(
      found(globals,
            "struct S {\n  static constexpr int a = 1;\n  int b = 2;\n"
            "  static int f(int c) { return static_cast<int>(c); }\n  static S g(S const&);\n};\n"),
      Lines{});
}

TEST(Globals, OtherDeclarationsMayStay) {
  EXPECT_EQ(found(globals,
                  "class A;\ntemplate <class T> struct B;\nusing C = B<int>;\n"
                  "namespace D = E::F;\nstatic_assert(sizeof(C) == 2);\nstatic int f(int);\n"
                  "enum class G : int { a, b };\nvoid g(int a = 1);\n"),
            Lines{});
  EXPECT_EQ(found(globals,
                  "template <class F>\nconcept H = requires(F f) {\n  { f() };\n};\n"
                  "template <class T>\nB(T) -> B<T>;\nextern \"C\" {\nvoid h();\n}\n"),
            Lines{});
}

}  // namespace KokkosKVTest
