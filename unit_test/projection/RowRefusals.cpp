// Refusals of norms, additions and gathers, word for word.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include <ExecutionSpaces.hpp>
#include <KokkosKV.hpp>
#include <RefusalFixture.hpp>
#include <projection/KokkosKV_GatherRows.hpp>
#include <projection/KokkosKV_RaggedAdd.hpp>
#include <projection/KokkosKV_RmsNorm.hpp>

namespace KokkosKVTest {

using namespace KokkosKV;

template <class ExecSpace>
class RowRefusals : public RefusalFixture<ExecSpace> {
 protected:
  using memory_space = typename ExecSpace::memory_space;
  using weight_view  = Kokkos::View<float*, memory_space>;
  using rows_view    = typename RefusalFixture<ExecSpace>::rows_view;

  template <class Error>
  void keys_refuse(std::string const& message, TestBatch const& batch, RaggedShape const& shape,
                   Numbers const& offsets) const {
    auto const pool = this->collection(batch);
    auto const keys = pool.get_key_cache(0);
    auto const view = to_view<memory_space>(offsets);
    weight_view const weight("weight", 4);
    this->template refuses<Error>("rms_norm_key_cache: " + message, [&] {
      rms_norm_key_cache(ExecSpace{}, keys, shape, view, weight, RmsNormParams{});
    });
    this->template refuses<Error>("rms_norm_key_cache: " + message, [&] {
      rms_norm_key_cache(keys, shape, view, weight, RmsNormParams{});
    });
  }

  /// `count` sequences from `first`, in both forms.
  template <class Error>
  void additions_refuse(std::string const& message, TestBatch const& batch,
                        SequenceRange const& sequences, RaggedShape const& shape,
                        Numbers const& offsets) const {
    auto const pool   = this->collection(batch);
    auto const keys   = pool.get_key_cache(0);
    auto const values = pool.get_value_cache(0);
    auto const view   = to_view<memory_space>(offsets);
    rows_view const input("input", shape[0], shape[1], shape[2]);
    this->template refuses<Error>("kv_cache_ragged_radd: " + message, [&] {
      kv_cache_ragged_radd(ExecSpace{}, keys, sequences, view, input);
    });
    this->template refuses<Error>("kv_cache_ragged_radd: " + message,
                                  [&] { kv_cache_ragged_radd(keys, sequences, view, input); });
    this->template refuses<Error>("kv_cache_ragged_radd_key_value: " + message, [&] {
      kv_cache_ragged_radd_key_value(ExecSpace{}, keys, values, sequences, view, input, input);
    });
    this->template refuses<Error>("kv_cache_ragged_radd_key_value: " + message, [&] {
      kv_cache_ragged_radd_key_value(keys, values, sequences, view, input, input);
    });
  }
};
TYPED_TEST_SUITE(RowRefusals, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(RowRefusals, WeightsAndNumbersOfRows) {
  using memory_space = typename TestFixture::memory_space;
  using weight_view  = typename TestFixture::weight_view;
  weight_view const long_weight("weight", 7);
  weight_view const weight("weight", 6);
  this->template refuses<ShapeError>("rms_norm_ragged: weight.extent(0): found 7, expected 6",
                                     [&] { rms_norm_ragged(this->rows(), long_weight); });
  this->template refuses<ShapeError>(
      "rms_norm_ragged: params.epsilon: found -1.000000, expected a finite number, at least 0",
      [&] { rms_norm_ragged(TypeParam{}, this->rows(), weight, RmsNormParams{.epsilon = -1}); });
  this->template refuses<ShapeError>(
      "rms_norm_ragged: params.weight_offset: found inf, expected a finite number",
      [&] { rms_norm_ragged(this->rows(), weight, RmsNormParams{.weight_offset = HUGE_VAL}); });
  Kokkos::View<float*, Kokkos::LayoutStride, memory_space> const strided(
      this->row_memory.data(), Kokkos::LayoutStride(6, 2));
  this->template refuses<ShapeError>("rms_norm_ragged: weight.stride(0): found 2, expected 1",
                                     [&] { rms_norm_ragged(this->rows(), strided); });
}

TYPED_TEST(RowRefusals, WeightOfKeys) {
  using memory_space = typename TestFixture::memory_space;
  auto const pool    = this->collection(this->good);
  auto const offsets = to_view<memory_space>({0, 1, 2});
  typename TestFixture::weight_view const weight("weight", 3);
  this->template refuses<ShapeError>("rms_norm_key_cache: weight.extent(0): found 3, expected 4",
                                     [&] {
                                       rms_norm_key_cache(pool.get_key_cache(0), {2, 2, 4}, offsets,
                                                          weight, RmsNormParams{}, unchecked);
                                     });
}

TYPED_TEST(RowRefusals, BatchesOfKeys) {
  this->template keys_refuse<ShapeError>("input_shape[1]: found 3, expected 2", this->good,
                                         {2, 3, 4}, {0, 1, 2});
  this->template keys_refuse<ShapeError>("input_row_offsets.extent(0): found 2, expected 3",
                                         this->good, {2, 2, 4}, {0, 2});
  this->template keys_refuse<RaggedError>(
      "input_row_offsets(2): found 1, expected 2, the number of tokens", this->good, {2, 2, 4},
      {0, 1, 1});
  this->template keys_refuse<LookupTableError>(
      "lookup_table(1, 0): found 6, expected below 6 (pages), or null_page",
      TestBatch{{3, 0}, {{0}, {6}}}, {2, 2, 4}, {0, 1, 2});
  this->template keys_refuse<ConflictError>(
      "lookup_table row of sequence 1: found page 5 whose slot 0 sequence 0 writes too, expected a "
      "slot of its own",
      TestBatch{{4, 4}, {{0, 5}, {2, 5}}}, {2, 2, 4}, {0, 1, 2});
}

TYPED_TEST(RowRefusals, SequencesThatTheBatchLacks) {
  this->template additions_refuse<ShapeError>(
      "sequences.first: found 3, expected at most 2, the batch size", this->good, {3, 0}, {0, 2, 4},
      {0});
  this->template additions_refuse<ShapeError>(
      "sequences.count: found 2, expected at most 1, the sequences from 1", this->good, {1, 2},
      {2, 2, 4}, {0, 1, 2});
}

TYPED_TEST(RowRefusals, BatchesOfAdditions) {
  this->template additions_refuse<ShapeError>("input_row_offsets.extent(0): found 3, expected 2",
                                              this->good, {1, 1}, {2, 2, 4}, {0, 1, 2});
  this->template additions_refuse<ShapeError>("input[2]: found 5, expected 4", this->good, {1, 1},
                                              {2, 2, 5}, {0, 2});
  this->template additions_refuse<ShapeError>("input[0]: found 1, expected 0 for an empty batch",
                                              this->good, {2, 0}, {1, 2, 4}, {0});
  this->template additions_refuse<RaggedError>(
      "input_row_offsets(1): found 1, expected 2, the number of tokens", this->good, {1, 1},
      {2, 2, 4}, {0, 1});
  // Sequences are numbered within the range: this is sequence 1 of the batch.
  this->template additions_refuse<LookupTableError>(
      "lookup_table(0, 0): found 6, expected below 6 (pages), or null_page",
      TestBatch{{3, 0}, {{0}, {6}}}, {1, 1}, {2, 2, 4}, {0, 2});
  this->template additions_refuse<ConflictError>(
      "lookup_table row of sequence 1: found page 5 whose slot 0 sequence 0 writes too, expected a "
      "slot of its own",
      TestBatch{{4, 4}, {{0, 5}, {2, 5}}}, {0, 2}, {2, 2, 4}, {0, 1, 2});
}

TYPED_TEST(RowRefusals, KeysAndValuesThatDoNotBelongTogether) {
  using memory_space = typename TestFixture::memory_space;
  using rows_view    = typename TestFixture::rows_view;
  auto const pool    = this->collection(this->good);
  auto const other   = this->collection(this->good);
  auto const offsets = to_view<memory_space>({0, 2});
  rows_view const input("input", 2, 2, 4);
  rows_view const longer("longer", 3, 2, 4);
  SequenceRange const second{1, 1};
  this->template refuses<ShapeError>(
      "kv_cache_ragged_radd_key_value: values.extent(0): found 3, expected 2", [&] {
        kv_cache_ragged_radd_key_value(pool.get_key_cache(0), pool.get_value_cache(0), second,
                                       offsets, input, longer);
      });
  this->template refuses<ShapeError>(
      "kv_cache_ragged_radd_key_value: value_cache: found the batch of another collection, "
      "expected "
      "the lookup table and cache lengths of key_cache",
      [&] {
        kv_cache_ragged_radd_key_value(pool.get_key_cache(0), other.get_value_cache(0), second,
                                       offsets, input, input);
      });
  this->template refuses<ConflictError>(
      "kv_cache_ragged_radd_key_value: value_cache: found the same elements as key_cache, expected "
      "another cache of the collection",
      [&] {
        kv_cache_ragged_radd_key_value(pool.get_key_cache(0), pool.get_key_cache(0), second,
                                       offsets, input, input, unchecked);
      });
}

TYPED_TEST(RowRefusals, Gathers) {
  using memory_space = typename TestFixture::memory_space;
  using matrix       = Kokkos::View<float**, Kokkos::LayoutRight, memory_space>;
  matrix const source("source", 5, 18);
  matrix const output(this->row_memory.data(), 2, 18);
  auto const refuses = [&](std::string const& message, auto const& from, auto const& indices) {
    this->template refuses<ShapeError>("gather_rows: " + message,
                                       [&] { gather_rows(TypeParam{}, from, indices, output); });
    this->template refuses<ShapeError>("gather_rows: " + message,
                                       [&] { gather_rows(from, indices, output); });
  };
  refuses("indices(1): found 5, expected below 5, the rows of the source", source,
          to_view<memory_space>({4, 5}));
  refuses("indices(0): found 4294967295, expected below 5, the rows of the source", source,
          to_view<memory_space>({0xFFFFFFFFu, 9}));
  refuses("output.extent(0): found 2, expected 3", source, to_view<memory_space>({0, 1, 2}));
  refuses("output.extent(1): found 18, expected 17", matrix("narrow", 5, 17),
          to_view<memory_space>({0, 1}));
  refuses("indices.stride(0): found 2, expected 1", source, to_strided_view<memory_space>({0, 1}));
}

}  // namespace KokkosKVTest
