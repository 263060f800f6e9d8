// The synthetic workload: the same for the same seed, never empty.
#include "SyntheticWorkload.hpp"

#include <gtest/gtest.h>

namespace {

TEST(SyntheticWorkloadTest, DependsOnTheSeedAlone) {
  auto const first      = ragged_store::synthesise_workload(100, 1);
  auto const again      = ragged_store::synthesise_workload(100, 1);
  auto const other      = ragged_store::synthesise_workload(100, 2);
  std::size_t differing = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i].tokens(), again[i].tokens());
    EXPECT_GE(first[i].context, 1u);
    EXPECT_GE(first[i].generated, 1u);
    differing += first[i].tokens() != other[i].tokens();
  }
  EXPECT_GT(differing, 90u);
}

}  // namespace
