// Queries, keys and values of random batches against the product in double; nothing else in the
// pool or around the queries touched.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <ExecutionSpaces.hpp>
#include <MatmulForms.hpp>
#include <RandomMatrix.hpp>
#include <StoredRows.hpp>

namespace KokkosKVTest {
namespace {

using namespace KokkosKV;

/// Hidden states of a random batch with a plan for them.
template <class T, class Real, class Shape, class ExecSpace>
struct HiddenBatch {
  using memory_space = typename ExecSpace::memory_space;
  using matrix_type  = RandomMatrix<Real, memory_space>;

  StoredRows<T, Shape, ExecSpace> stored;
  Random& random;
  std::size_t dim;
  matrix_type hidden;
  Kokkos::View<std::uint32_t*, memory_space> offsets;
  ProjectionPlan<Real, ExecSpace> plan;

  HiddenBatch(std::uint64_t seed, std::uint64_t min_kv_dim)
      : stored(seed, min_kv_dim),
        random(stored.test.random),
        dim(random.template pick<std::size_t>({1, 3, 17, 64})),
        hidden(stored.rows(), dim, false, random),
        offsets(to_device<memory_space>(stored.offsets)),
        plan(2 * row_size, 1000, random.template pick<std::size_t>({0, 1, 2, 7})) {}

  static constexpr std::size_t row_size = StoredRows<T, Shape, ExecSpace>::row_size;

  matrix_type weight(std::size_t outputs) {
    return matrix_type(outputs, dim, random.chance(50), random);
  }
  std::vector<Real> bias(std::size_t outputs, bool wanted) {
    return moderate_numbers<Real>(wanted ? outputs : 0, random);
  }
  double roundings() const { return product_roundings(dim); }
  std::string describe(std::uint64_t seed) const {
    return stored.test.describe(seed) + ", dim " + std::to_string(dim) + ", blocks of " +
           std::to_string(plan.rows_per_block());
  }

  /// Calls `use` with the weights as the library takes them.
  template <class Use>
  static void with_weights(matrix_type const& matrix, std::vector<Real> const& bias,
                           Use const& use) {
    if (bias.empty()) {
      use(LinearWeights{matrix.view()});
    } else {
      use(LinearWeights{matrix.view(), to_device<memory_space>(bias)});
    }
  }
};

template <class ExecSpace>
class MatmulStore : public testing::Test {
 protected:
  using memory_space = typename ExecSpace::memory_space;

  template <class T, class Real>
  void one_cache(std::uint64_t seed, std::size_t cases) {
    for_stored_shapes(seed, cases, [&]<class Shape>(std::uint64_t number) {
      HiddenBatch<T, Real, Shape, ExecSpace> batch(number, 1);
      auto& stored          = batch.stored;
      auto const matrix     = batch.weight(batch.row_size);
      auto const bias       = batch.bias(batch.row_size, batch.random.chance(50));
      auto const expected   = reference_product(batch.hidden, matrix, bias, 0, batch.row_size);
      auto const collection = stored.test.collection();
      auto const cache      = stored.test.cache(collection, stored.kv, stored.layer);
      SCOPED_TRACE(batch.describe(number));
      batch.with_weights(matrix, bias, [&](auto const& weights) {
        for (int const team_size : team_sizes<ExecSpace>()) {
          stored.test.reset();
          auto const call = [&](auto... options) {
            k_matmul(team_size, stored.test.exec, batch.plan, cache, batch.offsets,
                     batch.hidden.view(), weights, options...);
          };
          batch.random.chance(50) ? call() : call(unchecked);
          stored.test.exec.fence();
          auto pool = stored.test.before;
          stored.expect_rows(pool, stored.kv, expected, batch.roundings());
          EXPECT_TRUE(stored.test.matches(pool)) << "team size " << team_size;
        }
      });
    });
  }

  /// Queries, keys and values, or keys and values alone.
  template <class T, class Real>
  void both_caches(std::uint64_t seed, std::size_t cases, bool with_queries) {
    for_stored_shapes(seed, cases, [&]<class Shape>(std::uint64_t number) {
      HiddenBatch<T, Real, Shape, ExecSpace> batch(number, 2);
      auto const query_size  = batch.random.template pick<std::size_t>({1, 7, 64});
      auto const query_heads = batch.random.between(1, 3);
      SCOPED_TRACE(batch.describe(number) + ", " + std::to_string(query_heads) +
                   " query heads of " + std::to_string(query_size));
      Call<HiddenBatch<T, Real, Shape, ExecSpace>> call{
          batch, query_heads, query_size, with_queries ? query_heads * query_size : 0};
      batch.random.chance(50) ? packed(call) : separate(call);
    });
  }

 private:
  template <class Batch>
  struct Call {
    Batch& batch;
    std::size_t query_heads;
    std::size_t query_size;
    std::size_t query_outputs;  ///< 0: no queries
  };

  template <class Batch>
  void packed(Call<Batch> const& call) {
    auto& batch        = call.batch;
    auto const kv      = batch.row_size;
    auto const queries = call.query_outputs;
    auto const matrix  = batch.weight(queries + 2 * kv);
    auto const bias    = batch.bias(matrix.rows, batch.random.chance(50));
    batch.with_weights(matrix, bias, [&](auto const& weights) {
      check(call, weights, reference_product(batch.hidden, matrix, bias, 0, queries),
            reference_product(batch.hidden, matrix, bias, queries, kv),
            reference_product(batch.hidden, matrix, bias, queries + kv, kv));
    });
  }

  template <class Batch>
  void separate(Call<Batch> const& call) {
    auto& batch         = call.batch;
    auto const kv       = batch.row_size;
    auto const query    = batch.weight(call.query_outputs);
    auto const key      = batch.weight(kv);
    auto const value    = batch.weight(kv);
    auto const no_bias  = batch.bias(0, false);
    auto const key_bias = batch.bias(kv, true);
    auto const queries  = reference_product(batch.hidden, query, no_bias, 0, query.rows);
    auto const keys     = reference_product(batch.hidden, key, key_bias, 0, kv);
    auto const values   = reference_product(batch.hidden, value, no_bias, 0, kv);
    LinearWeights const biased{key.view(), to_device<memory_space>(key_bias)};
    if (call.query_outputs > 0) {
      QueryKeyValueWeights const weights{LinearWeights{query.view()}, biased,
                                         LinearWeights{value.view()}};
      check(call, weights, queries, keys, values);
    } else {
      check(call, KeyValueWeights{biased, LinearWeights{value.view()}}, queries, keys, values);
    }
  }

  template <class Batch, class Weights>
  void check(Call<Batch> const& call, Weights const& weights, std::vector<Expected> const& queries,
             std::vector<Expected> const& keys, std::vector<Expected> const& values) {
    using real            = typename Batch::matrix_type::value_type;
    auto& batch           = call.batch;
    auto& stored          = batch.stored;
    auto const rows       = stored.rows();
    auto const outputs    = call.query_outputs;
    auto const stride     = outputs + batch.random.template pick<std::size_t>({0, 0, 1, 16});
    auto const collection = stored.test.collection();
    std::vector<real> const before(rows * stride, poison<real>());
    auto const array = to_device<memory_space>(before);
    Kokkos::View<real***, Kokkos::LayoutStride, memory_space> const output(
        array.data(),
        Kokkos::LayoutStride(rows, stride, call.query_heads, call.query_size, call.query_size, 1));
    for (int const team_size : team_sizes<ExecSpace>()) {
      stored.test.reset();
      copy_to_device(array, before);
      auto const run = [&](auto... options) {
        auto const key_cache   = collection.get_key_cache(stored.layer);
        auto const value_cache = collection.get_value_cache(stored.layer);
        if constexpr (!is_key_value<Weights>) {
          if (outputs > 0) {
            qkv_matmul(team_size, stored.test.exec, batch.plan, key_cache, value_cache,
                       batch.offsets, batch.hidden.view(), weights, output, options...);
            return;
          }
        }
        if constexpr (!is_query_key_value<Weights>) {
          kv_matmul(team_size, stored.test.exec, batch.plan, key_cache, value_cache, batch.offsets,
                    batch.hidden.view(), weights, options...);
        }
      };
      batch.random.chance(50) ? run() : run(unchecked);
      stored.test.exec.fence();
      auto pool = stored.test.before;
      stored.expect_rows(pool, 0, keys, batch.roundings());
      stored.expect_rows(pool, 1, values, batch.roundings());
      EXPECT_TRUE(stored.test.matches(pool)) << "team size " << team_size;
      auto const after = to_host(array);
      std::vector<real> found;
      for (std::size_t i = 0; i < after.size(); ++i) {
        if (i % stride < outputs) found.push_back(after[i]);
      }
      EXPECT_TRUE(near(found, queries, batch.roundings())) << "team size " << team_size;
      auto gaps = before;
      for (std::size_t i = 0; i < gaps.size(); ++i) {
        if (i % stride < outputs) gaps[i] = after[i];
      }
      EXPECT_TRUE(same_bits(after, gaps, [](std::size_t) { return "gap"; }));
    }
  }

  template <class>
  static constexpr bool is_key_value = false;
  template <class Key, class Value>
  static constexpr bool is_key_value<KeyValueWeights<Key, Value>> = true;
  template <class>
  static constexpr bool is_query_key_value = false;
  template <class Query, class Key, class Value>
  static constexpr bool is_query_key_value<QueryKeyValueWeights<Query, Key, Value>> = true;
};
TYPED_TEST_SUITE(MatmulStore, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(MatmulStore, KeysOfFloat) { this->template one_cache<float, float>(100, 10); }
TYPED_TEST(MatmulStore, KeysOfBf16) { this->template one_cache<bf16, float>(200, 6); }
TYPED_TEST(MatmulStore, KeysOfDouble) { this->template one_cache<double, double>(300, 6); }
TYPED_TEST(MatmulStore, KeysAndValuesOfFloat) {
  this->template both_caches<float, float>(400, 8, false);
}
TYPED_TEST(MatmulStore, QueriesKeysAndValuesOfFloat) {
  this->template both_caches<float, float>(500, 12, true);
}
TYPED_TEST(MatmulStore, QueriesKeysAndValuesOfHalf) {
  this->template both_caches<half, float>(600, 6, true);
}

}  // namespace
}  // namespace KokkosKVTest
