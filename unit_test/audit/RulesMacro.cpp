// Rule for the preprocessor: macros of the platform and of our own, within their folder and
// outside.
#include <gtest/gtest.h>

#include <string>

#include "MacroRules.hpp"
#include "Snippet.hpp"

namespace KokkosKVTest {

std::string guarded(std::string const& text) {
  return "#ifndef KOKKOSKV_IMPL_A_HPP\n#define KOKKOSKV_IMPL_A_HPP\n" + text + "#endif\n";
}

TEST(Macros, OfThePlatformAreFound) {
  EXPECT_EQ(found(macros, guarded("#ifdef KOKKOS_ENABLE_CUDA\n#endif\n")),
            Lines{"3 KOKKOS_ENABLE_CUDA"});
  EXPECT_EQ(
      found(macros, guarded("#if defined(__SSE2__) && \\\n    !defined(__CUDA_ARCH__)\n#endif\n")),
      (Lines{"3 __SSE2__", "4 __CUDA_ARCH__"}));
  EXPECT_EQ(found(macros,
                  guarded("\n#if _MSC_VER > 1900\n#elif defined(KOKKOS_ARCH_HOPPER90)\n#endif\n")),
            (Lines{"4 _MSC_VER", "5 KOKKOS_ARCH_HOPPER90"}));
  EXPECT_EQ(found(macros, guarded("\ninline constexpr int a = __x86_64__;\n")),
            Lines{"4 __x86_64__"});
}

TEST(Macros, OfOurOwnAreFound) {
  EXPECT_EQ(found(macros, guarded("#define KOKKOSKV_FAST 1\n")),
            (Lines{"3 KOKKOSKV_FAST", "3 define"}));
  EXPECT_EQ(found(macros, guarded("#ifdef KOKKOSKV_IMPL_B_HPP\n#endif\n")),
            Lines{"3 KOKKOSKV_IMPL_B_HPP"});
  EXPECT_EQ(found(macros, "#define KOKKOSKV_A_HPP\n"), (Lines{"1 KOKKOSKV_A_HPP", "1 define"}));
  EXPECT_EQ(found(macros, guarded("#define SQUARE(x) ((x) * (x))\n")), Lines{"3 define"});
}

TEST(Macros, OfTheFolderMayStay) {
  EXPECT_EQ(found(macros, guarded("#ifdef __SSE2__\n#define KOKKOSKV_IMPL_STREAMS\n#endif\n"),
                  "src/kokkos_ext/impl/A.hpp"),
            Lines{});
  EXPECT_EQ(found(macros, guarded("#ifdef __SSE2__\n#endif\n"), "src/kokkos_ext/A.hpp"),
            Lines{"3 __SSE2__"});
}

TEST(Macros, OfGuardsAndKokkosMayStay) {
  EXPECT_EQ(found(macros, guarded("#include <Kokkos_Core.hpp>\nKOKKOS_FUNCTION void f() {}\n")),
            Lines{});
  EXPECT_EQ(
      found(macros, guarded("// __CUDA_ARCH__\nchar const* const a = \"KOKKOS_ENABLE_HIP\";\n")),
      Lines{});
}

}  // namespace KokkosKVTest
