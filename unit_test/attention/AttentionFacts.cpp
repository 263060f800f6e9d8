// Small batches whose results are known: the corner cases of other caches.
#include <gtest/gtest.h>

#include <KokkosKV.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <ExecutionSpaces.hpp>
#include <reference/Random.hpp>
#include "AttentionBatch.hpp"

namespace KokkosKVTest {

using KokkosKV::bf16;
using KokkosKV::half;
using KokkosKV::null_page;
using KokkosKV::Visibility;

constexpr float infinity     = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

template <class ExecSpace>
class AttentionFacts : public testing::Test {
 protected:
  using form_type    = KokkosKV::Impl::native_form<ExecSpace>;
  using memory_space = typename ExecSpace::memory_space;

  /// A batch with pages in the order of the sequences, queries and keys of zeros.
  template <class T, class Shape>
  static AttentionBatch<T, Shape> batch(Numbers const& cached, Numbers const& rows) {
    AttentionBatch<T, Shape> result;
    result.cached = cached;
    result.rows   = rows;
    Random random(17);
    result.make_pages(random);
    for (std::size_t b = 0; b < cached.size(); ++b) {
      for (std::size_t token = 0; token < result.tokens(b); ++token) {
        for (std::size_t head = 0; head < Shape::num_heads; ++head) {
          std::fill_n(result.key(b, token, head), Shape::head_size, T(0.0f));
        }
      }
    }
    return result;
  }

  template <class T, class Shape>
  static HeadRows<float> zero_queries(AttentionBatch<T, Shape> const& batch,
                                      std::size_t group = 1) {
    HeadRows<float> result{batch.offsets().back(), group * Shape::num_heads, Shape::head_size, {}};
    result.elements.assign(result.rows * result.heads * result.dims, 0.0f);
    return result;
  }

  template <class Out = float, class T, class Shape>
  static auto run(AttentionBatch<T, Shape> const& batch, HeadRows<float> const& queries,
                  TestRule const& rule = {}, KokkosKV::AttentionPlanOptions const& options = {}) {
    return attend<ExecSpace, form_type, Out>(ExecSpace{}, batch, queries, Shape::value_row_size,
                                             to_params(rule, memory_space{}), options);
  }

  /// Values of each token: its number plus one in the element of that number, else zero.
  template <class T, class Shape>
  static void one_hot_values(AttentionBatch<T, Shape>& batch) {
    for (std::size_t b = 0; b < batch.batch_size(); ++b) {
      for (std::size_t token = 0; token < batch.tokens(b); ++token) {
        if (!batch.is_there(b, token)) continue;
        for (std::size_t head = 0; head < Shape::num_heads; ++head) {
          for (int d = 0; d < Shape::value_row_size; ++d) {
            batch.value(b, token, head)[d] = T(static_cast<std::size_t>(d) == token ? 1.0f : 0.0f);
          }
        }
      }
    }
  }
};
TYPED_TEST_SUITE(AttentionFacts, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(AttentionFacts, CausalRowsEndAtThemselves) {
  auto batch = TestFixture::template batch<float, KeyShape<4, 1, 4>>({1}, {2});
  TestFixture::one_hot_values(batch);
  auto const found = TestFixture::run(batch, TestFixture::zero_queries(batch));
  for (std::size_t d = 0; d < 4; ++d) {
    EXPECT_FLOAT_EQ(found.output(0, 0, d), d < 2 ? 0.5f : 0.0f);
    EXPECT_FLOAT_EQ(found.output(1, 0, d), d < 3 ? 1.0f / 3 : 0.0f);
  }
}

TYPED_TEST(AttentionFacts, FirstPageIsMissing) {
  auto batch     = TestFixture::template batch<float, KeyShape<4, 1, 8>>({0}, {6});
  batch.table[0] = {null_page, 2};
  Random random(3);
  std::fill(batch.keys.begin(), batch.keys.end(), not_a_number);
  for (std::size_t token = 4; token < 6; ++token) {
    std::fill_n(batch.key(0, token, 0), 8, 0.0f);
    for (int d = 0; d < 8; ++d) batch.value(0, token, 0)[d] = static_cast<float>(random.below(9));
  }
  auto const found = TestFixture::run(batch, TestFixture::zero_queries(batch));
  for (std::size_t row = 0; row < 4; ++row) {
    EXPECT_EQ(found.lse[row], -infinity);
    for (std::size_t d = 0; d < 8; ++d) EXPECT_EQ(found.output(row, 0, d), 0.0f);
  }
  for (std::size_t d = 0; d < 8; ++d) {
    EXPECT_EQ(found.output(4, 0, d), batch.value(0, 4, 0)[d]);
    EXPECT_FLOAT_EQ(found.output(5, 0, d), (batch.value(0, 4, 0)[d] + batch.value(0, 5, 0)[d]) / 2);
  }
}

TYPED_TEST(AttentionFacts, OneKeyGivesItsValueAndLogit) {
  // Natural logarithms, and one sequence a page.
  for (std::uint32_t const sequences : {2u, 7u}) {
    auto batch   = TestFixture::template batch<float, KeyShape<2, 1, 4>>(Numbers(sequences, 0u),
                                                                         Numbers(sequences, 1u));
    auto queries = TestFixture::zero_queries(batch);
    for (std::uint32_t b = 0; b < sequences; ++b) {
      batch.key(b, 0, 0)[1]       = 1;
      queries.elements[b * 4 + 1] = 2;
      for (int d = 0; d < 4; ++d) batch.value(b, 0, 0)[d] = 0.1f * static_cast<float>(d + 1);
    }
    TestRule rule;
    rule.scale       = 1.0f;
    auto const found = TestFixture::run(batch, queries, rule);
    for (std::uint32_t b = 0; b < sequences; ++b) {
      EXPECT_EQ(found.lse[b], 2.0f);
      for (std::size_t d = 0; d < 4; ++d) {
        EXPECT_EQ(found.output(b, 0, d), 0.1f * static_cast<float>(d + 1));
      }
    }
  }
}

TYPED_TEST(AttentionFacts, BiasIsRelativeToTheRow) {
  TestRule rule;
  rule.slopes = {0.5f};
  // The last row of a prefill, and the same token decoded.
  for (std::uint32_t const cached : {0u, 7u}) {
    auto batch = TestFixture::template batch<float, KeyShape<4, 1, 8>>({cached}, {8 - cached});
    TestFixture::one_hot_values(batch);
    auto const found = TestFixture::run(batch, TestFixture::zero_queries(batch), rule);
    double sum       = 0;
    for (int key = 0; key < 8; ++key) sum += std::exp(-0.5 * (7 - key));
    EXPECT_NEAR(found.lse.back(), std::log(sum), 1e-6);
  }
  auto batch = TestFixture::template batch<half, KeyShape<256, 1, 1>>({99'999}, {1});
  for (std::size_t token = 0; token < 100'000; ++token) *batch.value(0, token, 0) = half(1.0f);
  auto const found = TestFixture::run(batch, TestFixture::zero_queries(batch), rule);
  EXPECT_NEAR(found.lse[0], -std::log1p(-std::exp(-0.5)), 1e-6);
}

TYPED_TEST(AttentionFacts, LongSequencesKeepTheirSums) {
  // A constant that float cannot hold exactly shows every bias of rounding.
  auto batch = TestFixture::template batch<float, KeyShape<64, 1, 2>>({131'060}, {12});
  for (std::size_t token = 0; token < 131'072; ++token) {
    batch.value(0, token, 0)[0] = 0.7f;
    batch.value(0, token, 0)[1] = -0.3f;
  }
  // One row is decoded from split keys; twelve rows of eight heads take long ranges.
  for (std::size_t const group : {std::size_t(1), std::size_t(8)}) {
    auto const found = TestFixture::run(batch, TestFixture::zero_queries(batch, group));
    for (std::size_t row = 0; row < 12; ++row) {
      EXPECT_NEAR(found.output(row, group - 1, 0), 0.7, 0.7 * 5e-6);
      EXPECT_NEAR(found.output(row, group - 1, 1), -0.3, 0.3 * 5e-6);
      EXPECT_NEAR(found.lse[row * group], std::log(131'061.0 + static_cast<double>(row)), 1e-5);
    }
  }
  batch.cached[0]  = 131'071;
  batch.rows[0]    = 1;
  auto const found = TestFixture::run(batch, TestFixture::zero_queries(batch));
  EXPECT_NEAR(found.output(0, 0, 0), 0.7, 0.7 * 5e-6);
}

TYPED_TEST(AttentionFacts, LargeLogits) {
  // Exact in float: two keys share the largest logit.
  for (std::size_t const group : {std::size_t(1), std::size_t(16)}) {
    auto batch = TestFixture::template batch<float, KeyShape<5, 1, 8>>({40}, {1});
    TestFixture::one_hot_values(batch);
    for (std::size_t token = 0; token < 41; ++token) batch.key(0, token, 0)[3] = -100;
    batch.key(0, 2, 0)[3] = batch.key(0, 5, 0)[3] = 100;
    auto queries                                  = TestFixture::zero_queries(batch, group);
    for (std::size_t head = 0; head < group; ++head) queries.elements[head * 8 + 3] = 100;
    TestRule rule;
    rule.scale       = 1.0f;
    auto const found = TestFixture::run(batch, queries, rule);
    for (std::size_t head = 0; head < group; ++head) {
      for (std::size_t d = 0; d < 8; ++d) {
        EXPECT_EQ(found.output(0, head, d), d == 2 || d == 5 ? 0.5f : 0.0f);
      }
      EXPECT_FLOAT_EQ(found.lse[head], 10'000.0f + std::log(2.0f));
    }
  }
}

TYPED_TEST(AttentionFacts, WindowsEndAtTheToken) {
  TestRule rule;
  rule.visibility.window_left = 5;
  auto batch                  = TestFixture::template batch<float, KeyShape<16, 1, 64>>({0}, {40});
  TestFixture::one_hot_values(batch);
  auto const found = TestFixture::run(batch, TestFixture::zero_queries(batch), rule);
  for (std::size_t row = 0; row < 40; ++row) {
    auto const seen = std::min<std::size_t>(row + 1, 6);
    for (std::size_t d = 0; d < 40; ++d) {
      bool const inside = d <= row && d + seen > row;
      EXPECT_FLOAT_EQ(found.output(row, 0, d), inside ? 1.0f / static_cast<float>(seen) : 0.0f);
    }
  }
}

TYPED_TEST(AttentionFacts, HiddenKeysLeaveNoTrace) {
  // Keys and values outside a window, or of later rows, hold no numbers.
  for (std::size_t const group : {std::size_t(1), std::size_t(2), std::size_t(16)}) {
    TestRule rule;
    rule.visibility.window_left = 2;
    auto batch                  = TestFixture::template batch<bf16, KeyShape<4, 1, 16>>({30}, {4});
    TestFixture::one_hot_values(batch);
    for (std::size_t token = 0; token < 34; ++token) {
      if (token >= 28 && token < 32) continue;
      std::fill_n(batch.key(0, token, 0), 16, bf16(token % 2 == 0 ? not_a_number : infinity));
      std::fill_n(batch.value(0, token, 0), 16, bf16(token % 3 == 0 ? not_a_number : -infinity));
    }
    for (std::size_t token = 28; token < 32; ++token) {
      std::fill_n(batch.value(0, token, 0), 16, bf16(static_cast<float>(token)));
    }
    auto const found = TestFixture::run(batch, TestFixture::zero_queries(batch, group), rule);
    for (std::size_t head = 0; head < group; ++head) {
      EXPECT_FLOAT_EQ(found.output(0, head, 7), 29.0f);
      EXPECT_FLOAT_EQ(found.output(1, head, 7), 30.0f);
      EXPECT_TRUE(std::isnan(found.output(3, head, 7)));
    }
  }
}

TYPED_TEST(AttentionFacts, NoNumbersStayNoNumbers) {
  // Also where keys are split: a query that is no number must not read as a row without keys.
  for (std::size_t const group : {std::size_t(1), std::size_t(16)}) {
    for (std::uint32_t const cached : {39u, 2600u, 9000u}) {
      auto batch = TestFixture::template batch<float, KeyShape<16, 1, 4>>({cached}, {1});
      for (auto& element : batch.values) element = 1;
      auto queries = TestFixture::zero_queries(batch, group);
      std::fill_n(queries.elements.begin(), 4, not_a_number);
      auto const found = TestFixture::run(batch, queries);
      EXPECT_TRUE(std::isnan(found.output(0, 0, 0)));
      EXPECT_TRUE(std::isnan(found.lse[0]));
      if (group > 1) {
        EXPECT_FLOAT_EQ(found.output(0, 1, 0), 1.0f);
      }
    }
  }
}

TYPED_TEST(AttentionFacts, SinksCountOnce) {
  TestRule rule;
  rule.sinks = {1.0f};
  // In one piece, and from split keys.
  for (std::uint32_t const cached : {9u, 4999u}) {
    auto batch = TestFixture::template batch<float, KeyShape<16, 1, 4>>({cached}, {1});
    for (auto& element : batch.values) element = 1;
    auto const found  = TestFixture::run(batch, TestFixture::zero_queries(batch), rule);
    double const keys = cached + 1.0;
    EXPECT_NEAR(found.output(0, 0, 2), keys / (keys + std::exp(1.0)), 1e-6);
    EXPECT_NEAR(found.lse[0], std::log(keys + std::exp(1.0)), 1e-6);
  }
  // A row without keys has none to share with.
  auto batch       = TestFixture::template batch<float, KeyShape<4, 1, 4>>({0}, {2});
  batch.table[0]   = {null_page};
  auto const found = TestFixture::run(batch, TestFixture::zero_queries(batch), rule);
  EXPECT_EQ(found.output(1, 0, 0), 0.0f);
  EXPECT_EQ(found.lse[1], -infinity);
}

TYPED_TEST(AttentionFacts, EmptyBatches) {
  auto const nothing = TestFixture::template batch<float, KeyShape<4, 2, 8>>({}, {});
  EXPECT_TRUE(TestFixture::run(nothing, TestFixture::zero_queries(nothing)).lse.empty());
  auto const no_rows = TestFixture::template batch<float, KeyShape<4, 2, 8>>({7, 0}, {0, 0});
  EXPECT_TRUE(TestFixture::run(no_rows, TestFixture::zero_queries(no_rows)).lse.empty());
}

TYPED_TEST(AttentionFacts, DefaultInstances) {
  using memory_space = typename TestFixture::memory_space;
  auto batch         = TestFixture::template batch<float, KeyShape<4, 1, 4>>({1}, {2});
  batch.table[0]     = {0};
  auto const pool    = make_pool<memory_space, float, KeyShape<4, 1, 4>, 4>(
      batch, std::vector<float>(batch.keys.size(), 0.5f));
  auto const cache   = pool.get_key_cache(0);
  auto const offsets = to_view<memory_space>({0, 2});
  Kokkos::View<float***, memory_space> const q("q", 2, 1, 4), output("output", 2, 1, 4);
  KokkosKV::paged_attention(KokkosKV::make_attention_plan(cache, offsets, 1), q, cache, cache,
                            offsets, output);
  KokkosKV::AttentionPlanOptions options;
  options.shared_prefixes = {{0, 1, 1}};
  auto const plan = KokkosKV::make_attention_plan(cache, offsets, 1, 0, Visibility{}, options);
  Kokkos::View<float***, memory_space> const shared("shared", 2, 1, 4);
  KokkosKV::cascade_attention(plan, q, cache, cache, offsets, shared);
  Kokkos::fence();
  EXPECT_EQ(to_vector(output), std::vector<float>(8, 0.5f));
  EXPECT_EQ(to_vector(shared), std::vector<float>(8, 0.5f));
}

TYPED_TEST(AttentionFacts, AllPathsAgreeOnLse) {
  // The same rows as decode, as prefill, with shared prefix, and with other splits.
  Random random(99);
  using shape_type = KeyShape<8, 2, 64>;
  auto batch       = TestFixture::template batch<float, shape_type>({4096}, {5});
  batch.fill(random);
  auto const queries  = random_queries<float>(random, 5, 4, 64);
  auto const expected = TestFixture::run(batch, queries);
  auto const compare  = [&](auto const& found, std::size_t first, std::size_t rows) {
    for (std::size_t i = 0; i < rows * 4; ++i) {
      EXPECT_NEAR(found.lse[i], expected.lse[first * 4 + i], 1e-6 * std::fabs(expected.lse[i]));
    }
    for (std::size_t i = 0; i < rows * 4 * 64; ++i) {
      EXPECT_NEAR(found.output.elements[i], expected.output.elements[first * 4 * 64 + i], 5e-6);
    }
  };
  KokkosKV::AttentionPlanOptions options;
  options.split_tokens = 64;
  compare(TestFixture::run(batch, queries, {}, options), 0, 5);
  options.shared_prefixes = {{0, 1, 4096}};
  compare(TestFixture::run(batch, queries, {}, options), 0, 5);
  // In chunks of one and two rows: what was written stays where it is.
  for (std::uint32_t first = 0; first < 5; ++first) {
    auto chunk      = batch;
    auto const rows = std::min(2u, 5 - first);
    chunk.cached[0] = 4096 + first;
    chunk.rows[0]   = rows;
    HeadRows<float> part{rows, 4, 64, {}};
    part.elements.assign(queries.elements.begin() + first * 4 * 64,
                         queries.elements.begin() + (first + rows) * 4 * 64);
    compare(TestFixture::run(chunk, part), first, rows);
  }
}

}  // namespace KokkosKVTest
