// Fixture of the refusals: a small guarded pool, and guarded rows.
#ifndef KOKKOSKV_TEST_PROJECTION_REFUSALFIXTURE_HPP
#define KOKKOSKV_TEST_PROJECTION_REFUSALFIXTURE_HPP

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>

#include <KokkosKV.hpp>
#include <support/GuardedMemory.hpp>
#include <support/Refusal.hpp>
#include <support/TestBatch.hpp>

namespace KokkosKVTest {

/// 6 pages of 4 tokens, 2 heads of 4 elements; 2 rows of 3 heads of 6.
template <class ExecSpace>
class RefusalFixture : public testing::Test {
 protected:
  using memory_space = typename ExecSpace::memory_space;
  using rows_view    = Kokkos::View<float***, Kokkos::LayoutRight, memory_space>;

  GuardedMemory<float, memory_space> memory{6 * 64};
  GuardedMemory<float, memory_space> row_memory{2 * 18};
  // Sequence 0 has 3 tokens, sequence 1 none; room for 8 tokens each.
  TestBatch const good{{3, 0}, {{0, 1}, {2, 3}}};

  /// Owns the batch's table and lengths, which the caches need.
  auto collection(TestBatch const& batch) const {
    return batch.collection(
        KokkosKV::padded_blocks<float, 4, 2, 4, memory_space>(memory.data(), 6, 2, 1, 64),
        KokkosKV::unchecked);
  }
  rows_view rows() const { return rows_view(row_memory.data(), 2, 3, 6); }

  /// The call throws, and neither pool nor rows nor what lies around them changed.
  template <class Error, class Call>
  void refuses(std::string const& message, Call const& call) const {
    auto const pool_before = memory.snapshot();
    auto const rows_before = row_memory.snapshot();
    expect_refusal<Error>(message, call);
    Kokkos::fence();
    EXPECT_EQ(memory.snapshot(), pool_before);
    EXPECT_EQ(row_memory.snapshot(), rows_before);
  }
};

}  // namespace KokkosKVTest

#endif
