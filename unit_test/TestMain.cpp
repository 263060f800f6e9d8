// Entry of every test program: Kokkos lives as long as the tests do.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  // Test discovery runs the program only for its list of tests.
  if (testing::GTEST_FLAG(list_tests)) return RUN_ALL_TESTS();
  Kokkos::ScopeGuard const guard(argc, argv);
  return RUN_ALL_TESTS();
}
