// Refusals of kv_cache_store_ragged() and of its key and value form, word for word.
#include <StoreRefusal.hpp>

namespace KokkosKVTest {

using KokkosKV::ConflictError;
using KokkosKV::LookupTableError;
using KokkosKV::null_page;
using KokkosKV::RaggedError;
using KokkosKV::RaggedShape;
using KokkosKV::ShapeError;

template <class ExecSpace>
class RaggedRefusals : public StoreRefusal<ExecSpace> {
 protected:
  // Sequence 0 has 3 tokens, sequence 1 none; room for 8 tokens each.
  TestBatch const good{{3, 0}, {{0, 1}, {2, 3}}};
};
TYPED_TEST_SUITE(RaggedRefusals, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(RaggedRefusals, Heads) {
  auto const offsets = to_view<typename TypeParam::memory_space>({0, 1, 2});
  this->template ragged_refuses<ShapeError>("input_shape[1]: found 3, expected 2", this->good,
                                            RaggedShape{2, 3, 4}, offsets);
}

TYPED_TEST(RaggedRefusals, HeadSize) {
  auto const offsets = to_view<typename TypeParam::memory_space>({0, 1, 2});
  this->template ragged_refuses<ShapeError>("input_shape[2]: found 5, expected 4", this->good,
                                            RaggedShape{2, 2, 5}, offsets);
}

TYPED_TEST(RaggedRefusals, NumberOfOffsets) {
  this->template ragged_refuses<ShapeError>("input_row_offsets.extent(0): found 2, expected 3",
                                            this->good, 2, Numbers{0, 2});
  this->template ragged_refuses<ShapeError>("input_row_offsets.extent(0): found 4, expected 3",
                                            this->good, 2, Numbers{0, 1, 2, 2});
  this->template ragged_refuses<ShapeError>("input_row_offsets.extent(0): found 0, expected 3",
                                            this->good, 0, Numbers{});
}

TYPED_TEST(RaggedRefusals, StrideOfOffsets) {
  auto const offsets = to_strided_view<typename TypeParam::memory_space>({0, 1, 2});
  this->template ragged_refuses<ShapeError>("input_row_offsets.stride(0): found 2, expected 1",
                                            this->good, RaggedShape{2, 2, 4}, offsets);
}

TYPED_TEST(RaggedRefusals, TokensOfAnEmptyBatch) {
  this->template ragged_refuses<ShapeError>(
      "input_shape[0]: found 1, expected 0 for an empty batch", TestBatch{{}, {}}, 1, Numbers{0});
}

TYPED_TEST(RaggedRefusals, MoreTokensThanOffsetsCanTell) {
  this->template ragged_refuses<ShapeError>(
      "input_shape[0]: found 4294967296, expected at most 4294967295, what "
      "uint32 offsets can tell",
      this->good, std::size_t(1) << 32, Numbers{0, 1, 2});
}

TYPED_TEST(RaggedRefusals, FirstOffset) {
  this->template ragged_refuses<RaggedError>("input_row_offsets(0): found 1, expected 0",
                                             this->good, 3, Numbers{1, 2, 3});
  // The only offset of an empty batch is first and last.
  this->template ragged_refuses<RaggedError>("input_row_offsets(0): found 7, expected 0",
                                             TestBatch{{}, {}}, 0, Numbers{7});
}

TYPED_TEST(RaggedRefusals, LastOffset) {
  this->template ragged_refuses<RaggedError>(
      "input_row_offsets(2): found 2, expected 3, the number of tokens", this->good, 3,
      Numbers{0, 1, 2});
}

TYPED_TEST(RaggedRefusals, DecreasingOffsets) {
  this->template ragged_refuses<RaggedError>(
      "input_row_offsets(2): found 1, expected 2 (the offset before it) to "
      "3 "
      "(the number of tokens)",
      this->good, 3, Numbers{0, 2, 1});
}

TYPED_TEST(RaggedRefusals, OffsetPastTheTokens) {
  this->template ragged_refuses<RaggedError>(
      "input_row_offsets(1): found 4, expected 0 (the offset before it) to "
      "3 "
      "(the number of tokens)",
      this->good, 3, Numbers{0, 4, 3});
  this->template ragged_refuses<RaggedError>(
      "input_row_offsets(2): found 4294967295, expected 1 (the offset "
      "before "
      "it) to 3 (the number of tokens)",
      this->good, 3, Numbers{0, 1, 0xFFFFFFFFu});
}

TYPED_TEST(RaggedRefusals, MoreRowsThanAnnounced) {
  auto batch              = this->good;
  batch.max_prompt_length = 2;
  this->template ragged_refuses<RaggedError>(
      "input_row_offsets of sequence 1: found 3 rows, expected at most "
      "max_prompt_length = 2",
      batch, 5, Numbers{0, 2, 5});
}

TYPED_TEST(RaggedRefusals, MoreCachedTokensThanAnnounced) {
  auto batch             = this->good;
  batch.max_cache_length = 2;
  this->template ragged_refuses<RaggedError>(
      "cache_lengths(0): found 3, expected at most max_cache_length = 2", batch, 2,
      Numbers{0, 1, 2});
}

TYPED_TEST(RaggedRefusals, RowOfTheTableTooShort) {
  this->template ragged_refuses<LookupTableError>(
      "lookup_table row of sequence 0: found 2 pages, expected at least 3 pages "
      "(sequence 0 needs 9 tokens in pages of 4)",
      this->good, 7, Numbers{0, 6, 7});
  // 5 cached tokens and 2 new ones in one page of 4.
  this->template ragged_refuses<LookupTableError>(
      "lookup_table row of sequence 0: found 1 pages, expected at least 2 pages "
      "(sequence 0 needs 7 tokens in pages of 4)",
      TestBatch{{5}, {{0}}}, 2, Numbers{0, 2});
}

// Cached tokens alone can be too many; the sequence needs no new row for that.
TYPED_TEST(RaggedRefusals, RowOfTheTableTooShortForCachedTokens) {
  this->template ragged_refuses<LookupTableError>(
      "lookup_table row of sequence 1: found 2 pages, expected at least 3 pages "
      "(sequence 1 needs 9 tokens in pages of 4)",
      TestBatch{{0, 9}, {{0, 1}, {2, 3}}}, 1, Numbers{0, 1, 1});
}

TYPED_TEST(RaggedRefusals, LengthsThatWouldWrapIn32Bits) {
  TestBatch batch{{0xFFFFFFFEu}, {{0, 1}}};
  batch.max_cache_length = 0xFFFFFFFFu;
  this->template ragged_refuses<LookupTableError>(
      "lookup_table row of sequence 0: found 2 pages, expected at least 1073741825 "
      "pages "
      "(sequence 0 needs 4294967300 tokens in pages of 4)",
      batch, 6, Numbers{0, 6});
}

TYPED_TEST(RaggedRefusals, PageOutsideThePool) {
  this->template ragged_refuses<LookupTableError>(
      "lookup_table(1, 1): found 6, expected below 6 (pages), or null_page",
      TestBatch{{3, 5}, {{0, 1}, {2, 6}}}, 2, Numbers{0, 1, 2});
  this->template ragged_refuses<LookupTableError>(
      "lookup_table(0, 0): found 4294967294, expected below 6 (pages), or "
      "null_page",
      TestBatch{{3, 0}, {{null_page - 1, 1}, {2, 3}}}, 2, Numbers{0, 1, 2});
}

// The pages of cached tokens are read by whoever works on the batch, so they are checked too.
TYPED_TEST(RaggedRefusals, PageOutsideThePoolBelowTheNewRows) {
  this->template ragged_refuses<LookupTableError>(
      "lookup_table(0, 0): found 99, expected below 6 (pages), or null_page",
      TestBatch{{4, 0}, {{99, 1}, {2, 3}}}, 2, Numbers{0, 1, 2});
}

TYPED_TEST(RaggedRefusals, TwoSequencesInOneSlot) {
  // Tokens 3, 4 of sequence 0 and 4, 5 of sequence 1: slot 0 of page 5 twice.
  this->template ragged_refuses<ConflictError>(
      "lookup_table row of sequence 1: found page 5 whose slot 0 sequence 0 "
      "writes too, expected a slot of its own",
      TestBatch{{3, 4}, {{0, 5}, {2, 5}}}, 4, Numbers{0, 2, 4});
  // Only the last slot of one run and the first of the other meet.
  this->template ragged_refuses<ConflictError>(
      "lookup_table row of sequence 1: found page 1 whose slot 2 sequence 0 "
      "writes too, expected a slot of its own",
      TestBatch{{0, 2}, {{1, 0}, {1, 2}}}, 5, Numbers{0, 3, 5});
}

TYPED_TEST(RaggedRefusals, OneSequenceTwiceInOneSlot) {
  this->template ragged_refuses<ConflictError>(
      "lookup_table row of sequence 0: found page 1 whose slot 0 sequence 0 "
      "writes too, expected a slot of its own",
      TestBatch{{0}, {{1, 1}}}, 5, Numbers{0, 5});
}

// Whatever order the threads look in, the first sequence is told, and of it the first kind of
// fault.
TYPED_TEST(RaggedRefusals, FirstOfSeveralFaults) {
  TestBatch batch;
  for (std::uint32_t b = 0; b < 64; ++b) {
    batch.cache_lengths.push_back(b % 2 == 0 ? 3 : 50);
    batch.table.push_back({b < 5 ? b : 1000 + b, 5});
  }
  Numbers offsets(65);
  for (std::uint32_t b = 0; b <= 64; ++b) offsets[b] = b;
  std::string const message =
      "lookup_table row of sequence 1: found 2 pages, expected at least 13 pages "
      "(sequence 1 needs 51 tokens in pages of 4)";
  for (int repeat = 0; repeat < 5; ++repeat) {
    this->template ragged_refuses<LookupTableError>(message, batch, 64, offsets);
  }
  batch.max_cache_length = 49;
  this->template ragged_refuses<RaggedError>(
      "cache_lengths(1): found 50, expected at most max_cache_length = 49", batch, 64, offsets);
  // Offsets that do not end at the number of tokens belong to the last place.
  this->template ragged_refuses<RaggedError>(
      "cache_lengths(1): found 50, expected at most max_cache_length = 49", batch, 65, offsets);
}

TYPED_TEST(RaggedRefusals, FirstOfSeveralConflicts) {
  TestBatch batch;
  for (int b = 0; b < 64; ++b) {
    batch.cache_lengths.push_back(0);
    batch.table.push_back({b < 3 ? static_cast<std::uint32_t>(b) : 4, 5});
  }
  Numbers offsets(65);
  for (std::uint32_t b = 0; b <= 64; ++b) offsets[b] = b;
  for (int repeat = 0; repeat < 5; ++repeat) {
    this->template ragged_refuses<ConflictError>(
        "lookup_table row of sequence 4: found page 4 whose slot 0 sequence "
        "3 "
        "writes too, expected a slot of its own",
        batch, 64, offsets);
  }
}

}  // namespace KokkosKVTest
