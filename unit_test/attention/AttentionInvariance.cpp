// Results of a sequence have the same bits whatever else is in the batch, whatever pages it has,
// and for any number of threads.
#include <gtest/gtest.h>

#include <KokkosKV.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <ExecutionSpaces.hpp>
#include <reference/Arrays.hpp>
#include <reference/Random.hpp>
#include "AttentionBatch.hpp"

namespace KokkosKVTest {

using KokkosKV::bf16;

template <class ExecSpace>
class AttentionInvariance : public testing::Test {};
TYPED_TEST_SUITE(AttentionInvariance, DefaultSpaces, ExecutionSpaceName);

/// A sequence's part of a result.
template <class Out>
AttentionResult<Out> part_of(AttentionResult<Out> const& all, std::size_t first, std::size_t rows) {
  auto const& output = all.output;
  auto const width   = output.heads * output.dims;
  auto const at      = [](auto const& list, std::size_t index) {
    return list.begin() + static_cast<std::ptrdiff_t>(index);
  };
  return {{rows,
           output.heads,
           output.dims,
           {at(output.elements, first * width), at(output.elements, (first + rows) * width)}},
          {at(all.lse, first * output.heads), at(all.lse, (first + rows) * output.heads)}};
}

/// The sequences of `batch` alone and together, with other pages each time.
template <class ExecSpace, class T, class Shape>
void check_alone_and_together(std::uint64_t seed, std::size_t group, TestRule const& rule,
                              std::vector<KokkosKV::SharedPrefix> const& prefixes = {}) {
  using memory_space = typename ExecSpace::memory_space;
  using form_type    = KokkosKV::Impl::native_form<ExecSpace>;
  Random random(seed);
  AttentionBatch<T, Shape> together;
  for (int i = 0; i < 6; ++i) {
    together.cached.push_back(
        static_cast<std::uint32_t>(random.pick<std::size_t>({0, 5, 64, 1023, 2100, 4500})));
    together.rows.push_back(
        static_cast<std::uint32_t>(random.pick<std::size_t>({0, 1, 1, 3, 40, 150})));
  }
  for (auto const& prefix : prefixes) {
    for (std::size_t i = 0; i < prefix.num_sequences; ++i) {
      together.cached[prefix.first_sequence + i] =
          prefix.length + static_cast<std::uint32_t>(random.below(30));
    }
  }
  together.make_pages(random, prefixes);
  together.fill(random);
  auto const offsets = together.offsets();
  auto const queries =
      random_queries<float>(random, offsets.back(), group * Shape::num_heads, Shape::head_size);
  auto const params = to_params(rule, memory_space{});
  KokkosKV::AttentionPlanOptions options;
  options.shared_prefixes = prefixes;
  auto const all          = attend<ExecSpace, form_type, float>(ExecSpace{}, together, queries,
                                                                Shape::value_row_size, params, options);
  for (std::size_t b = 0; b < together.batch_size(); ++b) {
    AttentionBatch<T, Shape> alone;
    alone.cached = {together.cached[b]};
    alone.rows   = {together.rows[b]};
    alone.make_pages(random);
    for (std::size_t token = 0; token < alone.tokens(0); ++token) {
      for (std::size_t head = 0; head < Shape::num_heads; ++head) {
        std::copy_n(together.key(b, token, head), Shape::head_size, alone.key(0, token, head));
        std::copy_n(together.value(b, token, head), Shape::value_row_size,
                    alone.value(0, token, head));
      }
    }
    HeadRows<float> part{alone.rows[0], queries.heads, queries.dims, {}};
    auto const width = queries.heads * queries.dims;
    part.elements.assign(
        queries.elements.begin() + static_cast<std::ptrdiff_t>(offsets[b] * width),
        queries.elements.begin() + static_cast<std::ptrdiff_t>(offsets[b + 1] * width));
    KokkosKV::AttentionPlanOptions own;
    for (auto const& prefix : prefixes) {
      bool const inside =
          b >= prefix.first_sequence && b < prefix.first_sequence + prefix.num_sequences;
      if (inside) own.shared_prefixes = {{0, 1, prefix.length}};
    }
    auto const found    = attend<ExecSpace, form_type, float>(ExecSpace{}, alone, part,
                                                              Shape::value_row_size, params, own);
    auto const expected = part_of(all, offsets[b], alone.rows[0]);
    auto const describe = [&](std::size_t i) {
      return "sequence " + std::to_string(b) + ", element " + std::to_string(i);
    };
    EXPECT_TRUE(same_bits(found.output.elements, expected.output.elements, describe));
    EXPECT_TRUE(same_bits(found.lse, expected.lse, describe));
  }
}

TYPED_TEST(AttentionInvariance, AloneAndTogether) {
  TestRule rule;
  check_alone_and_together<TypeParam, float, KeyShape<16, 2, 64>>(1, 1, rule);
  check_alone_and_together<TypeParam, float, KeyShape<7, 1, 40>>(2, 4, rule);
  rule.sinks = std::vector<float>(12, 0.5f);
  check_alone_and_together<TypeParam, bf16, KeyShape<16, 2, 64>>(3, 6, rule);
  rule.visibility.window_left  = 700;
  rule.visibility.first_tokens = 4;
  check_alone_and_together<TypeParam, bf16, KeyShape<48, 2, 80>>(4, 6, rule);
}

TYPED_TEST(AttentionInvariance, SharedPrefixes) {
  TestRule rule;
  check_alone_and_together<TypeParam, float, KeyShape<16, 2, 64>>(5, 2, rule, {{1, 4, 2048}});
  rule.visibility.window_left = 150;
  check_alone_and_together<TypeParam, float, KeyShape<16, 2, 64>>(6, 2, rule,
                                                                  {{0, 3, 320}, {4, 2, 64}});
}

TYPED_TEST(AttentionInvariance, RunTwice) {
  // Workers meet units in another order each time.
  using form_type = KokkosKV::Impl::native_form<TypeParam>;
  Random random(8);
  AttentionBatch<float, KeyShape<16, 2, 64>> batch;
  for (int i = 0; i < 20; ++i) {
    batch.cached.push_back(static_cast<std::uint32_t>(random.below(3000)));
    batch.rows.push_back(static_cast<std::uint32_t>(random.below(4)));
  }
  batch.make_pages(random);
  batch.fill(random);
  auto const queries = random_queries<float>(random, batch.offsets().back(), 4, 64);
  auto const params  = to_params(TestRule{}, typename TypeParam::memory_space{});
  auto const run     = [&] {
    return attend<TypeParam, form_type, float>(TypeParam{}, batch, queries, 64, params);
  };
  auto const first = run();
  auto const index = [](std::size_t i) { return std::to_string(i); };
  for (int i = 0; i < 3; ++i) {
    auto const again = run();
    EXPECT_TRUE(same_bits(again.output.elements, first.output.elements, index));
    EXPECT_TRUE(same_bits(again.lse, first.lse, index));
  }
}

}  // namespace KokkosKVTest
