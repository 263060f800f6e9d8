// Random batches whose new rows hold numbers, in the cache of a layer amid arbitrary bits.
#ifndef KOKKOSKV_TEST_PROJECTION_STOREDROWS_HPP
#define KOKKOSKV_TEST_PROJECTION_STOREDROWS_HPP

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <KokkosKV.hpp>
#include <Numbers.hpp>
#include <Scenario.hpp>
#include <reference/Arrays.hpp>
#include <reference/Reference.hpp>
#include <support/Sanitized.hpp>

namespace KokkosKVTest {

template <class T, class Shape, class ExecSpace>
class StoredRows {
 public:
  using memory_space = typename ExecSpace::memory_space;

  Scenario<T, T, Shape, ExecSpace> test;
  std::uint64_t kv;
  std::uint64_t layer;
  std::vector<std::uint32_t> offsets;
  std::vector<T> values;  ///< `[rows, heads, head_size]`

  explicit StoredRows(std::uint64_t seed, std::uint64_t min_kv_dim = 1)
      : test(seed, min_kv_dim),
        kv(test.random.below(test.shape.kv_dim)),
        layer(test.random.below(test.shape.num_layers)),
        offsets(offsets_of(test.batch.new_lengths)),
        values(put(kv)) {}

  std::size_t rows() const { return offsets.back(); }
  KokkosKV::RaggedShape input_shape() const { return {rows(), Shape::num_heads, Shape::head_size}; }

  /// Gives the new rows of keys (0) or values (1) numbers.
  std::vector<T> put(std::uint64_t which) {
    auto const numbers = moderate_numbers<T>(rows() * row_size, test.random);
    test.before.store(test.batch, which, layer, first_rows(), numbers);
    return numbers;
  }

  /// The rows of the cache are as expected, but for those without a page, and nothing else changed.
  /// `pool` is what the pool was; takes over the rows that were found.
  void expect_rows(ReferencePool<T>& pool, std::uint64_t which, std::vector<Expected> expected,
                   double roundings) const {
    for (std::size_t sequence = 0; sequence < test.batch.size(); ++sequence) {
      for (std::uint32_t row = 0; row < test.batch.new_lengths[sequence]; ++row) {
        auto const token = test.batch.cache_lengths[sequence] + row;
        if (test.batch.page(sequence, token, Shape::page_size) != no_page) continue;
        auto const first = (offsets[sequence] + row) * row_size;
        for (std::size_t i = 0; i < row_size; ++i) expected[first + i] = {0, 0};
      }
    }
    Kokkos::View<T***, Kokkos::LayoutRight, memory_space> const loaded(
        "loaded", rows(), std::size_t(Shape::num_heads), std::size_t(Shape::head_size));
    auto const collection = test.collection();
    KokkosKV::kv_cache_load_ragged(test.exec, test.cache(collection, which, layer),
                                   to_device<memory_space>(test.batch.cache_lengths),
                                   to_device<memory_space>(offsets), loaded);
    test.exec.fence();
    auto const found = to_host(Kokkos::View<T*, memory_space>(loaded.data(), rows() * row_size));
    EXPECT_TRUE(near(found, expected, roundings));
    pool.store(test.batch, which, layer, first_rows(), found);
  }

  static constexpr std::size_t row_size = std::size_t(Shape::num_heads) * Shape::head_size;

 private:
  std::vector<std::uint64_t> first_rows() const { return {offsets.begin(), offsets.end()}; }
};

/// Page sizes 1, 5, 16 with heads of whole vectors, of parts, and odd ones.
using StoredShapes =
    TestedShapes<std::tuple<StaticShape<5, 3, 7>, StaticShape<1, 2, 64>, StaticShape<16, 1, 80>,
                            StaticShape<16, 8, 128>, StaticShape<5, 1, 2>>>;

/// Calls `check.template operator()<Shape>(seed)` for each shape.
template <class Check>
void for_stored_shapes(std::uint64_t seed, std::size_t cases, Check const& check) {
  auto const all_of_shape = [&]<class Shape>(Shape) {
    for (std::size_t number = 0; number < cases && !testing::Test::HasFailure(); ++number) {
      check.template operator()<Shape>(seed++);
    }
  };
  std::apply([&](auto... shapes) { (all_of_shape(shapes), ...); }, StoredShapes{});
}

}  // namespace KokkosKVTest

#endif
