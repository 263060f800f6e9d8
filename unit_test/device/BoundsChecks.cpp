// Proof that the configuration with Kokkos' bounds checks has them: an access outside a View ends
// the program.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace KokkosKVTest {

TEST(BoundsChecksDeathTest, EndTheProgram) {
  Kokkos::View<int*, Kokkos::HostSpace> const view("KokkosKV::test", 4);
  std::size_t volatile index = 3;
  view(index)                = 1;
  EXPECT_EQ(view(index), 1);
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  index = 4;
  EXPECT_DEATH(view(index) = 1, "bounds");
}

}  // namespace KokkosKVTest
