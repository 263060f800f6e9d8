// Refusals of rope_ragged(), rope_key_cache() and rope_store_ragged(), word for word.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include <ExecutionSpaces.hpp>
#include <KokkosKV.hpp>
#include <RefusalFixture.hpp>
#include <projection/KokkosKV_RopeRagged.hpp>
#include <projection/KokkosKV_RopeStore.hpp>

namespace KokkosKVTest {

using namespace KokkosKV;

/// Keys that nobody reads.
struct NoElements {
  KOKKOS_FUNCTION float operator()(std::size_t, int, int) const { return 0; }
};

template <class ExecSpace>
class RopeRefusals : public RefusalFixture<ExecSpace> {
 protected:
  using memory_space = typename ExecSpace::memory_space;

  RopeFrequencies<memory_space> const frequencies{{.rotary_dim = 4}};

  /// All functions refuse a batch in every form; `message` follows the function's name.
  template <class Error>
  void batch_refuses(std::string const& message, TestBatch const& batch,
                     Numbers const& offsets) const {
    auto const view  = to_view<memory_space>(offsets);
    auto const pool  = this->collection(batch);
    auto const cache = pool.get_key_cache(0);
    ExecSpace const exec;
    this->template refuses<Error>("rope_ragged: " + message, [&] {
      rope_ragged(exec, frequencies, cache, view, this->rows());
    });
    this->template refuses<Error>("rope_ragged: " + message,
                                  [&] { rope_ragged(frequencies, cache, view, this->rows()); });
    key_cache_refuses<Error>(message, batch, {2, 2, 4}, offsets);
  }

  template <class Error>
  void key_cache_refuses(std::string const& message, TestBatch const& batch,
                         RaggedShape const& shape, Numbers const& offsets) const {
    auto const view  = to_view<memory_space>(offsets);
    auto const pool  = this->collection(batch);
    auto const cache = pool.get_key_cache(0);
    this->template refuses<Error>("rope_key_cache: " + message, [&] {
      rope_key_cache(ExecSpace{}, frequencies, cache, shape, view);
    });
    this->template refuses<Error>("rope_key_cache: " + message,
                                  [&] { rope_key_cache(frequencies, cache, shape, view); });
    Kokkos::View<float***, Kokkos::LayoutRight, memory_space> const keys("keys", shape[0], shape[1],
                                                                         shape[2]);
    this->template refuses<Error>("rope_store_ragged: " + message, [&] {
      rope_store_ragged(ExecSpace{}, frequencies, cache, view, keys);
    });
    this->template refuses<Error>("rope_store_ragged: " + message,
                                  [&] { rope_store_ragged(frequencies, cache, view, keys); });
    NoElements const nothing;
    this->template refuses<Error>("rope_store_ragged: " + message, [&] {
      rope_store_ragged(ExecSpace{}, frequencies, cache, shape, view, nothing);
    });
    this->template refuses<Error>("rope_store_ragged: " + message, [&] {
      rope_store_ragged(frequencies, cache, shape, view, nothing);
    });
  }
};
TYPED_TEST_SUITE(RopeRefusals, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(RopeRefusals, BatchesAsInStores) {
  this->template batch_refuses<ShapeError>("input_row_offsets.extent(0): found 2, expected 3",
                                           this->good, {0, 2});
  this->template batch_refuses<RaggedError>(
      "input_row_offsets(2): found 1, expected 2, the number of tokens", this->good, {0, 1, 1});
  this->template batch_refuses<RaggedError>("input_row_offsets(0): found 1, expected 0", this->good,
                                            {1, 1, 2});
  this->template batch_refuses<LookupTableError>(
      "lookup_table row of sequence 0: found 1 pages, expected at least 2 pages (sequence 0 needs "
      "5 tokens in pages of 4)",
      TestBatch{{3, 0}, {{0}, {2}}}, {0, 2, 2});
  this->template batch_refuses<LookupTableError>(
      "lookup_table(1, 0): found 6, expected below 6 (pages), or null_page",
      TestBatch{{3, 0}, {{0}, {6}}}, {0, 1, 2});
  auto announced              = this->good;
  announced.max_prompt_length = 1;
  this->template batch_refuses<RaggedError>(
      "input_row_offsets of sequence 1: found 2 rows, expected at most max_prompt_length = 1",
      announced, {0, 0, 2});
}

TYPED_TEST(RopeRefusals, RowsOfAnEmptyBatch) {
  auto const offsets = to_view<typename TestFixture::memory_space>({0});
  auto const pool    = this->collection(TestBatch{{}, {}});
  auto const cache   = pool.get_key_cache(0);
  this->template refuses<ShapeError>(
      "rope_ragged: queries[0]: found 2, expected 0 for an empty batch",
      [&] { rope_ragged(this->frequencies, cache, offsets, this->rows()); });
  this->template key_cache_refuses<ShapeError>(
      "input_shape[0]: found 1, expected 0 for an empty batch", TestBatch{{}, {}}, {1, 2, 4}, {0});
}

TYPED_TEST(RopeRefusals, ShapesOfKeys) {
  this->template key_cache_refuses<ShapeError>("input_shape[1]: found 3, expected 2", this->good,
                                               {2, 3, 4}, {0, 1, 2});
  this->template key_cache_refuses<ShapeError>("input_shape[2]: found 6, expected 4", this->good,
                                               {2, 2, 6}, {0, 1, 2});
}

TYPED_TEST(RopeRefusals, TwoRowsInOneSlotOfTheCache) {
  this->template key_cache_refuses<ConflictError>(
      "lookup_table row of sequence 1: found page 5 whose slot 0 sequence 0 writes too, expected a "
      "slot of its own",
      TestBatch{{4, 4}, {{0, 5}, {2, 5}}}, {2, 2, 4}, {0, 1, 2});
}

TYPED_TEST(RopeRefusals, HeadsShorterThanTheRotation) {
  using memory_space = typename TestFixture::memory_space;
  RopeFrequencies<memory_space> const wide({.rotary_dim = 8});
  auto const offsets = to_view<memory_space>({0, 1, 2});
  auto const pool    = this->collection(this->good);
  auto const cache   = pool.get_key_cache(0);
  this->template refuses<ShapeError>(
      "rope_ragged: frequencies.rotary_dim(): found 8, expected at most 6, the head size",
      [&] { rope_ragged(wide, cache, offsets, this->rows()); });
  this->template refuses<ShapeError>(
      "rope_key_cache: frequencies.rotary_dim(): found 8, expected at most 4, the head size",
      [&] { rope_key_cache(wide, cache, {2, 2, 4}, offsets, unchecked); });
  this->template refuses<ShapeError>(
      "rope_store_ragged: frequencies.rotary_dim(): found 8, expected at most 4, the head size",
      [&] { rope_store_ragged(wide, cache, {2, 2, 4}, offsets, NoElements{}, unchecked); });
}

TYPED_TEST(RopeRefusals, PositionIds) {
  using memory_space   = typename TestFixture::memory_space;
  auto const offsets   = to_view<memory_space>({0, 1, 2});
  auto const pool      = this->collection(this->good);
  auto const cache     = pool.get_key_cache(0);
  auto const short_ids = to_view<memory_space>({7});
  this->template refuses<ShapeError>(
      "rope_ragged: position_ids.extent(0): found 1, expected 2", [&] {
        rope_ragged(this->frequencies, cache, offsets, this->rows(), PositionIds{short_ids});
      });
  auto const strided = to_strided_view<memory_space>({7, 8});
  this->template refuses<ShapeError>("rope_key_cache: position_ids.stride(0): found 2, expected 1",
                                     [&] {
                                       rope_key_cache(this->frequencies, cache, {2, 2, 4}, offsets,
                                                      unchecked, PositionIds{strided});
                                     });
  this->template refuses<ShapeError>(
      "rope_store_ragged: position_ids.extent(0): found 1, expected 2", [&] {
        rope_store_ragged(this->frequencies, cache, {2, 2, 4}, offsets, NoElements{},
                          PositionIds{short_ids}, unchecked);
      });
}

}  // namespace KokkosKVTest
