// Refusals of plans and calls of attention, word for word, with untouched results.
#include <gtest/gtest.h>

#include <KokkosKV.hpp>
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <ExecutionSpaces.hpp>
#include <support/Refusal.hpp>
#include <support/TestBatch.hpp>

namespace KokkosKVTest {

using KokkosKV::AttentionParams;
using KokkosKV::AttentionPlan;
using KokkosKV::AttentionPlanOptions;
using KokkosKV::AttentionShape;
using KokkosKV::LookupTableError;
using KokkosKV::RaggedError;
using KokkosKV::ShapeError;
using KokkosKV::Visibility;

/// Two sequences of 5 and 0 cached tokens with 1 and 2 rows; pages of 4 tokens, 2 heads of 8.
template <class ExecSpace>
class AttentionRefusals : public testing::Test {
 protected:
  using memory_space = typename ExecSpace::memory_space;
  using heads_type   = Kokkos::View<float***, Kokkos::LayoutRight, memory_space>;
  using lse_type     = Kokkos::View<float**, memory_space>;
  using blocks_type  = Kokkos::View<float*** [4][2][8], Kokkos::LayoutRight, memory_space>;
  using plan_type    = AttentionPlan<ExecSpace>;
  using params_type  = AttentionParams<memory_space>;

  Numbers const offsets{0, 1, 3};
  TestBatch const batch{{5, 0}, {{0, 1}, {2, 3}}};
  blocks_type const blocks{"KokkosKV::test", 4, 2, 1};
  heads_type const q{"KokkosKV::test", 3, 4, 8};
  heads_type const output{"KokkosKV::test", 3, 4, 8};
  lse_type const lse{"KokkosKV::test", 3, 4};
  AttentionShape const shape{4, 2, 8, 8};

  plan_type plan(AttentionPlanOptions const& options = {},
                 Visibility const& visibility        = {}) const {
    return plan_type(ExecSpace{}, shape, to_view<memory_space>(offsets),
                     to_view<memory_space>(batch.cache_lengths), visibility, options);
  }

  template <class Error, class Call>
  void refuses(std::string const& message, Call const& call) const {
    Kokkos::deep_copy(output, 7.0f);
    Kokkos::deep_copy(lse, 7.0f);
    expect_refusal<Error>(message, call);
    Kokkos::fence("KokkosKV::test");
    for (float const element : to_vector(output)) EXPECT_EQ(element, 7.0f);
    for (float const element : to_vector(lse)) EXPECT_EQ(element, 7.0f);
  }

  /// A call with other arguments than those that fit.
  struct Arguments {
    heads_type q, output;
    lse_type lse;
    Numbers offsets;
    TestBatch batch;
    params_type params;
  };
  Arguments arguments() const { return {q, output, lse, offsets, batch, {}}; }

  void call(plan_type const& made, Arguments const& with) const {
    auto const collection = with.batch.collection(blocks);
    KokkosKV::paged_attention(ExecSpace{}, made, with.q, collection.get_key_cache(0),
                              collection.get_value_cache(0), to_view<memory_space>(with.offsets),
                              with.output, with.lse, with.params);
    Kokkos::fence("KokkosKV::test");
  }

  template <class Error>
  void refuses_call(std::string const& message, Arguments const& with) const {
    refuses<Error>("paged_attention: " + message, [&] { call(plan(), with); });
  }

  template <class Error>
  void refuses_plan(std::string const& message, AttentionShape const& with, Numbers const& rows,
                    Numbers const& lengths, AttentionPlanOptions const& options = {}) const {
    expect_refusal<Error>("AttentionPlan: " + message, [&] {
      plan_type(ExecSpace{}, with, to_view<memory_space>(rows), to_view<memory_space>(lengths), {},
                options);
    });
  }
};
TYPED_TEST_SUITE(AttentionRefusals, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(AttentionRefusals, WhatFitsIsAccepted) {
  this->call(this->plan(), this->arguments());
  for (float const element : to_vector(this->output)) EXPECT_EQ(element, 0.0f);
}

TYPED_TEST(AttentionRefusals, Shapes) {
  Numbers const& rows    = this->offsets;
  Numbers const& lengths = this->batch.cache_lengths;
  auto const refuse      = [&](std::string const& message, AttentionShape const& shape) {
    this->template refuses_plan<ShapeError>(message, shape, rows, lengths);
  };
  refuse("shape.num_kv_heads: found 0, expected 1 to 33554431", {4, 0, 8, 8});
  refuse("shape.num_query_heads: found 1, expected 2 to 128", {1, 2, 8, 8});
  refuse("shape.num_query_heads: found 130, expected 2 to 128", {130, 2, 8, 8});
  refuse("shape.num_query_heads: found 5, expected a multiple of num_kv_heads = 2", {5, 2, 8, 8});
  refuse("shape.head_size: found 577, expected 1 to 576", {4, 2, 577, 8});
  refuse("shape.value_head_size: found 0, expected 1 to 576", {4, 2, 8, 0});
}

TYPED_TEST(AttentionRefusals, Lengths) {
  auto const refuse = [&]<class Error>(Error*, std::string const& message, Numbers const& rows,
                                       Numbers const& lengths) {
    this->template refuses_plan<Error>(message, this->shape, rows, lengths);
  };
  ShapeError* const shape   = nullptr;
  RaggedError* const ragged = nullptr;
  refuse(shape, "input_row_offsets.extent(0): found 2, expected 3", {0, 1}, {5, 0});
  refuse(ragged, "input_row_offsets(0): found 1, expected 0", {1, 2, 3}, {5, 0});
  refuse(ragged, "input_row_offsets(2): found 1, expected at least input_row_offsets(1) = 2",
         {0, 2, 1}, {5, 0});
  refuse(ragged, "cache_lengths(1): found 2147483647, expected at most 2147483645 with 2 new rows",
         {0, 1, 3}, {5, 2147483647u});
}

TYPED_TEST(AttentionRefusals, Options) {
  auto const refuse = [&]<class Error>(Error*, std::string const& message,
                                       AttentionPlanOptions const& options) {
    this->template refuses_plan<Error>(message, this->shape, {0, 1, 3}, {5, 0}, options);
  };
  ShapeError* const shape   = nullptr;
  RaggedError* const ragged = nullptr;
  refuse(shape, "options.split_tokens: found 63, expected 64 to 1024", {true, 63, {}});
  refuse(shape, "options.split_tokens: found 1025, expected 64 to 1024", {true, 1025, {}});
  refuse(shape, "options.shared_prefixes(0).first_sequence: found 2, expected 0 to 1",
         {true, 64, {{2, 1, 1}}});
  refuse(shape, "options.shared_prefixes(1).first_sequence: found 0, expected 1 to 1",
         {true, 64, {{0, 1, 1}, {0, 1, 1}}});
  refuse(shape, "options.shared_prefixes(0).num_sequences: found 3, expected 1 to 2",
         {true, 64, {{0, 3, 1}}});
  refuse(ragged,
         "options.shared_prefixes(0).length: found 6, expected 1 to 5, the cache length of "
         "sequence 0",
         {true, 64, {{0, 1, 6}}});
  refuse(ragged,
         "options.shared_prefixes(0).length: found 0, expected 1 to 5, the cache length of "
         "sequence 0",
         {true, 64, {{0, 1, 0}}});
}

TYPED_TEST(AttentionRefusals, Extents) {
  using heads_type = typename TestFixture::heads_type;
  using lse_type   = typename TestFixture::lse_type;
  auto with        = this->arguments();
  with.q           = heads_type("KokkosKV::test", 2, 4, 8);
  this->template refuses_call<ShapeError>("q.extent(0): found 2, expected 3", with);
  with.q = heads_type("KokkosKV::test", 3, 2, 8);
  this->template refuses_call<ShapeError>("q.extent(1): found 2, expected 4", with);
  with.q = heads_type("KokkosKV::test", 3, 4, 7);
  this->template refuses_call<ShapeError>("q.extent(2): found 7, expected 8", with);
  with        = this->arguments();
  with.output = heads_type("KokkosKV::test", 3, 4, 9);
  this->template refuses_call<ShapeError>("output.extent(2): found 9, expected 8", with);
  with     = this->arguments();
  with.lse = lse_type("KokkosKV::test", 3, 5);
  this->template refuses_call<ShapeError>("lse.extent(1): found 5, expected 4", with);
  with         = this->arguments();
  with.offsets = {0, 1, 3, 3};
  this->template refuses_call<ShapeError>("input_row_offsets.extent(0): found 4, expected 3", with);
  with       = this->arguments();
  with.batch = {{5}, {{0, 1}}};
  this->template refuses_call<ShapeError>("key_cache.batch_size(): found 1, expected 2", with);
}

TYPED_TEST(AttentionRefusals, Params) {
  using memory_space = typename TestFixture::memory_space;
  auto with          = this->arguments();
  // A window that the plan does not know would end at its tiles.
  with.params.visibility.window_left = 5;
  this->template refuses_call<ShapeError>(
      "params.visibility: found {causal true, window_left 5, window_right unlimited, first_tokens "
      "0, keys cache_and_rows}, expected {causal true, window_left unlimited, window_right "
      "unlimited, first_tokens 0, keys cache_and_rows}, what the plan was made with",
      with);
  with              = this->arguments();
  with.params.scale = INFINITY;
  this->template refuses_call<ShapeError>("params.scale: found inf, expected a finite number",
                                          with);
  with                 = this->arguments();
  with.params.soft_cap = -1;
  this->template refuses_call<ShapeError>(
      "params.soft_cap: found -1.000000, expected a positive number, or 0 for none", with);
  with                     = this->arguments();
  with.params.alibi_slopes = Kokkos::View<float*, memory_space>("KokkosKV::test", 2);
  this->template refuses_call<ShapeError>("params.alibi_slopes.extent(0): found 2, expected 4",
                                          with);
  with                    = this->arguments();
  with.params.sink_logits = Kokkos::View<float*, memory_space>("KokkosKV::test", 3);
  this->template refuses_call<ShapeError>("params.sink_logits.extent(0): found 3, expected 4",
                                          with);
}

TYPED_TEST(AttentionRefusals, RowOfTheTableTooShort) {
  // 5 cached tokens and 5 rows need three pages; the row holds two, and a number that is no page
  // follows it in memory.
  using memory_space = typename TestFixture::memory_space;
  auto const rows    = to_view<memory_space>({0, 5, 5});
  auto const lengths = to_view<memory_space>({5, 0});
  typename TestFixture::plan_type const plan(TypeParam{}, this->shape, rows, lengths);
  typename TestFixture::heads_type const q("KokkosKV::test", 5, 4, 8);
  auto const collection = this->batch.collection(this->blocks);
  this->template refuses<LookupTableError>(
      "paged_attention: key_cache.lookup_table().max_pages(): found 2, expected at least 3 pages "
      "for sequence 0 of 10 keys",
      [&] {
        KokkosKV::paged_attention(TypeParam{}, plan, q, collection.get_key_cache(0),
                                  collection.get_value_cache(0), rows, q);
      });
  this->template refuses<LookupTableError>(
      "make_attention_plan: key_cache.lookup_table().max_pages(): found 2, expected at least 3 "
      "pages for sequence 0 of 10 keys",
      [&] { KokkosKV::make_attention_plan(TypeParam{}, collection.get_key_cache(0), rows, 4); });
}

TYPED_TEST(AttentionRefusals, PagesOutsideThePool) {
  using memory_space = typename TestFixture::memory_space;
  TestBatch const other{{5, 0}, {{0, 1}, {4, 9}}};
  auto const collection = other.collection(this->blocks);
  auto const cache      = collection.get_key_cache(0);
  auto const rows       = to_view<memory_space>(this->offsets);
  this->template refuses<LookupTableError>(
      "make_attention_plan: lookup_table(1, 0): found 4, expected less than num_blocks = 4, or "
      "null_page",
      [&] { KokkosKV::make_attention_plan(TypeParam{}, cache, rows, 4); });
  // Values of another collection have a table of their own.
  typename TestFixture::plan_type const plan(TypeParam{}, this->shape, rows,
                                             to_view<memory_space>(other.cache_lengths));
  this->template refuses<LookupTableError>(
      "check_attention_pages: lookup_table(1, 0): found 4, expected less than num_blocks = 4, or "
      "null_page",
      [&] { KokkosKV::check_attention_pages(TypeParam{}, plan, cache); });
  // Entries past the keys of a sequence are not looked at.
  TestBatch const sound{{5, 0}, {{0, 1}, {KokkosKV::null_page, 9}}};
  auto const sound_collection = sound.collection(this->blocks);
  KokkosKV::make_attention_plan(TypeParam{}, sound_collection.get_key_cache(0), rows, 4);
}

TYPED_TEST(AttentionRefusals, OtherLengthsThanThePlan) {
  if (!KokkosKV::Impl::is_host_execution_v<TypeParam>) GTEST_SKIP() << "seen on hosts only";
  auto with    = this->arguments();
  with.offsets = {0, 2, 3};
  this->template refuses_call<RaggedError>(
      "input_row_offsets(1): found 2, expected 1, what the plan was made with", with);
  with       = this->arguments();
  with.batch = {{5, 1}, {{0, 1}, {2, 3}}};
  this->template refuses_call<RaggedError>(
      "cache_lengths(1): found 1, expected 0, what the plan was made with", with);
}

TYPED_TEST(AttentionRefusals, SharedPrefixes) {
  using memory_space  = typename TestFixture::memory_space;
  auto const prefixed = AttentionPlanOptions{true, 64, {{0, 2, 4}}};
  TestBatch const other{{5, 4}, {{0, 1}, {2, 3}}};
  auto const rows       = to_view<memory_space>(this->offsets);
  auto const collection = other.collection(this->blocks);
  auto const cache      = collection.get_key_cache(0);
  typename TestFixture::plan_type const plan(
      TypeParam{}, this->shape, rows, to_view<memory_space>(other.cache_lengths), {}, prefixed);
  this->template refuses<LookupTableError>(
      "cascade_attention: key_cache.lookup_table(1, 0): found 2, expected 0, the page of sequence "
      "0, with which it shares 4 tokens",
      [&] {
        KokkosKV::cascade_attention(TypeParam{}, plan, this->q, cache, cache, rows, this->output,
                                    this->lse, typename TestFixture::params_type{});
      });
  this->template refuses<ShapeError>(
      "paged_attention: plan.options().shared_prefixes.size(): found 1, expected 0, or a call of "
      "cascade_attention",
      [&] {
        KokkosKV::paged_attention(TypeParam{}, plan, this->q, cache, cache, rows, this->output,
                                  this->lse);
      });
}

}  // namespace KokkosKVTest
