// Refusals of the stores of keys and values together: inputs or caches that do not belong together.
#include <StoreRefusal.hpp>

namespace KokkosKVTest {

using KokkosKV::ConflictError;
using KokkosKV::kv_cache_store_padded_key_value;
using KokkosKV::kv_cache_store_ragged_key_value;
using KokkosKV::ShapeError;

template <class ExecSpace>
class KeyValueRefusals : public StoreRefusal<ExecSpace> {
 protected:
  using typename StoreRefusal<ExecSpace>::memory_space;

  Numbers const lengths{3, 0};
  std::vector<Numbers> const rows{{0, 1}, {2, 3}};
  Kokkos::View<std::uint32_t*, memory_space> const cache_lengths = to_view<memory_space>(lengths);
  Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, memory_space> const table =
      to_table<memory_space>(rows);

  template <class Blocks, class Lengths, class Table>
  auto make(Blocks const& blocks, Lengths const& some_lengths, Table const& some_table) const {
    return KokkosKV::generic_get_paged_cache(blocks, some_lengths, some_table, 10, 10);
  }

  /// Refused whatever the kind of store.
  template <class Error, class Cache>
  void refuses_together(std::string const& message, Cache const& keys, Cache const& values) const {
    auto const batch = keys.batch_size();
    // One new row a sequence.
    Numbers one_each(batch), offsets(batch + 1);
    for (std::uint32_t b = 0; b < batch; ++b) {
      one_each[b]    = 1;
      offsets[b + 1] = b + 1;
    }
    ExecSpace const exec;
    this->template refuses<Error>("kv_cache_store_ragged_key_value: " + message, [&] {
      kv_cache_store_ragged_key_value(exec, keys, values, {batch, 2, 4},
                                      to_view<memory_space>(offsets), Ones{}, Ones{});
    });
    this->template refuses<Error>("kv_cache_store_padded_key_value: " + message, [&] {
      kv_cache_store_padded_key_value(exec, keys, values, {batch, 1, 2, 4},
                                      to_view<memory_space>(one_each), Ones{}, Ones{});
    });
  }
};
TYPED_TEST_SUITE(KeyValueRefusals, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(KeyValueRefusals, RaggedInputsOfDifferentShape) {
  using view         = typename TestFixture::ragged_view;
  using memory_space = typename TestFixture::memory_space;
  auto const pool    = this->make(this->blocks(), this->cache_lengths, this->table);
  auto const offsets = to_view<memory_space>({0, 1, 2});
  auto const refuses = [&](std::string const& message, view const& values) {
    this->template refuses<ShapeError>("kv_cache_store_ragged_key_value: values." + message, [&] {
      kv_cache_store_ragged_key_value(TypeParam{}, pool.get_key_cache(0), pool.get_value_cache(0),
                                      offsets, view("keys", 2, 2, 4), values);
    });
  };
  refuses("extent(0): found 3, expected 2", view("values", 3, 2, 4));
  refuses("extent(1): found 1, expected 2", view("values", 2, 1, 4));
  refuses("extent(2): found 5, expected 4", view("values", 2, 2, 5));
}

TYPED_TEST(KeyValueRefusals, PaddedInputsOfDifferentShape) {
  using view         = typename TestFixture::padded_view;
  using memory_space = typename TestFixture::memory_space;
  auto const pool    = this->make(this->blocks(), this->cache_lengths, this->table);
  auto const lengths = to_view<memory_space>({1, 1});
  auto const refuses = [&](std::string const& message, view const& values) {
    this->template refuses<ShapeError>("kv_cache_store_padded_key_value: values." + message, [&] {
      kv_cache_store_padded_key_value(TypeParam{}, pool.get_key_cache(0), pool.get_value_cache(0),
                                      lengths, view("keys", 2, 3, 2, 4), values);
    });
  };
  refuses("extent(0): found 1, expected 2", view("values", 1, 3, 2, 4));
  refuses("extent(1): found 2, expected 3", view("values", 2, 2, 2, 4));
  refuses("extent(2): found 3, expected 2", view("values", 2, 3, 3, 4));
  refuses("extent(3): found 2, expected 4", view("values", 2, 3, 2, 2));
}

TYPED_TEST(KeyValueRefusals, CachesOfDifferentBatches) {
  using memory_space = typename TestFixture::memory_space;
  auto const blocks  = this->blocks();
  auto const pool    = this->make(blocks, this->cache_lengths, this->table);
  auto const refuses = [&](auto const& other) {
    this->template refuses_together<ShapeError>(
        "value_cache: found the batch of another collection, expected the lookup table and cache "
        "lengths of key_cache",
        pool.get_key_cache(0), other.get_value_cache(0));
  };
  // Equal numbers at another address may change on their own.
  refuses(this->make(blocks, this->cache_lengths, to_table<memory_space>(this->rows)));
  refuses(this->make(blocks, to_view<memory_space>(this->lengths), this->table));
  auto const first = std::make_pair(std::size_t(0), std::size_t(1));
  refuses(this->make(blocks, Kokkos::subview(this->cache_lengths, first),
                     Kokkos::subview(this->table, first, Kokkos::ALL)));
  // The same entries, but rows of another length.
  refuses(
      this->make(blocks, this->cache_lengths, Kokkos::subview(this->table, Kokkos::ALL, first)));
}

TYPED_TEST(KeyValueRefusals, PoolsOfDifferentSize) {
  auto const fewer = KokkosKV::padded_blocks<float, 4, 2, 4, typename TestFixture::memory_space>(
      this->memory.data(), 5, 2, 2, this->page_pitch);
  auto const pool  = this->make(this->blocks(), this->cache_lengths, this->table);
  auto const other = this->make(fewer, this->cache_lengths, this->table);
  this->template refuses_together<ShapeError>("value_cache.num_blocks(): found 5, expected 6",
                                              pool.get_key_cache(0), other.get_value_cache(0));
}

// Keys and values would meet in every slot.
TYPED_TEST(KeyValueRefusals, OneCacheForBoth) {
  auto const pool = this->make(this->blocks(), this->cache_lengths, this->table);
  this->template refuses_together<ConflictError>(
      "value_cache: found the same elements as key_cache, expected another cache of the collection",
      pool.get_key_cache(1), pool.get_key_cache(1));
}

}  // namespace KokkosKVTest
