// Rotary embedding of the queries of random batches against the formula.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <ExecutionSpaces.hpp>
#include <PlacedRows.hpp>
#include <Placement.hpp>
#include <ProjectionForms.hpp>
#include <RandomRotation.hpp>
#include <Scenario.hpp>

namespace KokkosKVTest {
namespace {

using namespace KokkosKV;

/// Head sizes and rotated elements: vectors of devices and hosts, of devices only, of none; parts
/// of a head.
struct HeadShape {
  std::size_t head_size;
  int rotary_dim;
};

template <class ExecSpace>
class RopeQueries : public testing::Test {
 protected:
  using memory_space = typename ExecSpace::memory_space;

  template <class T>
  void random_batches(std::uint64_t seed, std::size_t cases) {
    for (std::size_t number = 0; number < cases && !HasFailure(); ++number, ++seed) {
      switch (number % 3) {
        case 0:
          random_batch<T, StaticShape<1, 1, 2>>(seed, number);
          break;
        case 1:
          random_batch<T, StaticShape<5, 3, 7>>(seed, number);
          break;
        default:
          random_batch<T, StaticShape<16, 2, 8>>(seed, number);
      }
    }
  }

 private:
  template <class T, class Shape>
  void random_batch(std::uint64_t seed, std::size_t number) {
    Scenario<float, float, Shape, ExecSpace> const test(seed);
    auto random      = test.random;
    auto const shape = random.template pick<HeadShape>(
        {{128, 128}, {64, 64}, {64, 32}, {80, 80}, {7, 6}, {9, 2}, {2, 2}, {24, 20}, {96, 24}});
    auto const heads = random.template pick<std::size_t>({1, 3, 8});
    auto const kind  = static_cast<InputKind>(random.below(num_view_kinds));
    auto const form  = number / 3 % 2 == 0 ? RopeForm::interleaved : RopeForm::half_split;
    RandomRotation const drawn{.params  = {.rotary_dim = shape.rotary_dim,
                                           .theta      = 500000,
                                           .form       = form,
                                           .scaling    = YarnRope{.factor = 2}},
                               .has_ids = random.chance(40)};
    SCOPED_TRACE(test.describe(seed) + ", " + name_of(kind) + ", heads " + std::to_string(heads) +
                 " of " + std::to_string(shape.head_size) + ", " + drawn.describe());

    auto const offsets   = offsets_of(test.batch.new_lengths);
    auto const positions = drawn.positions(test.batch, random);
    std::array<std::size_t, 3> const extents{positions.size(), heads, shape.head_size};
    auto const values = moderate_numbers<T>(extents[0] * heads * shape.head_size, random);
    auto const place  = Placement<3>::make(kind, extents, sizeof(T), random);
    auto const before = place.spread(values, poison<T>());
    auto const array  = to_device<memory_space>(before);

    RopeFrequencies<memory_space> const frequencies(drawn.params);
    auto const expected =
        reference_of(frequencies).rotate(values, positions, heads, shape.head_size);
    auto const ids        = to_device<memory_space>(positions);
    auto const collection = test.collection();
    auto const cache      = collection.get_key_cache(0);
    auto const on_device  = to_device<memory_space>(offsets);
    place.with_view(array, [&](auto const& queries) {
      for (int const team_size : team_sizes<ExecSpace>()) {
        copy_to_device(array, before);
        drawn.call(ids, random.chance(50), [&](auto const&... options) {
          rope_queries(team_size, test.exec, frequencies, cache, on_device, queries, options...);
        });
        test.exec.fence();
        auto const after = to_host(array);
        auto const found = collect(place, after);
        EXPECT_TRUE(near(found, expected, 6)) << "team size " << team_size;
        // What is not rotated keeps its bits, gaps included.
        auto kept = values;
        for (std::size_t i = 0; i < kept.size(); ++i) {
          if (i % shape.head_size < static_cast<std::size_t>(shape.rotary_dim)) kept[i] = found[i];
        }
        EXPECT_TRUE(same_bits(after, place.spread(kept, poison<T>()), [&](std::size_t index) {
          return "element " + std::to_string(index) + " of the array";
        }));
      }
    });
  }
};
TYPED_TEST_SUITE(RopeQueries, DefaultSpaces, ExecutionSpaceName);

TYPED_TEST(RopeQueries, RandomBatchesOfFloat) { this->template random_batches<float>(1000, 90); }
TYPED_TEST(RopeQueries, RandomBatchesOfDouble) { this->template random_batches<double>(2000, 60); }
TYPED_TEST(RopeQueries, RandomBatchesOfHalf) { this->template random_batches<half>(3000, 60); }
TYPED_TEST(RopeQueries, RandomBatchesOfBf16) { this->template random_batches<bf16>(4000, 60); }

}  // namespace
}  // namespace KokkosKVTest
