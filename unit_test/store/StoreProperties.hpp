// Stores, loads and page copies of random batches against the reference, bit for bit over the whole
// pool. One source file for each storage type instantiates these tests.
#ifndef KOKKOSKV_TEST_STOREPROPERTIES_HPP
#define KOKKOSKV_TEST_STOREPROPERTIES_HPP

#include <gtest/gtest.h>

#include <KokkosKV.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include <ExecutionSpaces.hpp>
#include <Forms.hpp>
#include <Placement.hpp>
#include <Scenario.hpp>
#include <support/Sanitized.hpp>

namespace KokkosKVTest {

/// \tparam T       storage type
/// \tparam Value   type of inputs and outputs
/// \tparam Shapes  std::tuple of StaticShape
/// \tparam Cases   random cases of each shape and test
template <class T, class Value, class ExecSpace, class Shapes, std::size_t Cases>
struct PropertyParameters {
  using storage_type    = T;
  using value_type      = Value;
  using execution_space = ExecSpace;
  using shapes          = TestedShapes<Shapes>;

  static constexpr std::size_t cases = Cases;
};

/// Each default execution space with otherwise equal parameters.
template <class T, class Value, class Shapes, std::size_t Cases, class... ExecSpaces>
testing::Types<PropertyParameters<T, Value, ExecSpaces, Shapes, Cases>...> on_each_space(
    testing::Types<ExecSpaces...>);
template <class T, class Value, class Shapes, std::size_t Cases>
using EachSpace = decltype(on_each_space<T, Value, Shapes, Cases>(DefaultSpaces{}));

struct SpaceName {
  template <class Parameters>
  static std::string GetName(int) {
    return Parameters::execution_space::name();
  }
};

template <class Parameters>
class StoreProperties : public testing::Test {
 protected:
  using execution_space = typename Parameters::execution_space;
  using memory_space    = typename execution_space::memory_space;
  using value_type      = typename Parameters::value_type;
  template <class Shape>
  using scenario_type =
      Scenario<typename Parameters::storage_type, value_type, Shape, execution_space>;

  /// Calls `property(shape, seed, case number)` for each case of each shape, up to the first
  /// failure.
  template <class Property>
  void for_all(std::uint64_t salt, Property const& property) {
    std::uint64_t seed      = salt << 32;
    auto const all_of_shape = [&]<class Shape>(Shape shape) {
      for (std::size_t number = 0; number < Parameters::cases && !HasFailure(); ++number) {
        property(shape, seed++, number);
      }
    };
    std::apply([&](auto... shapes) { (all_of_shape(shapes), ...); }, typename Parameters::shapes{});
  }

  /// Calls `call(team size, options…)` in every form, each on a fresh pool, and compares the pool.
  template <class Test, class Reference, class Call>
  static void expect_in_every_form(Test const& test, Reference const& expected, bool checked,
                                   Call const& call) {
    for (int const team_size : team_sizes<execution_space>()) {
      test.reset();
      EXPECT_NO_THROW(checked ? call(team_size) : call(team_size, KokkosKV::unchecked));
      test.exec.fence();
      EXPECT_TRUE(test.matches(expected))
          << (checked ? "checked" : "unchecked")
          << ", team size of the device form (0: public function) " << team_size;
    }
  }
};

TYPED_TEST_SUITE_P(StoreProperties);

TYPED_TEST_P(StoreProperties, StoreRagged) {
  using memory_space = typename TestFixture::memory_space;
  using value_type   = typename TestFixture::value_type;
  this->for_all(1, [&]<class Shape>(Shape, std::uint64_t seed, std::size_t number) {
    typename TestFixture::template scenario_type<Shape> test(seed);
    auto& random    = test.random;
    auto const kind = static_cast<InputKind>(number % num_input_kinds);
    SCOPED_TRACE(test.describe(seed) + ", " + name_of(kind));
    auto const kv = random.below(test.shape.kv_dim), layer = random.below(test.shape.num_layers);

    auto const offsets = offsets_of(test.batch.new_lengths);
    std::array<std::size_t, 3> const extents{offsets.back(), Shape::num_heads, Shape::head_size};
    auto const values = random_values<typename TypeParam::storage_type, value_type>(
        extents[0] * extents[1] * extents[2], random);
    auto expected = test.before;
    expected.store(test.batch, kv, layer, {offsets.begin(), offsets.end()}, values);

    auto const collection     = test.collection();
    auto const cache          = test.cache(collection, kv, layer);
    auto const device_offsets = to_device<memory_space>(offsets);
    bool const checked        = number / num_input_kinds % 2 == 0;
    with_input<memory_space>(kind, extents, values, random, [&](auto const& input) {
      this->expect_in_every_form(test, expected, checked, [&](int team_size, auto... options) {
        store_ragged(team_size, test.exec, cache, {extents[0], extents[1], extents[2]},
                     device_offsets, input, options...);
      });
    });
  });
}

TYPED_TEST_P(StoreProperties, StorePadded) {
  using memory_space = typename TestFixture::memory_space;
  using value_type   = typename TestFixture::value_type;
  this->for_all(2, [&]<class Shape>(Shape, std::uint64_t seed, std::size_t number) {
    typename TestFixture::template scenario_type<Shape> test(seed);
    auto& random    = test.random;
    auto const kind = static_cast<InputKind>(number % num_input_kinds);
    SCOPED_TRACE(test.describe(seed) + ", " + name_of(kind));
    auto const kv = random.below(test.shape.kv_dim), layer = random.below(test.shape.num_layers);

    auto const& lengths = test.batch.new_lengths;
    std::array<std::size_t, 4> const extents{lengths.size(), longest(lengths) + random.below(3),
                                             Shape::num_heads, Shape::head_size};
    auto const row_size = extents[2] * extents[3];
    auto values         = random_values<typename TypeParam::storage_type, value_type>(
        extents[0] * extents[1] * row_size, random);
    // Rows behind the valid length are not to be read.
    std::vector<std::uint64_t> first_rows;
    for (std::size_t sequence = 0; sequence < lengths.size(); ++sequence) {
      first_rows.push_back(sequence * extents[1]);
      for (auto at = (sequence * extents[1] + lengths[sequence]) * row_size;
           at < (sequence + 1) * extents[1] * row_size; ++at) {
        values[at] = poison<value_type>();
      }
    }
    auto expected = test.before;
    expected.store(test.batch, kv, layer, first_rows, values);

    auto const collection     = test.collection();
    auto const cache          = test.cache(collection, kv, layer);
    auto const device_lengths = to_device<memory_space>(lengths);
    bool const checked        = number / num_input_kinds % 2 == 0;
    with_input<memory_space>(kind, extents, values, random, [&](auto const& input) {
      this->expect_in_every_form(test, expected, checked, [&](int team_size, auto... options) {
        store_padded(team_size, test.exec, cache, {extents[0], extents[1], extents[2], extents[3]},
                     device_lengths, input, options...);
      });
    });
  });
}

TYPED_TEST_P(StoreProperties, StoreKeysAndValues) {
  using memory_space = typename TestFixture::memory_space;
  using storage_type = typename TypeParam::storage_type;
  using value_type   = typename TestFixture::value_type;
  this->for_all(3, [&]<class Shape>(Shape, std::uint64_t seed, std::size_t number) {
    typename TestFixture::template scenario_type<Shape> test(seed, 2);
    auto& random = test.random;
    // Two functors, two Views of one layout, or two Views of different layouts.
    bool const functors   = number % 4 == 3;
    auto const key_kind   = functors ? InputKind::elements : InputKind::layout_right;
    auto const value_kind = functors          ? InputKind::vectors
                            : number % 4 == 2 ? InputKind::strided
                                              : InputKind::layout_right;
    SCOPED_TRACE(test.describe(seed) + ", keys: " + name_of(key_kind) +
                 ", values: " + name_of(value_kind));
    auto const layer = random.below(test.shape.num_layers);

    auto const offsets = offsets_of(test.batch.new_lengths);
    std::array<std::size_t, 3> const extents{offsets.back(), Shape::num_heads, Shape::head_size};
    auto const count  = extents[0] * extents[1] * extents[2];
    auto const keys   = random_values<storage_type, value_type>(count, random);
    auto const values = random_values<storage_type, value_type>(count, random);
    auto expected     = test.before;
    expected.store(test.batch, 0, layer, {offsets.begin(), offsets.end()}, keys);
    expected.store(test.batch, 1, layer, {offsets.begin(), offsets.end()}, values);

    auto const collection     = test.collection();
    auto const key_cache      = test.cache(collection, 0, layer);
    auto const value_cache    = test.cache(collection, 1, layer);
    auto const device_offsets = to_device<memory_space>(offsets);
    bool const checked        = number / 4 % 2 == 0;
    with_input<memory_space>(key_kind, extents, keys, random, [&](auto const& key_input) {
      with_input<memory_space>(value_kind, extents, values, random, [&](auto const& value_input) {
        using key_type   = std::remove_cvref_t<decltype(key_input)>;
        using input_type = std::remove_cvref_t<decltype(value_input)>;
        if constexpr (Kokkos::is_view_v<key_type> == Kokkos::is_view_v<input_type>) {
          this->expect_in_every_form(test, expected, checked, [&](int team_size, auto... options) {
            store_key_value(team_size, test.exec, key_cache, value_cache,
                            {extents[0], extents[1], extents[2]}, device_offsets, key_input,
                            value_input, options...);
          });
        }
      });
    });
  });
}

TYPED_TEST_P(StoreProperties, LoadRagged) {
  using memory_space = typename TestFixture::memory_space;
  using value_type   = typename TestFixture::value_type;
  this->for_all(4, [&]<class Shape>(Shape, std::uint64_t seed, std::size_t number) {
    typename TestFixture::template scenario_type<Shape> test(seed);
    auto& random    = test.random;
    auto const kind = static_cast<InputKind>(number % num_view_kinds);
    SCOPED_TRACE(test.describe(seed) + ", " + name_of(kind));
    auto const kv = random.below(test.shape.kv_dim), layer = random.below(test.shape.num_layers);

    // Any range of the tokens that the sequence has pages for.
    std::vector<std::uint32_t> first_tokens, lengths;
    for (std::size_t sequence = 0; sequence < test.batch.size(); ++sequence) {
      auto const tokens = test.batch.cache_lengths[sequence] + test.batch.new_lengths[sequence];
      auto const first  = static_cast<std::uint32_t>(random.between(0, tokens));
      first_tokens.push_back(first);
      lengths.push_back(static_cast<std::uint32_t>(random.between(0, tokens - first)));
    }
    auto const offsets = offsets_of(lengths);
    std::array<std::size_t, 3> const extents{offsets.back(), Shape::num_heads, Shape::head_size};
    auto const values =
        test.before.template load<value_type>(test.batch, kv, layer, first_tokens, lengths);

    auto const collection     = test.collection();
    auto const cache          = test.cache(collection, kv, layer);
    auto const device_firsts  = to_device<memory_space>(first_tokens);
    auto const device_offsets = to_device<memory_space>(offsets);
    bool const checked        = number / num_view_kinds % 2 == 0;
    auto const place          = Placement<3>::make(kind, extents, sizeof(value_type), random);
    auto const before         = std::vector<value_type>(place.size, poison<value_type>());
    auto const after          = place.spread(values, poison<value_type>());
    auto const array          = to_device<memory_space>(before);
    place.with_view(array, [&](auto const& output) {
      this->expect_in_every_form(test, test.before, checked, [&](int team_size, auto... options) {
        copy_to_device(array, before);
        load_ragged(team_size, test.exec, cache, device_firsts, device_offsets, output, options...);
        test.exec.fence();
        EXPECT_TRUE(same_bits(to_host(array), after, [](std::size_t) { return "output"; }))
            << (checked ? "checked" : "unchecked")
            << ", team size of the device form (0: public function) " << team_size;
      });
    });
  });
}

TYPED_TEST_P(StoreProperties, CopyPages) {
  using memory_space = typename TestFixture::memory_space;
  this->for_all(5, [&]<class Shape>(Shape, std::uint64_t seed, std::size_t number) {
    typename TestFixture::template scenario_type<Shape> test(seed);
    auto& random = test.random;
    SCOPED_TRACE(test.describe(seed));

    // Destinations are the first pages of a shuffled list, sources any of the others.
    auto const pages = shuffled_pages(test.shape.num_blocks, random);
    auto const count = random.below(pages.size());
    std::vector<std::uint32_t> sources, destinations;
    auto expected = test.before;
    for (std::size_t pair = 0; pair < count; ++pair) {
      destinations.push_back(pages[pair]);
      sources.push_back(pages[random.between(count, pages.size() - 1)]);
      expected.copy_page(sources[pair], destinations[pair]);
    }

    auto const collection          = test.collection();
    auto const device_sources      = to_device<memory_space>(sources);
    auto const device_destinations = to_device<memory_space>(destinations);
    this->expect_in_every_form(test, expected, number % 2 == 0,
                               [&](int team_size, auto... options) {
                                 copy_pages(team_size, test.exec, collection, device_sources,
                                            device_destinations, options...);
                               });
  });
}

REGISTER_TYPED_TEST_SUITE_P(StoreProperties, StoreRagged, StorePadded, StoreKeysAndValues,
                            LoadRagged, CopyPages);

}  // namespace KokkosKVTest

#endif
