// Queries, keys and values of random batches against the product in double; nothing else in the
// pool or around the queries touched.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <ExecutionSpaces.hpp>
#include <GuardedQueries.hpp>
#include <HiddenBatch.hpp>
#include <MatmulForms.hpp>

namespace KokkosKVTest {
namespace {

using namespace KokkosKV;

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
      Call<HiddenBatch<T, Real, Shape, ExecSpace>> call{batch, with_queries, query_heads,
                                                        query_size};
      batch.random.chance(50) ? packed(call) : separate(call);
    });
  }

 private:
  template <class Batch>
  struct Call {
    Batch& batch;
    bool with_queries;
    std::size_t query_heads;
    std::size_t query_size;

    std::size_t query_outputs() const { return with_queries ? query_heads * query_size : 0; }
  };

  template <class Batch>
  void packed(Call<Batch> const& call) {
    auto& batch        = call.batch;
    auto const kv      = batch.row_size;
    auto const queries = call.query_outputs();
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
    auto const query    = batch.weight(call.query_outputs());
    auto const key      = batch.weight(kv);
    auto const value    = batch.weight(kv);
    auto const no_bias  = batch.bias(0, false);
    auto const key_bias = batch.bias(kv, true);
    auto const queries  = reference_product(batch.hidden, query, no_bias, 0, query.rows);
    auto const keys     = reference_product(batch.hidden, key, key_bias, 0, kv);
    auto const values   = reference_product(batch.hidden, value, no_bias, 0, kv);
    LinearWeights const biased{key.view(), to_device<memory_space>(key_bias)};
    if (call.query_outputs() > 0) {
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
    auto const collection = stored.test.collection();
    GuardedQueries<real, memory_space> const output(
        stored.rows(), call.with_queries ? call.query_heads : 0, call.query_size, batch.random);
    for (int const team_size : team_sizes<ExecSpace>()) {
      stored.test.reset();
      output.reset();
      auto const run = [&](auto... options) {
        auto const key_cache   = collection.get_key_cache(stored.layer);
        auto const value_cache = collection.get_value_cache(stored.layer);
        if constexpr (!is_key_value<Weights>) {
          if (call.with_queries) {
            qkv_matmul(team_size, stored.test.exec, batch.plan, key_cache, value_cache,
                       batch.offsets, batch.hidden.view(), weights, output.view(), options...);
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
      EXPECT_TRUE(output.hold(queries, batch.roundings())) << "team size " << team_size;
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
