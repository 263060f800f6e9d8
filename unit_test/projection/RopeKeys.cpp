// Rotary embedding of keys in the cache against the formula, and nothing else in the pool touched.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include <ExecutionSpaces.hpp>
#include <ProjectionForms.hpp>
#include <RandomRotation.hpp>
#include <StoredRows.hpp>

namespace KokkosKVTest {
namespace {

using namespace KokkosKV;

template <class ExecSpace>
class RopeKeys : public testing::Test {
 protected:
  using memory_space = typename ExecSpace::memory_space;

  template <class T>
  void random_batches(std::uint64_t seed, std::size_t cases) {
    for_stored_shapes(seed, cases,
                      [&]<class Shape>(std::uint64_t number) { random_batch<T, Shape>(number); });
  }

 private:
  template <class T, class Shape>
  void random_batch(std::uint64_t seed) {
    StoredRows<T, Shape, ExecSpace> stored(seed);
    auto& random        = stored.test.random;
    auto const drawn    = random_rotation(Shape::head_size, random);
    auto const position = drawn.positions(stored.test.batch, random);
    SCOPED_TRACE(stored.test.describe(seed) + ", " + drawn.describe());

    RopeFrequencies<memory_space> const frequencies(drawn.params);
    auto const expected = reference_of(frequencies)
                              .rotate(stored.values, position, Shape::num_heads, Shape::head_size);

    auto const collection = stored.test.collection();
    auto const cache      = stored.test.cache(collection, stored.kv, stored.layer);
    auto const offsets    = to_device<memory_space>(stored.offsets);
    auto const ids        = to_device<memory_space>(position);
    for (int const team_size : team_sizes<ExecSpace>()) {
      stored.test.reset();
      drawn.call(ids, random.chance(50), [&](auto const&... options) {
        rope_keys(team_size, stored.test.exec, frequencies, cache, stored.input_shape(), offsets,
                  options...);
      });
      stored.test.exec.fence();
      auto pool = stored.test.before;
      stored.expect_rows(pool, stored.kv, expected, 6);
      EXPECT_TRUE(stored.test.matches(pool)) << "team size " << team_size;
    }
  }
};
TYPED_TEST_SUITE(RopeKeys, DefaultSpaces, ExecutionSpaceName);

TYPED_TEST(RopeKeys, RandomBatchesOfFloat) { this->template random_batches<float>(5000, 25); }
TYPED_TEST(RopeKeys, RandomBatchesOfDouble) { this->template random_batches<double>(6000, 15); }
TYPED_TEST(RopeKeys, RandomBatchesOfHalf) { this->template random_batches<half>(7000, 15); }
TYPED_TEST(RopeKeys, RandomBatchesOfBf16) { this->template random_batches<bf16>(8000, 15); }

}  // namespace
}  // namespace KokkosKVTest
