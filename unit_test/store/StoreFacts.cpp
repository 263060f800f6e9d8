// Known results of the two stores.
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
class StoreFacts : public testing::Test {};
TYPED_TEST_SUITE(StoreFacts, ExecutionSpaces, ExecutionSpaceName);

/// Row r is token r + 1: the sequence has one token already.
struct FactRows {
  int kv;

  KOKKOS_FUNCTION float operator()(std::size_t row, int, int dim) const {
    return fact_element(kv, row + 1, dim);
  }
  KOKKOS_FUNCTION float operator()(std::size_t, std::size_t position, int, int dim) const {
    return fact_element(kv, position + 1, dim);
  }
};

/// Stores three rows behind the first token of layer 1 by `store(cache, rows)`.
template <class ExecSpace, class Store>
void check_layer_1(Store const& store) {
  using fact_type = LayerFact<typename ExecSpace::memory_space>;
  fact_type::for_each_combination([&](fact_type& fact, auto const& collection) {
    for (int kv = 0; kv < static_cast<int>(fact.kv_dim()); ++kv) {
      store(kv == 0 ? collection.get_key_cache(1) : collection.get_value_cache(1), FactRows{kv});
      for (std::size_t token = 1; token < 4; ++token) fact.expect_token(kv, token);
    }
    fact.check();
  });
}

TYPED_TEST(StoreFacts, RaggedTokensOfLayer1) {
  auto const offsets =
      to_device<typename TypeParam::memory_space>(std::vector<std::uint32_t>{0, 3});
  check_layer_1<TypeParam>([&](auto const& cache, FactRows const& rows) {
    KokkosKV::kv_cache_store_ragged(TypeParam{}, cache, {3, 1, 4}, offsets, rows);
  });
}

TYPED_TEST(StoreFacts, PaddedTokensOfLayer1) {
  auto const lengths = to_device<typename TypeParam::memory_space>(std::vector<std::uint32_t>{3});
  check_layer_1<TypeParam>([&](auto const& cache, FactRows const& rows) {
    KokkosKV::kv_cache_store_padded(TypeParam{}, cache, {1, 3, 1, 4}, lengths, rows);
  });
}

/// Three sequences in pages of 128 tokens, each of two heads of 64.
template <class MemorySpace>
struct ThreeSequences {
  using blocks_type = Kokkos::View<float*** [128][2][64], Kokkos::LayoutRight, MemorySpace>;

  static constexpr std::size_t row_size       = 2 * 64;
  static constexpr std::size_t page_size      = 128;
  static constexpr std::size_t max_pages      = 5;
  static constexpr std::size_t first_pages[3] = {10, 5, 0};  ///< each row of the table counts up

  Kokkos::View<std::uint32_t*, MemorySpace> cache_lengths;
  blocks_type blocks                              = blocks_type("blocks", 15, 1, 1);
  Kokkos::View<std::uint32_t*, MemorySpace> table = to_device<MemorySpace>(
      std::vector<std::uint32_t>{10, 11, 12, 13, 14, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4});

  explicit ThreeSequences(std::vector<std::uint32_t> const& lengths)
      : cache_lengths(to_device<MemorySpace>(lengths)) {}

  auto cache() const {
    Kokkos::View<std::uint32_t const**, Kokkos::LayoutRight, MemorySpace> const rows(table.data(),
                                                                                     3, max_pages);
    return KokkosKV::generic_get_paged_cache(blocks, cache_lengths, rows, 300, 300)
        .get_key_cache(0);
  }

  std::vector<float> pool() const {
    return to_host(Kokkos::View<float*, MemorySpace>(blocks.data(), blocks.size()));
  }

  /// Place of a token in pool().
  static std::size_t token_at(std::size_t sequence, std::size_t token) {
    return ((first_pages[sequence] + token / page_size) * page_size + token % page_size) * row_size;
  }
};

inline std::vector<float> flat_indices(std::size_t count) {
  std::vector<float> result(count);
  for (std::size_t i = 0; i < count; ++i) result[i] = static_cast<float>(i);
  return result;
}

/// Compares with a pool that is zero but for `lengths[b]` rows of sequence b, each behind
/// `cache_lengths[b]` tokens, the first being row `first_rows[b]` of an input of flat indices.
template <class MemorySpace>
void check_flat_indices(ThreeSequences<MemorySpace> const& sequences,
                        std::vector<std::uint32_t> const& lengths,
                        std::vector<std::uint32_t> const& cache_lengths,
                        std::vector<std::size_t> const& first_rows) {
  using sequences_type    = ThreeSequences<MemorySpace>;
  constexpr auto row_size = sequences_type::row_size;
  std::vector<float> expected(sequences.blocks.size(), 0.0f);
  for (std::size_t b = 0; b < 3; ++b) {
    for (std::size_t i = 0; i < lengths[b] * row_size; ++i) {
      auto const at = sequences_type::token_at(b, cache_lengths[b] + i / row_size) + i % row_size;
      expected[at]  = static_cast<float>(first_rows[b] * row_size + i);
    }
  }
  EXPECT_TRUE(same_bits(sequences.pool(), expected, [](std::size_t index) {
    return "page " + std::to_string(index / (128 * 128)) + ", slot " +
           std::to_string(index / 128 % 128);
  }));
}

TYPED_TEST(StoreFacts, RaggedFlatIndices) {
  using memory_space = typename TypeParam::memory_space;
  ThreeSequences<memory_space> const sequences({100, 200, 300});
  auto const input = to_device<memory_space>(flat_indices(600 * 128));
  Kokkos::View<float const***, Kokkos::LayoutRight, memory_space> const rows(input.data(), 600, 2,
                                                                             64);
  auto const offsets = to_device<memory_space>(std::vector<std::uint32_t>{0, 100, 300, 600});
  KokkosKV::kv_cache_store_ragged(TypeParam{}, sequences.cache(), offsets, rows);
  check_flat_indices(sequences, {100, 200, 300}, {100, 200, 300}, {0, 100, 300});
}

/// Stores a padded input of flat indices and compares.
template <class ExecSpace>
void check_padded(std::size_t max_rows, std::vector<std::uint32_t> const& lengths,
                  std::vector<std::uint32_t> const& cache_lengths) {
  using memory_space = typename ExecSpace::memory_space;
  ThreeSequences<memory_space> const sequences(cache_lengths);
  auto const input = to_device<memory_space>(flat_indices(3 * max_rows * 128));
  Kokkos::View<float const****, Kokkos::LayoutRight, memory_space> const rows(input.data(), 3,
                                                                              max_rows, 2, 64);
  KokkosKV::kv_cache_store_padded(ExecSpace{}, sequences.cache(), to_device<memory_space>(lengths),
                                  rows);
  check_flat_indices(sequences, lengths, cache_lengths, {0, max_rows, 2 * max_rows});
}

TYPED_TEST(StoreFacts, PaddedFlatIndices) {
  check_padded<TypeParam>(300, {100, 200, 300}, {100, 200, 300});
}

TYPED_TEST(StoreFacts, PaddedRowsBehindTheValidLengthStayZero) {
  check_padded<TypeParam>(4, {3, 1, 4}, {5, 2, 0});
}

}  // namespace KokkosKVTest
