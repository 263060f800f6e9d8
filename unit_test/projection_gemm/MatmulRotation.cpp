// Products whose queries and keys are rotated on the way, against product and formula in double.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <ExecutionSpaces.hpp>
#include <GuardedQueries.hpp>
#include <HiddenBatch.hpp>
#include <MatmulForms.hpp>
#include <RandomRotation.hpp>

namespace KokkosKVTest {
namespace {

using namespace KokkosKV;

template <class ExecSpace>
class MatmulRotation : public testing::Test {
 protected:
  using memory_space = typename ExecSpace::memory_space;

  template <class T, class Real>
  void random_batches(std::uint64_t seed, std::size_t cases) {
    for_stored_shapes(seed, cases, [&]<class Shape>(std::uint64_t number) {
      random_batch<T, Real, Shape>(number);
    });
  }

 private:
  /// What a call makes: keys, keys and values, or these and queries.
  enum class Made { keys, keys_values, all };

  template <class T, class Real, class Shape>
  void random_batch(std::uint64_t seed) {
    HiddenBatch<T, Real, Shape, ExecSpace> batch(seed, 2);
    auto& stored           = batch.stored;
    auto& random           = batch.random;
    auto const made        = random.pick({Made::keys, Made::keys_values, Made::all});
    auto const drawn       = random_rotation(Shape::head_size, random);
    auto const query_heads = made == Made::all ? random.between(1, 3) : 0;
    auto const query_size  = Shape::head_size + random.template pick<std::size_t>({0, 0, 3});
    SCOPED_TRACE(batch.describe(seed) + ", " + drawn.describe() + ", " +
                 std::to_string(query_heads) + " query heads of " + std::to_string(query_size));

    auto const kv      = batch.row_size;
    auto const outputs = query_heads * query_size;
    auto const matrix  = batch.weight(outputs + (made == Made::keys ? 1 : 2) * kv);
    auto const ids     = drawn.positions(stored.test.batch, random);
    RopeFrequencies<memory_space> const frequencies(drawn.params);
    auto const product = [&](std::size_t first, std::size_t count) {
      return reference_product(batch.hidden, matrix, {}, first, count);
    };
    auto const rotated = [&](std::vector<Expected> const& values, std::size_t heads,
                             std::size_t head_size) {
      return reference_of(frequencies).template rotate<Real>(values, ids, heads, head_size);
    };
    auto const queries   = rotated(product(0, outputs), query_heads, query_size);
    auto const keys      = rotated(product(outputs, kv), Shape::num_heads, Shape::head_size);
    auto const values    = product(outputs + kv, made == Made::keys ? 0 : kv);
    auto const roundings = batch.roundings() + 6;

    auto const collection  = stored.test.collection();
    auto const key_cache   = collection.get_key_cache(stored.layer);
    auto const value_cache = collection.get_value_cache(stored.layer);
    auto const device      = to_device<memory_space>(ids);
    LinearWeights const weights{matrix.view()};
    GuardedQueries<Real, memory_space> const output(stored.rows(), query_heads, query_size, random);
    for (int const team_size : team_sizes<ExecSpace>()) {
      stored.test.reset();
      output.reset();
      drawn.call(device, random.chance(50), [&](auto const&... options) {
        auto const& exec  = stored.test.exec;
        auto const hidden = batch.hidden.view();
        if (made == Made::keys) {
          k_matmul(team_size, exec, batch.plan, key_cache, batch.offsets, hidden, weights,
                   frequencies, options...);
        } else if (made == Made::keys_values) {
          kv_matmul(team_size, exec, batch.plan, key_cache, value_cache, batch.offsets, hidden,
                    weights, options..., frequencies);
        } else {
          qkv_matmul(team_size, exec, batch.plan, key_cache, value_cache, batch.offsets, hidden,
                     weights, output.view(), frequencies, options...);
        }
      });
      stored.test.exec.fence();
      auto pool = stored.test.before;
      stored.expect_rows(pool, 0, keys, roundings);
      if (made != Made::keys) stored.expect_rows(pool, 1, values, batch.roundings());
      EXPECT_TRUE(stored.test.matches(pool)) << "team size " << team_size;
      EXPECT_TRUE(output.hold(queries, roundings)) << "team size " << team_size;
    }
  }
};
TYPED_TEST_SUITE(MatmulRotation, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(MatmulRotation, Float) { this->template random_batches<float, float>(700, 16); }
TYPED_TEST(MatmulRotation, Double) { this->template random_batches<double, double>(800, 8); }
TYPED_TEST(MatmulRotation, FloatIntoBf16) { this->template random_batches<bf16, float>(900, 8); }

}  // namespace
}  // namespace KokkosKVTest
