// paged_attention() and cascade_attention() over random batches against the reference.
#ifndef KOKKOSKV_TEST_ATTENTIONPROPERTIES_HPP
#define KOKKOSKV_TEST_ATTENTIONPROPERTIES_HPP

#include <gtest/gtest.h>

#include <KokkosKV.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <ExecutionSpaces.hpp>
#include <reference/Random.hpp>
#include <reference/Rounding.hpp>
#include <support/Sanitized.hpp>
#include "AttentionBatch.hpp"
#include "AttentionReference.hpp"

namespace KokkosKVTest {

/// Hides one key in five, others for each row and head.
struct SomeKeys {
  KOKKOS_FUNCTION bool operator()(KokkosKV::AttentionIndex const& at) const {
    return (at.key_position * 7 + at.query_head * 3 + at.row + at.sequence) % 5 != 0;
  }
};

/// Adds up to half a unit, by the distance.
struct ByDistance {
  KOKKOS_FUNCTION float operator()(KokkosKV::AttentionIndex const& at, float logit) const {
    return logit + 0.25f * static_cast<float>((at.query_position + at.key_position) % 3);
  }
};

/// One random batch with its parameters.
template <class T, class Shape, class Query>
struct AttentionScenario {
  AttentionBatch<T, Shape> batch;
  TestRule rule;
  KokkosKV::AttentionPlanOptions options;
  std::size_t group           = 1;
  std::size_t value_head_size = 1;
  HeadRows<Query> queries;

  explicit AttentionScenario(Random& random) {
    make_rule(random);
    auto const sequences = random.below(5);
    bool const long_ones = random.chance(10);
    for (std::size_t b = 0; b < sequences; ++b) {
      batch.rows.push_back(static_cast<std::uint32_t>(
          random.chance(60) ? random.below(3) : random.below(long_ones ? 90 : 20)));
      batch.cached.push_back(
          static_cast<std::uint32_t>(random.chance(20) ? 0 : random.below(long_ones ? 700 : 70)));
    }
    batch.key_set = rule.visibility.keys;
    if (random.chance(25)) share_prefix(random);
    batch.make_pages(random, options.shared_prefixes);
    batch.fill(random);
    if (options.shared_prefixes.empty() && random.chance(20)) lose_pages(random);
    auto const offsets = batch.offsets();
    auto const heads   = group * Shape::num_heads;
    queries            = random_queries<Query>(random, offsets.back(), heads, Shape::head_size);
  }

 private:
  void make_rule(Random& random) {
    group           = Shape::head_size > 128 ? random.pick<std::size_t>({1, 3, 16, 64})
                                             : random.pick<std::size_t>({1, 1, 2, 3, 4, 5, 7, 8, 9, 12, 32});
    value_head_size = Shape::is_mla ? Shape::value_row_size - 64 : Shape::value_row_size;
    auto& visible   = rule.visibility;
    visible.causal  = random.chance(70);
    if (random.chance(30)) visible.window_left = static_cast<std::uint32_t>(random.below(40));
    if (random.chance(20)) visible.window_right = static_cast<std::uint32_t>(random.below(10));
    if (random.chance(25)) visible.first_tokens = static_cast<std::uint32_t>(random.below(9));
    if (random.chance(15)) visible.keys = KokkosKV::KeySet::cache_only;
    if (random.chance(30)) rule.scale = random.pick({1.0f, 0.05f, -0.3f});
    if (random.chance(25)) rule.soft_cap = random.pick({1.0f, 5.0f, 30.0f});
    auto const numbers = [&](float range) {
      std::vector<float> result(group * Shape::num_heads);
      for (auto& number : result) {
        number = range * (static_cast<float>(random.below(2001)) / 1000.0f - 1.0f);
      }
      return result;
    };
    if (random.chance(25)) rule.slopes = numbers(0.1f);
    if (random.chance(25)) rule.sinks = numbers(4.0f);
    options.split_tokens  = random.pick({64u, 100u, 1024u});
    options.deterministic = random.chance(80);
  }

  void share_prefix(Random& random) {
    if (batch.batch_size() < 2) return;
    auto const first = random.below(batch.batch_size() - 1);
    auto const count = random.between(1, batch.batch_size() - first);
    // Whole pages, so that the pages can be the same.
    auto const length = static_cast<std::uint32_t>(random.between(1, 5) * Shape::page_size);
    for (std::size_t i = 0; i < count; ++i) {
      batch.cached[first + i] = length + static_cast<std::uint32_t>(random.below(20));
    }
    options.shared_prefixes.push_back({first, count, length});
  }

  void lose_pages(Random& random) {
    for (auto& row : batch.table) {
      for (auto& page : row) {
        if (random.chance(25)) page = KokkosKV::null_page;
      }
    }
  }
};

/// Half of a unit in the last place of the output's type.
template <class Out>
double output_rounding(double value) {
  if constexpr (std::is_same_v<Out, float>) return 0;
  constexpr double relative = std::is_same_v<Out, KokkosKV::half> ? 0x1p-11 : 0x1p-8;
  constexpr double absolute = std::is_same_v<Out, KokkosKV::half> ? 0x1p-25 : 0.0;
  return std::fabs(value) * relative + absolute;
}

/// Compares one row and head with the reference.
template <bool Functors, class Out, class Scenario>
void check_pair(Scenario& scenario, AttentionResult<Out> const& found, std::size_t sequence,
                std::size_t row, std::size_t query_head) {
  auto& batch        = scenario.batch;
  auto const& rule   = scenario.rule;
  auto const head    = query_head / scenario.group;
  auto const offsets = batch.offsets();
  ReferenceRow reference;
  reference.visibility = rule.visibility;
  reference.scale      = rule.scale ? static_cast<double>(*rule.scale)
                                    : 1.0 / std::sqrt(static_cast<double>(scenario.queries.dims));
  reference.soft_cap   = static_cast<double>(rule.soft_cap);
  reference.slope      = rule.slopes.empty() ? 0 : static_cast<double>(rule.slopes[query_head]);
  reference.has_sink   = !rule.sinks.empty();
  reference.sink       = rule.sinks.empty() ? 0 : static_cast<double>(rule.sinks[query_head]);
  reference.position   = batch.cached[sequence] + static_cast<std::int64_t>(row) -
                       static_cast<std::int64_t>(offsets[sequence]);
  reference.num_keys  = batch.tokens(sequence);
  auto const token    = [](std::int64_t key) { return static_cast<std::size_t>(key); };
  auto const expected = reference_attention(
      reference, scenario.value_head_size,
      [&](std::int64_t key) {
        if (!batch.is_there(sequence, token(key))) return false;
        return !Functors ||
               (static_cast<std::size_t>(key) * 7 + query_head * 3 + row + sequence) % 5 != 0;
      },
      [&](std::int64_t key) {
        DotProduct result;
        auto const* const other = batch.key(sequence, token(key), head);
        for (std::size_t d = 0; d < scenario.queries.dims; ++d) {
          double const term =
              exact_value(scenario.queries(row, query_head, d)) * exact_value(other[d]);
          result.sum += term;
          result.sizes += std::fabs(term);
        }
        return result;
      },
      [&](std::int64_t key, double logit) {
        return Functors ? logit + 0.25 * static_cast<double>((reference.position + key) % 3)
                        : logit;
      },
      [&](std::int64_t key, std::size_t d) {
        return exact_value(batch.value(sequence, token(key), head)[d]);
      });
  SCOPED_TRACE("sequence " + std::to_string(sequence) + ", row " + std::to_string(row) + ", head " +
               std::to_string(query_head) + " of " + std::to_string(found.output.heads) +
               ", position " + std::to_string(reference.position) + ", keys " +
               std::to_string(reference.num_keys) + ", " +
               KokkosKV::Impl::to_text(rule.visibility));
  auto const at   = row * found.output.heads + query_head;
  float const lse = found.lse[at];
  // Logits are float; their errors become those of the weights.
  double const logit_error = 2.4e-7 * expected.largest_terms;
  if (std::isinf(expected.lse)) {
    ASSERT_EQ(lse, -INFINITY);
  } else {
    ASSERT_NEAR(lse, expected.lse, std::max({4e-6, 1e-6 * std::fabs(expected.lse), logit_error}));
  }
  double const error = expected.largest_value * std::max(5e-6, logit_error);
  for (std::size_t d = 0; d < scenario.value_head_size; ++d) {
    double const value = expected.output[d];
    ASSERT_NEAR(exact_value(found.output(row, query_head, d)), value,
                error + output_rounding<Out>(value))
        << d;
  }
}

/// `cases` random batches of a shape; some pairs of each are compared, and all must be numbers.
template <class ExecSpace, class Form, class T, class Shape, class Query, class Out, bool Functors>
void check_attention(std::uint64_t seed, int cases) {
  using memory_space             = typename ExecSpace::memory_space;
  using mask_type                = std::conditional_t<Functors, SomeKeys, KokkosKV::NoMask>;
  using score_type               = std::conditional_t<Functors, ByDistance, KokkosKV::NoScore>;
  constexpr std::size_t compared = 12;
  for (int i = 0; i < cases && !testing::Test::HasFatalFailure(); ++i) {
    Random random(seed + static_cast<std::uint64_t>(i));
    AttentionScenario<T, Shape, Query> scenario(random);
    SCOPED_TRACE("page size " + std::to_string(Shape::page_size) + ", head size " +
                 std::to_string(Shape::head_size) + ", seed " + std::to_string(seed) + " + " +
                 std::to_string(i));
    auto const params = to_params<mask_type, score_type>(scenario.rule, memory_space{});
    auto const found =
        attend<ExecSpace, Form, Out>(ExecSpace{}, scenario.batch, scenario.queries,
                                     scenario.value_head_size, params, scenario.options);
    for (auto const& element : found.output.elements) {
      ASSERT_TRUE(std::isfinite(exact_value(element)));
    }
    auto const offsets = scenario.batch.offsets();
    if (offsets.back() == 0) continue;
    for (std::size_t pair = 0; pair < compared; ++pair) {
      auto const row      = random.below(offsets.back());
      auto const after    = std::upper_bound(offsets.begin(), offsets.end(), row);
      auto const sequence = static_cast<std::size_t>(after - offsets.begin()) - 1;
      check_pair<Functors>(scenario, found, sequence, row, random.below(found.output.heads));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

/// Batches of each shape: thousands of each storage type. Under sanitizers, fewer batches of the
/// shapes that differ most.
inline constexpr int num_cases = is_sanitized ? 60 : 600;

/// Every shape of a storage type.
template <class ExecSpace, class Form, class T>
void check_shapes(int cases) {
  check_attention<ExecSpace, Form, T, KeyShape<5, 3, 7>, T, float, true>(2000, cases);
  check_attention<ExecSpace, Form, T, KeyShape<257, 1, 80, 96>, T, T, false>(4000, cases);
  check_attention<ExecSpace, Form, T, KeyShape<4, 1, 576, 576, true>, float, float, false>(
      7000, cases / 4);
  if constexpr (!is_sanitized) {
    check_attention<ExecSpace, Form, T, KeyShape<1, 1, 1>, float, float, false>(1000, cases);
    check_attention<ExecSpace, Form, T, KeyShape<16, 2, 64>, float, T, false>(3000, cases);
    check_attention<ExecSpace, Form, T, KeyShape<8, 2, 72>, float, float, true>(5000, cases);
    check_attention<ExecSpace, Form, T, KeyShape<4, 2, 128, 40>, T, float, false>(6000, cases);
  }
}

}  // namespace KokkosKVTest

#endif
