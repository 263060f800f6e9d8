// Fixture of the refusals: a small guarded pool, and stores through every public form of a call.
#ifndef KOKKOSKV_TEST_STOREREFUSAL_HPP
#define KOKKOSKV_TEST_STOREREFUSAL_HPP

#include <ExecutionSpaces.hpp>
#include <KokkosKV.hpp>
#include <cstddef>
#include <string>
#include <support/GuardedMemory.hpp>
#include <support/Refusal.hpp>
#include <support/TestBatch.hpp>

namespace KokkosKVTest {

/// Input of ragged and of padded stores.
struct Ones {
  KOKKOS_FUNCTION float operator()(std::size_t, int, int) const { return 1; }
  KOKKOS_FUNCTION float operator()(std::size_t, std::size_t, int, int) const { return 1; }
};

/// Pages of 4 tokens, 2 heads of 4 elements, 2 layers, 6 pages with padding.
template <class ExecSpace>
class StoreRefusal : public testing::Test {
 protected:
  using memory_space = typename ExecSpace::memory_space;
  using ragged_view  = Kokkos::View<float***, Kokkos::LayoutRight, memory_space>;
  using padded_view  = Kokkos::View<float****, Kokkos::LayoutRight, memory_space>;

  static constexpr std::size_t num_blocks = 6;
  static constexpr std::size_t page_pitch = 2 * 2 * 4 * 2 * 4 + 8;

  GuardedMemory<float, memory_space> memory{num_blocks * page_pitch};

  auto blocks() const {
    return KokkosKV::padded_blocks<float, 4, 2, 4, memory_space>(memory.data(), num_blocks, 2, 2,
                                                                 page_pitch);
  }

  /// The batch as the store sees it: not checked before.
  auto collection(TestBatch const& batch) const {
    return batch.collection(blocks(), KokkosKV::unchecked);
  }

  /// The call throws, and neither the pool nor its padding nor what lies around it changed.
  template <class Error, class Call>
  void refuses(std::string const& message, Call const& call) const {
    auto const before = memory.snapshot();
    expect_refusal<Error>(message, call);
    Kokkos::fence();
    EXPECT_EQ(memory.snapshot(), before);
  }

  /// A ragged store is refused in every form; `message` follows the name of the function. Shapes
  /// too large for an input View go by functor only.
  template <class Error, class Offsets>
  void ragged_refuses(std::string const& message, TestBatch const& batch,
                      KokkosKV::RaggedShape const& shape, Offsets const& offsets) const {
    using namespace KokkosKV;
    auto const pool   = collection(batch);
    auto const keys   = pool.get_key_cache(1);
    auto const values = pool.get_value_cache(1);
    Ones const ones;
    ExecSpace const exec;
    refuses<Error>("kv_cache_store_ragged: " + message,
                   [&] { kv_cache_store_ragged(exec, keys, shape, offsets, ones); });
    refuses<Error>("kv_cache_store_ragged: " + message,
                   [&] { kv_cache_store_ragged(keys, shape, offsets, ones); });
    refuses<Error>("kv_cache_store_ragged_key_value: " + message, [&] {
      kv_cache_store_ragged_key_value(exec, keys, values, shape, offsets, ones, ones);
    });
    if (shape[0] > 1000) return;
    ragged_view const input("input", shape[0], shape[1], shape[2]);
    refuses<Error>("kv_cache_store_ragged: " + message,
                   [&] { kv_cache_store_ragged(exec, values, offsets, input); });
    refuses<Error>("kv_cache_store_ragged: " + message,
                   [&] { kv_cache_store_ragged(values, offsets, input); });
    refuses<Error>("kv_cache_store_ragged_key_value: " + message, [&] {
      kv_cache_store_ragged_key_value(exec, keys, values, offsets, input, input);
    });
    refuses<Error>("kv_cache_store_ragged_key_value: " + message, [&] {
      kv_cache_store_ragged_key_value(keys, values, shape, offsets, ones, ones);
    });
    refuses<Error>("kv_cache_store_ragged_key_value: " + message,
                   [&] { kv_cache_store_ragged_key_value(keys, values, offsets, input, input); });
  }

  /// The usual input: as many rows as given, of the cache's shape.
  template <class Error>
  void ragged_refuses(std::string const& message, TestBatch const& batch, std::size_t tokens,
                      Numbers const& offsets) const {
    ragged_refuses<Error>(message, batch, KokkosKV::RaggedShape{tokens, 2, 4},
                          to_view<memory_space>(offsets));
  }

  /// A padded store is refused in every form; `message` follows the name of the function.
  template <class Error, class Lengths>
  void padded_refuses(std::string const& message, TestBatch const& batch,
                      KokkosKV::PaddedShape const& shape, Lengths const& lengths) const {
    using namespace KokkosKV;
    auto const pool   = collection(batch);
    auto const keys   = pool.get_key_cache(1);
    auto const values = pool.get_value_cache(1);
    Ones const ones;
    ExecSpace const exec;
    padded_view const input("input", shape[0], shape[1], shape[2], shape[3]);
    refuses<Error>("kv_cache_store_padded: " + message,
                   [&] { kv_cache_store_padded(exec, keys, shape, lengths, ones); });
    refuses<Error>("kv_cache_store_padded: " + message,
                   [&] { kv_cache_store_padded(keys, shape, lengths, ones); });
    refuses<Error>("kv_cache_store_padded_key_value: " + message, [&] {
      kv_cache_store_padded_key_value(exec, keys, values, shape, lengths, ones, ones);
    });
    refuses<Error>("kv_cache_store_padded: " + message,
                   [&] { kv_cache_store_padded(exec, values, lengths, input); });
    refuses<Error>("kv_cache_store_padded: " + message,
                   [&] { kv_cache_store_padded(values, lengths, input); });
    refuses<Error>("kv_cache_store_padded_key_value: " + message, [&] {
      kv_cache_store_padded_key_value(exec, keys, values, lengths, input, input);
    });
    refuses<Error>("kv_cache_store_padded_key_value: " + message, [&] {
      kv_cache_store_padded_key_value(keys, values, shape, lengths, ones, ones);
    });
    refuses<Error>("kv_cache_store_padded_key_value: " + message,
                   [&] { kv_cache_store_padded_key_value(keys, values, lengths, input, input); });
  }

  template <class Error>
  void padded_refuses(std::string const& message, TestBatch const& batch, std::size_t max_rows,
                      Numbers const& lengths) const {
    padded_refuses<Error>(message, batch,
                          KokkosKV::PaddedShape{batch.cache_lengths.size(), max_rows, 2, 4},
                          to_view<memory_space>(lengths));
  }
};

}  // namespace KokkosKVTest

#endif
