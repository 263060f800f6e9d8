// Keys that are rotated on their way into the cache, from inputs of every kind, against the
// formula; nothing else in the pool touched.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <ExecutionSpaces.hpp>
#include <Placement.hpp>
#include <ProjectionForms.hpp>
#include <RandomRotation.hpp>
#include <StoredRows.hpp>

namespace KokkosKVTest {
namespace {

using namespace KokkosKV;

template <class ExecSpace>
class RopeStore : public testing::Test {
 protected:
  using memory_space = typename ExecSpace::memory_space;

  /// \tparam T      storage type
  /// \tparam Value  type of the input
  template <class T, class Value>
  void random_batches(std::uint64_t seed, std::size_t cases) {
    for_stored_shapes(seed, cases, [&]<class Shape>(std::uint64_t number) {
      random_batch<T, Value, Shape>(number);
    });
  }

 private:
  template <class T, class Value, class Shape>
  void random_batch(std::uint64_t seed) {
    StoredRows<T, Shape, ExecSpace> stored(seed);
    auto& random       = stored.test.random;
    auto const kind    = static_cast<InputKind>(random.below(num_input_kinds));
    auto const drawn   = random_rotation(Shape::head_size, random);
    auto const ids     = drawn.positions(stored.test.batch, random);
    auto const values  = moderate_numbers<Value>(stored.values.size(), random);
    auto const device  = to_device<memory_space>(ids);
    auto const offsets = to_device<memory_space>(stored.offsets);
    SCOPED_TRACE(stored.test.describe(seed) + ", " + name_of(kind) + ", " + drawn.describe());

    RopeFrequencies<memory_space> const frequencies(drawn.params);
    auto const expected =
        reference_of(frequencies).rotate(values, ids, Shape::num_heads, Shape::head_size);
    std::array<std::size_t, 3> const extents{stored.rows(), Shape::num_heads, Shape::head_size};
    auto const collection = stored.test.collection();
    auto const cache      = stored.test.cache(collection, stored.kv, stored.layer);
    with_input<memory_space>(kind, extents, values, random, [&](auto const& keys) {
      for (int const team_size : team_sizes<ExecSpace>()) {
        stored.test.reset();
        drawn.call(device, random.chance(50), [&](auto const&... options) {
          rope_store(team_size, stored.test.exec, frequencies, cache, stored.input_shape(), offsets,
                     keys, options...);
        });
        stored.test.exec.fence();
        auto pool = stored.test.before;
        stored.expect_rows(pool, stored.kv, expected, 6);
        EXPECT_TRUE(stored.test.matches(pool)) << "team size " << team_size;
      }
    });
  }
};
TYPED_TEST_SUITE(RopeStore, DefaultSpaces, ExecutionSpaceName);

TYPED_TEST(RopeStore, FloatIntoFloat) { this->template random_batches<float, float>(9000, 25); }
TYPED_TEST(RopeStore, DoubleIntoDouble) {
  this->template random_batches<double, double>(10000, 15);
}
TYPED_TEST(RopeStore, HalfIntoHalf) { this->template random_batches<half, half>(11000, 15); }
TYPED_TEST(RopeStore, FloatIntoBf16) { this->template random_batches<bf16, float>(12000, 25); }
TYPED_TEST(RopeStore, Bf16IntoFloat) { this->template random_batches<float, bf16>(13000, 15); }
TYPED_TEST(RopeStore, DoubleIntoFloat) { this->template random_batches<float, double>(14000, 15); }

}  // namespace
}  // namespace KokkosKVTest
