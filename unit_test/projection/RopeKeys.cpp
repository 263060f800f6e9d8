// Rotary embedding of keys in the cache against the formula, and nothing else in the pool touched.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <ExecutionSpaces.hpp>
#include <ProjectionForms.hpp>
#include <RopeReference.hpp>
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
    auto& random      = stored.test.random;
    auto const most   = Shape::head_size / 2;
    auto const pairs  = random.chance(50) ? most : static_cast<int>(random.between(1, most));
    auto const form   = random.pick({RopeForm::interleaved, RopeForm::half_split});
    bool const stated = random.chance(40);
    SCOPED_TRACE(stored.test.describe(seed) + ", pairs " + std::to_string(pairs) +
                 (stated ? ", position ids" : "") +
                 (form == RopeForm::interleaved ? ", interleaved" : ", half split"));

    auto positions = positions_of(stored.test.batch);
    if (stated) {
      for (auto& position : positions) {
        position = static_cast<std::uint32_t>(random.below((1u << 20) + 1));
      }
    }
    RopeFrequencies<memory_space> const frequencies({.rotary_dim = 2 * pairs, .form = form});
    ReferenceRope const reference{frequencies.inverse_frequencies(), form == RopeForm::interleaved};
    auto const expected =
        reference.rotate(stored.values, positions, Shape::num_heads, Shape::head_size);

    auto const collection = stored.test.collection();
    auto const cache      = stored.test.cache(collection, stored.kv, stored.layer);
    auto const offsets    = to_device<memory_space>(stored.offsets);
    auto const ids        = to_device<memory_space>(positions);
    for (int const team_size : team_sizes<ExecSpace>()) {
      stored.test.reset();
      auto const call = [&](auto const&... options) {
        rope_keys(team_size, stored.test.exec, frequencies, cache, stored.input_shape(), offsets,
                  options...);
      };
      bool const checked = random.chance(50);
      if (stated) {
        checked ? call(PositionIds{ids}) : call(PositionIds{ids}, unchecked);
      } else {
        checked ? call() : call(unchecked);
      }
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
