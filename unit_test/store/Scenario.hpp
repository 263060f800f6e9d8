// A random pool with a random batch, on the device and for the reference.
#ifndef KOKKOSKV_TEST_SCENARIO_HPP
#define KOKKOSKV_TEST_SCENARIO_HPP

#include <gtest/gtest.h>

#include <KokkosKV.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <RandomBatch.hpp>
#include <reference/Arrays.hpp>
#include <reference/Random.hpp>
#include <reference/Reference.hpp>
#include <reference/Rounding.hpp>

namespace KokkosKVTest {

/// What is fixed at compile time.
template <int PageSize, int NumHeads, int HeadSize>
struct StaticShape {
  static constexpr int page_size = PageSize;
  static constexpr int num_heads = NumHeads;
  static constexpr int head_size = HeadSize;
};

/// Numbers that are hard to round, made once: conversions by definition are slow.
template <class T>
std::vector<T> const& hard_numbers() {
  static std::vector<T> const numbers = [] {
    Random random(16);
    std::vector<T> result(10000);
    for (auto& number : result) number = reference_convert<T>(hard_to_round<double>(random));
    return result;
  }();
  return numbers;
}

/// Any bits where types agree; numbers that are hard to round where they do not.
template <class To, class From>
std::vector<From> random_values(std::size_t count, Random& random) {
  if constexpr (std::is_same_v<To, From>) {
    return random_bits<From>(count, random);
  } else {
    auto const& numbers = hard_numbers<From>();
    std::vector<From> result(count);
    for (auto& value : result) value = numbers[random.below(numbers.size())];
    return result;
  }
}

/// \tparam T      storage type
/// \tparam Value  type of inputs and outputs
template <class T, class Value, class Shape, class ExecSpace>
class Scenario {
 public:
  using memory_space = typename ExecSpace::memory_space;
  using numbers_type = Kokkos::View<std::uint32_t*, memory_space>;

  Random random;
  PoolShape shape;
  Batch batch;
  ReferencePool<T> before;
  ExecSpace exec;

  /// A random pool and batch.
  explicit Scenario(std::uint64_t seed, std::uint64_t min_kv_dim = 1)
      : Scenario(draw(Random(seed), min_kv_dim)) {}

  Scenario(Random const& numbers, PoolShape const& pool_shape, Batch const& new_tokens)
      : random(numbers),
        shape(pool_shape),
        batch(new_tokens),
        before{shape, random_values<Value, T>(shape.array_size(), random)},
        m_array(to_device<memory_space>(before.array)),
        m_cache_lengths(to_device<memory_space>(batch.cache_lengths)),
        m_table(to_device<memory_space>(batch.table)),
        m_max_prompt(longest(batch.new_lengths) + static_cast<std::uint32_t>(random.below(3))),
        m_max_cache(longest(batch.cache_lengths) + static_cast<std::uint32_t>(random.below(3))) {}

  /// Collection over the pool, with any further options.
  template <class... Options>
  auto collection(Options const&... options) const {
    auto const blocks =
        KokkosKV::padded_blocks<T, Shape::page_size, Shape::num_heads, Shape::head_size,
                                memory_space>(m_array.data() + shape.margin, shape.num_blocks,
                                              shape.kv_dim, shape.num_layers, shape.pitch());
    return KokkosKV::generic_get_paged_cache(blocks, m_cache_lengths, table_view(m_table),
                                             m_max_prompt, m_max_cache, options...);
  }

  auto table_view(numbers_type const& entries) const {
    return Kokkos::View<std::uint32_t const**, Kokkos::LayoutStride, memory_space>(
        entries.data(), Kokkos::LayoutStride(batch.size(), batch.row_pitch, batch.max_pages, 1));
  }

  /// Keys or values of a layer.
  template <class Collection>
  auto cache(Collection const& from, std::uint64_t kv, std::uint64_t layer) const {
    return kv == 0 ? from.get_key_cache(layer) : from.get_value_cache(layer);
  }

  void reset() const { copy_to_device(m_array, before.array); }

  /// Compares all of the array: every page, layer, key, value, padding and margin.
  testing::AssertionResult matches(ReferencePool<T> const& expected) const {
    return same_bits(to_host(m_array), expected.array,
                     [this](std::size_t index) { return shape.describe(index); });
  }

  /// For SCOPED_TRACE.
  std::string describe(std::uint64_t seed) const {
    std::ostringstream text;
    text << "seed " << seed << ", " << shape << ", max_pages " << batch.max_pages << ", cached";
    for (auto const length : batch.cache_lengths) text << ' ' << length;
    text << ", new";
    for (auto const length : batch.new_lengths) text << ' ' << length;
    return text.str();
  }

 private:
  static Scenario draw(Random numbers, std::uint64_t min_kv_dim) {
    PoolShape result{0,
                     numbers.between(min_kv_dim, 2),
                     numbers.between(1, 3),
                     Shape::page_size,
                     Shape::num_heads,
                     Shape::head_size,
                     random_gap(sizeof(T), numbers),
                     random_gap(sizeof(T), numbers)};
    auto const drawn = random_batch(result, numbers);
    return {numbers, result, drawn};
  }

  Kokkos::View<T*, memory_space> m_array;
  numbers_type m_cache_lengths;
  numbers_type m_table;
  std::uint32_t m_max_prompt;
  std::uint32_t m_max_cache;
};

}  // namespace KokkosKVTest

#endif
