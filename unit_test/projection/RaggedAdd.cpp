// Additions onto the rows of some sequences against plain sums, and nothing else touched.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <ExecutionSpaces.hpp>
#include <Placement.hpp>
#include <ProjectionForms.hpp>
#include <StoredRows.hpp>

namespace KokkosKVTest {
namespace {

using namespace KokkosKV;

/// The part of a batch that is added to, and what the rows become.
template <class T, class Value, class Shape, class ExecSpace>
struct AddedRows {
  using stored_type = StoredRows<T, Shape, ExecSpace>;

  SequenceRange sequences;
  std::vector<std::uint32_t> offsets;  ///< of the range
  std::array<std::size_t, 3> extents;

  explicit AddedRows(stored_type& stored) {
    auto& random    = stored.test.random;
    auto const size = stored.test.batch.size();
    sequences.first = random.between(0, size);
    sequences.count = random.between(0, size - sequences.first);
    if (random.chance(30)) sequences = {0, size};
    for (std::size_t b = 0; b <= sequences.count; ++b) {
      offsets.push_back(stored.offsets[sequences.first + b] - stored.offsets[sequences.first]);
    }
    extents = {offsets.back(), Shape::num_heads, Shape::head_size};
  }

  std::vector<Value> input(Random& random) const {
    return moderate_numbers<Value>(extents[0] * stored_type::row_size, random);
  }

  std::vector<Expected> sums(stored_type const& stored, std::vector<T> const& values,
                             std::vector<Value> const& added) const {
    std::vector<Expected> result;
    for (auto const& value : values) result.push_back({exact_value(value), 0});
    auto const first = stored.offsets[sequences.first] * stored_type::row_size;
    for (std::size_t i = 0; i < added.size(); ++i) {
      auto& sum         = result[first + i];
      auto const number = exact_value(added[i]);
      // The sum may cancel, but the numbers are exact: one rounding in float, one to T.
      sum = {sum.value + number, std::fabs(sum.value + number)};
    }
    return result;
  }
};

template <class ExecSpace>
class RaggedAdd : public testing::Test {
 protected:
  using memory_space = typename ExecSpace::memory_space;

  template <class T, class Value>
  void random_batches(std::uint64_t seed, std::size_t cases) {
    for_stored_shapes(seed, cases, [&]<class Shape>(std::uint64_t number) {
      StoredRows<T, Shape, ExecSpace> stored(number);
      AddedRows<T, Value, Shape, ExecSpace> const added(stored);
      auto& random    = stored.test.random;
      auto const kind = static_cast<InputKind>(random.below(num_view_kinds));
      SCOPED_TRACE(stored.test.describe(number) + ", from sequence " +
                   std::to_string(added.sequences.first) + " " +
                   std::to_string(added.sequences.count) + ", " + name_of(kind));
      auto const input      = added.input(random);
      auto const expected   = added.sums(stored, stored.values, input);
      auto const collection = stored.test.collection();
      auto const cache      = stored.test.cache(collection, stored.kv, stored.layer);
      auto const offsets    = to_device<memory_space>(added.offsets);
      with_input<memory_space>(kind, added.extents, input, random, [&](auto const& view) {
        if constexpr (Kokkos::is_view_v<std::remove_cvref_t<decltype(view)>>) {
          for (int const team_size : team_sizes<ExecSpace>()) {
            stored.test.reset();
            auto const call = [&](auto... options) {
              add_rows(team_size, stored.test.exec, cache, added.sequences, offsets, view,
                       options...);
            };
            random.chance(50) ? call() : call(unchecked);
            stored.test.exec.fence();
            auto pool = stored.test.before;
            stored.expect_rows(pool, stored.kv, expected, 1.01);
            EXPECT_TRUE(stored.test.matches(pool)) << "team size " << team_size;
          }
        }
      });
    });
  }

  template <class T, class Value>
  void keys_and_values(std::uint64_t seed, std::size_t cases) {
    for_stored_shapes(seed, cases, [&]<class Shape>(std::uint64_t number) {
      StoredRows<T, Shape, ExecSpace> stored(number, 2);
      auto const key_rows   = stored.put(0);
      auto const value_rows = stored.put(1);
      AddedRows<T, Value, Shape, ExecSpace> const added(stored);
      auto& random = stored.test.random;
      SCOPED_TRACE(stored.test.describe(number) + ", from sequence " +
                   std::to_string(added.sequences.first) + " " +
                   std::to_string(added.sequences.count));
      auto const keys       = added.input(random);
      auto const values     = added.input(random);
      auto const collection = stored.test.collection();
      auto const offsets    = to_device<memory_space>(added.offsets);
      auto const view_of    = [&](auto const& array) {
        return Kokkos::View<Value const***, Kokkos::LayoutRight, memory_space>(
            array.data(), added.extents[0], added.extents[1], added.extents[2]);
      };
      auto const key_array   = to_device<memory_space>(keys);
      auto const value_array = to_device<memory_space>(values);
      for (int const team_size : team_sizes<ExecSpace>()) {
        stored.test.reset();
        auto const call = [&](auto... options) {
          add_key_value(team_size, stored.test.exec, collection.get_key_cache(stored.layer),
                        collection.get_value_cache(stored.layer), added.sequences, offsets,
                        view_of(key_array), view_of(value_array), options...);
        };
        random.chance(50) ? call() : call(unchecked);
        stored.test.exec.fence();
        auto pool = stored.test.before;
        stored.expect_rows(pool, 0, added.sums(stored, key_rows, keys), 1.01);
        stored.expect_rows(pool, 1, added.sums(stored, value_rows, values), 1.01);
        EXPECT_TRUE(stored.test.matches(pool)) << "team size " << team_size;
      }
    });
  }
};
TYPED_TEST_SUITE(RaggedAdd, DefaultSpaces, ExecutionSpaceName);

TYPED_TEST(RaggedAdd, FloatToFloat) { this->template random_batches<float, float>(100, 20); }
TYPED_TEST(RaggedAdd, DoubleToDouble) { this->template random_batches<double, double>(200, 10); }
TYPED_TEST(RaggedAdd, FloatToHalf) { this->template random_batches<half, float>(300, 10); }
TYPED_TEST(RaggedAdd, Bf16ToBf16) { this->template random_batches<bf16, bf16>(400, 10); }
TYPED_TEST(RaggedAdd, KeysAndValuesOfFloat) {
  this->template keys_and_values<float, float>(500, 15);
}
TYPED_TEST(RaggedAdd, KeysAndValuesOfBf16) { this->template keys_and_values<bf16, float>(600, 10); }

}  // namespace
}  // namespace KokkosKVTest
