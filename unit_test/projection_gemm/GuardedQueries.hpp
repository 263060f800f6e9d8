// Queries as products write them, between gaps of poison.
#ifndef KOKKOSKV_TEST_PROJECTION_GEMM_GUARDEDQUERIES_HPP
#define KOKKOSKV_TEST_PROJECTION_GEMM_GUARDEDQUERIES_HPP

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <vector>

#include <Numbers.hpp>
#include <reference/Arrays.hpp>
#include <reference/Random.hpp>

namespace KokkosKVTest {

/// Rows of packed heads, behind each a gap.
template <class Real, class MemorySpace>
class GuardedQueries {
 public:
  GuardedQueries(std::size_t rows, std::size_t heads, std::size_t head_size, Random& random)
      : m_rows(rows),
        m_heads(heads),
        m_head_size(head_size),
        m_stride(heads * head_size + random.pick<std::size_t>({0, 0, 1, 16})),
        m_before(rows * m_stride, poison<Real>()),
        m_array(to_device<MemorySpace>(m_before)) {}

  auto view() const {
    return Kokkos::View<Real***, Kokkos::LayoutStride, MemorySpace>(
        m_array.data(),
        Kokkos::LayoutStride(m_rows, m_stride, m_heads, m_head_size, m_head_size, 1));
  }

  void reset() const { copy_to_device(m_array, m_before); }

  /// Heads are as expected, and gaps as they were.
  testing::AssertionResult hold(std::vector<Expected> const& expected, double roundings) const {
    auto const after = to_host(m_array);
    std::vector<Real> found;
    auto kept = m_before;
    for (std::size_t i = 0; i < after.size(); ++i) {
      if (i % m_stride >= m_heads * m_head_size) continue;
      found.push_back(after[i]);
      kept[i] = after[i];
    }
    auto const gaps = same_bits(after, kept, [](std::size_t) { return "gap"; });
    return gaps ? near(found, expected, roundings) : gaps;
  }

 private:
  std::size_t m_rows;
  std::size_t m_heads;
  std::size_t m_head_size;
  std::size_t m_stride;
  std::vector<Real> m_before;
  Kokkos::View<Real*, MemorySpace> m_array;
};

}  // namespace KokkosKVTest

#endif
