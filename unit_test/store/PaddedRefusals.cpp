// Refusals of kv_cache_store_padded() and of its key and value form, word for word.
#include <StoreRefusal.hpp>

namespace KokkosKVTest {

using KokkosKV::ConflictError;
using KokkosKV::LookupTableError;
using KokkosKV::PaddedShape;
using KokkosKV::RaggedError;
using KokkosKV::ShapeError;

template <class ExecSpace>
class PaddedRefusals : public StoreRefusal<ExecSpace> {
 protected:
  // Sequence 0 has 3 tokens, sequence 1 none; room for 8 tokens each.
  TestBatch const good{{3, 0}, {{0, 1}, {2, 3}}};
};
TYPED_TEST_SUITE(PaddedRefusals, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(PaddedRefusals, Batch) {
  auto const lengths = to_view<typename TypeParam::memory_space>({1, 1});
  this->template padded_refuses<ShapeError>("input_shape[0]: found 3, expected 2", this->good,
                                            PaddedShape{3, 4, 2, 4}, lengths);
  this->template padded_refuses<ShapeError>("input_shape[0]: found 1, expected 0",
                                            TestBatch{{}, {}}, PaddedShape{1, 4, 2, 4},
                                            to_view<typename TypeParam::memory_space>({}));
}

TYPED_TEST(PaddedRefusals, Heads) {
  auto const lengths = to_view<typename TypeParam::memory_space>({1, 1});
  this->template padded_refuses<ShapeError>("input_shape[2]: found 1, expected 2", this->good,
                                            PaddedShape{2, 4, 1, 4}, lengths);
}

TYPED_TEST(PaddedRefusals, HeadSize) {
  auto const lengths = to_view<typename TypeParam::memory_space>({1, 1});
  this->template padded_refuses<ShapeError>("input_shape[3]: found 8, expected 4", this->good,
                                            PaddedShape{2, 4, 2, 8}, lengths);
}

TYPED_TEST(PaddedRefusals, NumberOfLengths) {
  this->template padded_refuses<ShapeError>("valid_lengths.extent(0): found 3, expected 2",
                                            this->good, 4, Numbers{1, 1, 1});
}

TYPED_TEST(PaddedRefusals, StrideOfLengths) {
  auto const lengths = to_strided_view<typename TypeParam::memory_space>({1, 1});
  this->template padded_refuses<ShapeError>("valid_lengths.stride(0): found 2, expected 1",
                                            this->good, PaddedShape{2, 4, 2, 4}, lengths);
}

TYPED_TEST(PaddedRefusals, LengthPastTheRows) {
  this->template padded_refuses<RaggedError>(
      "valid_lengths(1): found 5, expected at most 4, the rows of the input", this->good, 4,
      Numbers{1, 5});
  this->template padded_refuses<RaggedError>(
      "valid_lengths(0): found 4294967295, expected at most 4, the rows of "
      "the "
      "input",
      this->good, 4, Numbers{0xFFFFFFFFu, 1});
}

TYPED_TEST(PaddedRefusals, MoreRowsThanAnnounced) {
  auto batch              = this->good;
  batch.max_prompt_length = 2;
  this->template padded_refuses<RaggedError>(
      "valid_lengths of sequence 1: found 3 rows, expected at most "
      "max_prompt_length = 2",
      batch, 4, Numbers{2, 3});
}

TYPED_TEST(PaddedRefusals, MoreCachedTokensThanAnnounced) {
  auto batch             = this->good;
  batch.max_cache_length = 2;
  this->template padded_refuses<RaggedError>(
      "cache_lengths(0): found 3, expected at most max_cache_length = 2", batch, 4, Numbers{1, 1});
}

TYPED_TEST(PaddedRefusals, RowOfTheTableTooShort) {
  this->template padded_refuses<LookupTableError>(
      "lookup_table row of sequence 0: found 2 pages, expected at least 3 pages "
      "(sequence 0 needs 9 tokens in pages of 4)",
      this->good, 6, Numbers{6, 6});
}

TYPED_TEST(PaddedRefusals, LengthsThatWouldWrapIn32Bits) {
  TestBatch batch{{0xFFFFFFFFu}, {{0, 1}}};
  batch.max_cache_length = 0xFFFFFFFFu;
  this->template padded_refuses<LookupTableError>(
      "lookup_table row of sequence 0: found 2 pages, expected at least 1073741825 "
      "pages "
      "(sequence 0 needs 4294967297 tokens in pages of 4)",
      batch, 4, Numbers{2});
}

TYPED_TEST(PaddedRefusals, PageOutsideThePool) {
  this->template padded_refuses<LookupTableError>(
      "lookup_table(1, 0): found 6, expected below 6 (pages), or null_page",
      TestBatch{{3, 0}, {{0, 1}, {6, 3}}}, 2, Numbers{1, 1});
}

TYPED_TEST(PaddedRefusals, TwoSequencesInOneSlot) {
  this->template padded_refuses<ConflictError>(
      "lookup_table row of sequence 2: found page 5 whose slot 3 sequence 0 "
      "writes too, expected a slot of its own",
      TestBatch{{3, 0, 2}, {{5, 1}, {2, 3}, {5, 4}}}, 3, Numbers{1, 3, 2});
}

TYPED_TEST(PaddedRefusals, OneSequenceTwiceInOneSlot) {
  this->template padded_refuses<ConflictError>(
      "lookup_table row of sequence 1: found page 1 whose slot 2 sequence 1 "
      "writes too, expected a slot of its own",
      TestBatch{{0, 2}, {{0, 3}, {1, 1}}}, 5, Numbers{1, 5});
}

TYPED_TEST(PaddedRefusals, FirstOfSeveralFaults) {
  TestBatch batch;
  Numbers lengths;
  for (std::uint32_t b = 0; b < 64; ++b) {
    batch.cache_lengths.push_back(b);
    batch.table.push_back({b < 2 ? b : 1000 + b, 5});
    lengths.push_back(b < 4 ? 1 : 9);
  }
  for (int repeat = 0; repeat < 5; ++repeat) {
    this->template padded_refuses<LookupTableError>(
        "lookup_table(2, 0): found 1002, expected below 6 (pages), or "
        "null_page",
        batch, 4, lengths);
  }
}

}  // namespace KokkosKVTest
