// Products that can be told by hand: layouts known at compile time, default instances, leftovers in
// the workspace, batches without rows.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include <ExecutionSpaces.hpp>
#include <KokkosKV.hpp>
#include <projection_gemm/KokkosKV_MatmulStoreRagged.hpp>
#include <reference/Arrays.hpp>
#include <support/TestBatch.hpp>

namespace KokkosKVTest {
namespace {

using namespace KokkosKV;

/// Two sequences of 2 and 1 new rows; pages of 2 slots, one head of 2 elements.
template <class ExecSpace>
class MatmulFacts : public testing::Test {
 protected:
  using memory_space = typename ExecSpace::memory_space;
  template <class Layout>
  using matrix = Kokkos::View<float**, Layout, memory_space>;

  Kokkos::View<float*** [2][1][2], Kokkos::LayoutRight, memory_space> blocks{"blocks", 3, 2, 1};
  TestBatch batch{{0, 1}, {{2}, {0}}};
  Kokkos::View<std::uint32_t*, memory_space> offsets = to_view<memory_space>({0, 2, 3});
  ProjectionPlan<float, ExecSpace> plan{4, 8};

  template <class Layout = Kokkos::LayoutRight>
  static matrix<Layout> make(std::size_t rows, std::size_t columns,
                             std::vector<float> const& values) {
    matrix<Layout> const result("matrix", rows, columns);
    auto const host = Kokkos::create_mirror_view(result);
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) host(i, j) = values[i * columns + j];
    }
    Kokkos::deep_copy(result, host);
    return result;
  }

  auto collection() const { return batch.collection(blocks); }

  /// Page 2 has tokens 0 and 1 of sequence 0, page 0 token 1 of sequence 1.
  static std::vector<float> pool(std::vector<float> const& keys, std::vector<float> const& values) {
    std::vector<float> result(3 * 8, 0);
    for (std::size_t i = 0; i < 4; ++i) {
      result[16 + i] = keys[i];
      result[20 + i] = values[i];
    }
    for (std::size_t i = 0; i < 2; ++i) {
      result[2 + i] = keys[4 + i];
      result[6 + i] = values[4 + i];
    }
    return result;
  }
};
TYPED_TEST_SUITE(MatmulFacts, ExecutionSpaces, ExecutionSpaceName);

std::vector<float> const hidden_values{1, 10, 100, 2, 20, 200, 3, 30, 300};
// Queries: the sum. Keys: first and second element. Values: third element, and its double.
std::vector<float> const weight_values{1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 2};
std::vector<float> const key_rows{1, 10, 2, 20, 3, 30};
std::vector<float> const value_rows{100, 200, 200, 400, 300, 600};

TYPED_TEST(MatmulFacts, WeightsByRowsAndByColumns) {
  using memory_space    = typename TestFixture::memory_space;
  auto const hidden     = TestFixture::make(3, 3, hidden_values);
  auto const collection = this->collection();
  auto const check      = [&](auto const& weight) {
    Kokkos::View<float***, Kokkos::LayoutRight, memory_space> const queries("queries", 3, 1, 1);
    Kokkos::deep_copy(this->blocks, 0);
    qkv_matmul_store_ragged(this->plan, collection.get_key_cache(0), collection.get_value_cache(0),
                                 this->offsets, hidden, LinearWeights{weight}, queries);
    Kokkos::fence();
    EXPECT_EQ(to_vector(this->blocks), TestFixture::pool(key_rows, value_rows));
    EXPECT_EQ(to_vector(queries), (std::vector<float>{111, 222, 333}));
  };
  check(TestFixture::template make<Kokkos::LayoutRight>(5, 3, weight_values));
  check(TestFixture::template make<Kokkos::LayoutLeft>(5, 3, weight_values));
}

// One row of hidden states, one of dim 1, one output: strides that mean nothing.
TYPED_TEST(MatmulFacts, SingleRowsAndColumns) {
  using memory_space    = typename TestFixture::memory_space;
  auto const collection = this->collection();
  auto const check      = [&](auto const& hidden, auto const& weight) {
    Kokkos::View<float***, Kokkos::LayoutRight, memory_space> const queries("queries", 1, 1, 1);
    Kokkos::deep_copy(this->blocks, 0);
    auto const one = to_view<memory_space>({0, 0, 1});
    qkv_matmul_store_ragged(this->plan, collection.get_key_cache(0), collection.get_value_cache(0),
                                 one, hidden, LinearWeights{weight}, queries);
    Kokkos::fence();
    EXPECT_EQ(to_vector(this->blocks), TestFixture::pool({0, 0, 0, 0, 4, 6}, {0, 0, 0, 0, 8, 10}));
    EXPECT_EQ(to_vector(queries), (std::vector<float>{2}));
  };
  auto const both_layouts = [&]<class Layout>(Layout) {
    check(TestFixture::template make<Layout>(1, 1, {2}),
          TestFixture::template make<Layout>(5, 1, {1, 2, 3, 4, 5}));
    // A part of a larger matrix: the second column.
    auto const wide = TestFixture::template make<Layout>(5, 2, {9, 1, 9, 2, 9, 3, 9, 4, 9, 5});
    check(TestFixture::template make<Layout>(1, 1, {2}),
          Kokkos::subview(wide, Kokkos::ALL, std::pair<int, int>(1, 2)));
  };
  both_layouts(Kokkos::LayoutRight{});
  both_layouts(Kokkos::LayoutLeft{});
}

TYPED_TEST(MatmulFacts, DefaultInstances) {
  auto const hidden     = TestFixture::make(3, 3, hidden_values);
  auto const key        = TestFixture::make(2, 3, {1, 0, 0, 0, 1, 0});
  auto const value      = TestFixture::make(2, 3, {0, 0, 1, 0, 0, 2});
  auto const collection = this->collection();
  kv_matmul_store_ragged(this->plan, collection.get_key_cache(0), collection.get_value_cache(0),
                         this->offsets, hidden,
                         KeyValueWeights{LinearWeights{key}, LinearWeights{value}}, unchecked);
  Kokkos::fence();
  EXPECT_EQ(to_vector(this->blocks), TestFixture::pool(key_rows, value_rows));
  k_matmul_store_ragged(this->plan, collection.get_key_cache(0), this->offsets, hidden,
                        LinearWeights{value});
  Kokkos::fence();
  EXPECT_EQ(to_vector(this->blocks), TestFixture::pool(value_rows, value_rows));
}

// A product overwrites what the last call has left in the workspace, be it no number at all.
TYPED_TEST(MatmulFacts, LeftoversOfTheLastCall) {
  auto const collection = this->collection();
  auto const key        = TestFixture::make(2, 3, {1, 0, 0, 0, 1, 0});
  auto const nothing    = TestFixture::make(3, 3, std::vector<float>(9, std::nanf("")));
  auto const hidden     = TestFixture::make(3, 3, hidden_values);
  for (auto const& rows : {nothing, hidden}) {
    k_matmul_store_ragged(this->plan, collection.get_key_cache(0), this->offsets, rows,
                          LinearWeights{key});
  }
  Kokkos::fence();
  EXPECT_EQ(to_vector(this->blocks), TestFixture::pool(key_rows, std::vector<float>(6, 0)));
}

TYPED_TEST(MatmulFacts, NoRows) {
  using memory_space    = typename TestFixture::memory_space;
  auto const collection = this->collection();
  auto const weight     = TestFixture::make(5, 3, weight_values);
  Kokkos::View<float***, Kokkos::LayoutRight, memory_space> const queries("queries", 0, 1, 1);
  qkv_matmul_store_ragged(this->plan, collection.get_key_cache(0), collection.get_value_cache(0),
                          to_view<memory_space>({0, 0, 0}), TestFixture::make(0, 3, {}),
                          LinearWeights{weight}, queries);
  Kokkos::fence();
  EXPECT_EQ(to_vector(this->blocks), std::vector<float>(3 * 8, 0));
}

TEST(ProjectionPlan, Sizes) {
  ProjectionPlan<float> const chosen(1024, 100);
  EXPECT_EQ(chosen.num_outputs(), 1024u);
  EXPECT_EQ(chosen.rows_per_block(), 100u);
  EXPECT_GE(chosen.workspace_bytes(), 100 * 1024 * sizeof(float));
  EXPECT_EQ(ProjectionPlan<float>(1024, 100, 7).rows_per_block(), 7u);
  // Blocks are chosen, and do not grow with the batch.
  EXPECT_EQ(ProjectionPlan<float>(1024, 1u << 30).rows_per_block(),
            ProjectionPlan<float>(1024, 1u << 20).rows_per_block());
}

}  // namespace
}  // namespace KokkosKVTest
