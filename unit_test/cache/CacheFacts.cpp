// Known addresses: what kernels read and write through a cache's handle.
#include <gtest/gtest.h>

#include <KokkosKV.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <ExecutionSpaces.hpp>
#include <reference/Arrays.hpp>
#include <reference/LayerFact.hpp>

namespace KokkosKVTest {

template <class ExecSpace>
class CacheFacts : public testing::Test {};
TYPED_TEST_SUITE(CacheFacts, ExecutionSpaces, ExecutionSpaceName);

/// Reads one element in the ways that the handle offers.
template <class Cache, class Output>
struct ReadElement {
  Cache cache;
  Output output;

  KOKKOS_FUNCTION void operator()(int) const {
    // Block 1 is the second page of the sequence: its slot 0 holds token 2.
    output(0) = cache(1, 0, 1, 2);
    output(1) = cache.template load<1>(0, 1, 2, 2)[0];
    output(2) = cache.template load<4>(0, 1, 2, 0)[2];
    output(3) = cache.row(1, 0, 1)[2];
  }
};

TYPED_TEST(CacheFacts, ElementsOfAFilledPoolReadTheirFlatIndex) {
  using memory_space = typename TypeParam::memory_space;
  std::vector<float> values(4 * 2 * 3 * 2 * 2 * 4);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  auto const array = to_device<memory_space>(values);
  Kokkos::View<float*** [2][2][4], Kokkos::LayoutRight, memory_space> const blocks(array.data(), 4,
                                                                                   2, 3);

  auto const table = to_device<memory_space>(std::vector<std::uint32_t>{3, 1});
  Kokkos::View<std::uint32_t const**, Kokkos::LayoutRight, memory_space> const table_view(
      table.data(), 1, 2);
  auto const lengths = to_device<memory_space>(std::vector<std::uint32_t>{4});
  auto const cache =
      KokkosKV::generic_get_paged_cache(blocks, lengths, table_view, 0, 4).get_key_cache(1);
  Kokkos::View<float*, memory_space> const output("output", 4);
  Kokkos::parallel_for(Kokkos::RangePolicy<TypeParam>(0, 1),
                       ReadElement<decltype(cache), decltype(output)>{cache, output});
  EXPECT_EQ(to_host(output), (std::vector<float>{118, 118, 118, 118}));
}

/// Writes all tokens of a sequence through the handle, and scales where there are any.
template <class Cache>
struct WriteTokens {
  Cache cache;
  int kv;

  KOKKOS_FUNCTION void operator()(std::size_t token) const {
    KokkosKV::SimdVector<float, 4> vector;
    for (int dim = 0; dim < 4; ++dim) vector[dim] = fact_element(kv, token, dim);
    cache.store(0, 0, token, 0, vector);
    if constexpr (Cache::scales_type::enabled) {
      // Elements 1 and 2 belong to the first and the second scale.
      for (int dim = 1; dim < 3; ++dim) {
        cache.store_scale(0, 0, token, dim, -fact_element(kv, token, dim));
      }
    }
  }
};

/// Sums how far loads are from what was written.
template <class Cache>
struct ReadTokens {
  Cache cache;
  int kv;

  KOKKOS_FUNCTION void operator()(std::size_t token, int& wrong) const {
    auto const vector = cache.template load<4>(0, 0, token, 0);
    for (int dim = 0; dim < 4; ++dim) wrong += vector[dim] != fact_element(kv, token, dim) ? 1 : 0;
    if constexpr (Cache::scales_type::enabled) {
      for (int dim = 0; dim < 4; ++dim) {
        auto const written = -fact_element(kv, token, dim < 2 ? 1 : 2);
        wrong += cache.load_scale(0, 0, token, dim) != written ? 1 : 0;
      }
    }
  }
};

TYPED_TEST(CacheFacts, TokensOfLayer1) {
  using fact_type = LayerFact<typename TypeParam::memory_space>;
  fact_type::for_each_combination([](fact_type& fact, auto const& collection) {
    for (int kv = 0; kv < static_cast<int>(fact.kv_dim()); ++kv) {
      auto const cache = kv == 0 ? collection.get_key_cache(1) : collection.get_value_cache(1);
      using cache_type = std::remove_const_t<decltype(cache)>;
      Kokkos::RangePolicy<TypeParam> const tokens(0, fact_type::max_tokens);
      Kokkos::parallel_for(tokens, WriteTokens<cache_type>{cache, kv});
      int wrong = -1;
      Kokkos::parallel_reduce(tokens, ReadTokens<cache_type>{cache, kv}, wrong);
      EXPECT_EQ(wrong, 0);
      for (std::size_t token = 0; token < fact_type::max_tokens; ++token) {
        fact.expect_token(kv, token);
        if constexpr (cache_type::scales_type::enabled) {
          for (int dim = 1; dim < 3; ++dim) {
            fact.expect_scale(kv, token, static_cast<std::size_t>(dim),
                              -fact_element(kv, token, dim));
          }
        }
      }
    }
    fact.check();
  });
}

}  // namespace KokkosKVTest
