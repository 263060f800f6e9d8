// What a rotation must keep, and known rotations.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <ExecutionSpaces.hpp>
#include <KokkosKV.hpp>
#include <Numbers.hpp>
#include <ProjectionForms.hpp>
#include <support/TestBatch.hpp>

namespace KokkosKVTest {

using namespace KokkosKV;

/// One sequence of `rows` new tokens behind `cached` ones; queries of 2 heads of 8.
template <class ExecSpace>
class RopeFacts : public testing::Test {
 protected:
  using memory_space = typename ExecSpace::memory_space;
  using query_view   = Kokkos::View<float***, Kokkos::LayoutRight, memory_space>;

  static constexpr std::size_t row_elements = 16;

  /// Rotates rows of random numbers at the given positions.
  std::vector<float> rotate(std::vector<float> const& values, Numbers const& positions,
                            RopeForm form) const {
    auto const rows  = positions.size();
    auto const array = to_device<memory_space>(values);
    query_view const queries(array.data(), rows, 2, 8);
    RopeFrequencies<memory_space> const frequencies({.rotary_dim = 8, .form = form});
    std::vector<Numbers> const table{Numbers(rows, 0xFFFFFFFFu)};
    Kokkos::View<float*** [1][1][1], Kokkos::LayoutRight, memory_space> const blocks("blocks", 1, 1,
                                                                                     1);
    auto const pool = TestBatch{{0}, table}.collection(blocks);
    rope_ragged(ExecSpace{}, frequencies, pool.get_key_cache(0),
                to_view<memory_space>({0, static_cast<std::uint32_t>(rows)}), queries,
                PositionIds{to_view<memory_space>(positions)});
    Kokkos::fence();
    return to_vector(queries);
  }

  static std::size_t partner(std::size_t dim, RopeForm form) {
    return form == RopeForm::interleaved ? dim ^ 1u : (dim + 4) % 8;
  }
};
TYPED_TEST_SUITE(RopeFacts, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(RopeFacts, PositionZeroIsTheIdentity) {
  Random random(1);
  auto const values = moderate_numbers<float>(3 * this->row_elements, random);
  for (auto const form : {RopeForm::interleaved, RopeForm::half_split}) {
    EXPECT_EQ(this->rotate(values, {0, 0, 0}, form), values);
    EXPECT_NE(this->rotate(values, {0, 1, 0}, form), values);
  }
}

TYPED_TEST(RopeFacts, PairsKeepTheirNorm) {
  Random random(2);
  Numbers const positions{1, 77, 4095, 131072, 1048576};
  auto const values = moderate_numbers<float>(positions.size() * this->row_elements, random);
  for (auto const form : {RopeForm::interleaved, RopeForm::half_split}) {
    auto const rotated = this->rotate(values, positions, form);
    for (std::size_t i = 0; i < values.size(); ++i) {
      auto const other = i / 8 * 8 + this->partner(i % 8, form);
      auto const norm  = std::hypot(static_cast<double>(values[i]), values[other]);
      EXPECT_NEAR(std::hypot(static_cast<double>(rotated[i]), rotated[other]) / norm, 1, 3e-7);
    }
  }
}

TYPED_TEST(RopeFacts, RotationsAddUp) {
  Random random(3);
  auto const values = moderate_numbers<float>(2 * this->row_elements, random);
  for (auto const form : {RopeForm::interleaved, RopeForm::half_split}) {
    auto const twice = this->rotate(this->rotate(values, {1000, 500000}, form), {234, 48576}, form);
    auto const once  = this->rotate(values, {1234, 548576}, form);
    for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(twice[i], once[i], 4e-6);
  }
}

// The product of a query and a key depends on the distance alone.
TYPED_TEST(RopeFacts, ProductsDependOnTheDistance) {
  Random random(4);
  auto const one   = moderate_numbers<float>(this->row_elements, random);
  auto const other = moderate_numbers<float>(this->row_elements, random);
  auto both        = one;
  both.insert(both.end(), other.begin(), other.end());
  auto const product = [&](std::uint32_t query, std::uint32_t key) {
    auto const rotated = this->rotate(both, {query, key}, RopeForm::half_split);
    double sum         = 0;
    for (std::size_t i = 0; i < this->row_elements; ++i) {
      sum += static_cast<double>(rotated[i]) * rotated[this->row_elements + i];
    }
    return sum;
  };
  EXPECT_NEAR(product(1048576, 1048566), product(10, 0), 2e-5);
  EXPECT_GT(std::fabs(product(10, 0) - product(0, 0)), 1e-2);
}

// (1, 0) at position 1 with theta 10000 and 4 elements: angles 1 and 0.01.
TYPED_TEST(RopeFacts, KnownRotation) {
  std::vector<float> values(this->row_elements);
  values[0] = values[1] = 1;
  auto const rotated    = this->rotate(values, {1}, RopeForm::half_split);
  EXPECT_NEAR(rotated[0], 0.5403023058681398, 1e-7);
  EXPECT_NEAR(rotated[4], 0.8414709848078965, 1e-7);
  EXPECT_NEAR(rotated[1], 0.9950041652780258, 1e-7);
  EXPECT_NEAR(rotated[5], 0.09983341664682815, 1e-7);
}

}  // namespace KokkosKVTest
