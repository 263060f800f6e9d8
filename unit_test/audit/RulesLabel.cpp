// Rule for labels: of fences, of launches, of allocations.
#include <gtest/gtest.h>

#include "LabelRules.hpp"
#include "Snippet.hpp"

namespace KokkosKVTest {

TEST(Labels, AreMissedAtFences) {
  EXPECT_EQ(found(labels, "void f() {\n  exec.fence();\n  Kokkos::fence();\n}\n"),
            (Lines{"2 fence", "3 fence"}));
  EXPECT_EQ(found(labels, "void f() {\n\n  exec.fence(\"mine\");\n}\n"), Lines{"3 fence"});
}

TEST(Labels, AreMissedAtLaunches) {
  EXPECT_EQ(found(labels,
                  "void f() {\n  Kokkos::parallel_for(n, Kernel{});\n"
                  "  Kokkos::parallel_reduce(\n      Kokkos::RangePolicy<E>(e, 0, n), k, x);\n}\n"),
            (Lines{"2 parallel_for", "3 parallel_reduce"}));
  EXPECT_EQ(found(labels,
                  "void f() {\n  Kokkos::parallel_scan(\"scan\", n, k);\n"
                  "  Kokkos::parallel_for(policy, k, \"KokkosKV::late\");\n}\n"),
            (Lines{"2 parallel_scan", "3 parallel_for"}));
}

TEST(Labels, AreMissedAtAllocations) {
  EXPECT_EQ(found(labels, "void f() {\n  View a(Kokkos::view_alloc(exec), 3);\n}\n"),
            Lines{"2 view_alloc"});
  EXPECT_EQ(
      found(labels, "struct S {\n  S(int n)\n      : m(Kokkos::view_alloc(\"m\", e), n) {}\n};\n"),
      Lines{"3 view_alloc"});
}

TEST(Labels, OfTheLibraryMayStay) {
  EXPECT_EQ(found(labels,
                  "void f() {\n  exec.fence(\"KokkosKV::f\");\n"
                  "  View a(Kokkos::view_alloc(exec, \"KokkosKV::a\"), 3);\n"
                  "  Kokkos::parallel_for(\n      \"KokkosKV::f::loop\", n, k);\n}\n"),
            Lines{});
  EXPECT_EQ(found(labels,
                  "void f(std::string const& label) {\n  Kokkos::parallel_for(label, n, k);\n"
                  "  Kokkos::parallel_for(std::string(\"KokkosKV::\") + name, n, k);\n}\n"),
            Lines{});
}

TEST(Labels, AreNotForLoopsOfTeams) {
  EXPECT_EQ(found(labels,
                  "void f() {\n  Kokkos::parallel_for(Kokkos::TeamThreadRange(member, n), k);\n"
                  "  Kokkos::parallel_reduce(Kokkos::ThreadVectorRange(member, n), k, x);\n"
                  "  parallel_for(TeamVectorRange(member, n), k);\n}\n"),
            Lines{});
  EXPECT_EQ(found(labels, "// exec.fence()\nchar const* a = \"parallel_for(n)\";\n"), Lines{});
}

}  // namespace KokkosKVTest
