// One call of attention as kernels see it: addresses, lengths and the rule for logits.
#ifndef KOKKOSKV_IMPL_ATTENTIONCALL_HPP
#define KOKKOSKV_IMPL_ATTENTIONCALL_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <attention/KokkosKV_AttentionParams.hpp>
#include <attention/impl/KokkosKV_AttentionUnits.hpp>
#include <attention/impl/KokkosKV_VisibleKeys.hpp>
#include <format/KokkosKV_Convert.hpp>

namespace KokkosKV::Impl {

/// AttentionParams without what only hosts can hold.
template <class Mask, class Score>
struct ScoreRule {
  static constexpr bool has_mask  = !std::is_same_v<Mask, NoMask>;
  static constexpr bool has_score = !std::is_same_v<Score, NoScore>;

  Visibility visibility;
  float scale;
  float soft_cap;
  float const* alibi_slopes;  ///< null = none
  float const* sink_logits;   ///< null = none
  [[no_unique_address]] Mask mask;
  [[no_unique_address]] Score score;

  /// Through the functors: the logit, or -inf where the mask hides the key.
  KOKKOS_FUNCTION float apply(AttentionIndex const& index, float logit) const {
    if constexpr (has_score) logit = score(index, logit);
    if constexpr (has_mask) {
      if (!mask(index)) logit = -Kokkos::Experimental::infinity_v<float>;
    }
    return logit;
  }
};

/// Elements `[row, head, dim]` with a stride for each.
template <class T>
struct HeadArray {
  T* data;
  Kokkos::Array<std::size_t, 3> strides;

  KOKKOS_FUNCTION T* at(std::size_t row, std::size_t head) const {
    return data + (row * strides[0] + head * strides[1]);
  }
};

/// Numbers `[row, head]`, or nothing.
struct LseArray {
  float* data;  ///< null = not wanted
  Kokkos::Array<std::size_t, 2> strides;

  KOKKOS_FUNCTION float* at(std::size_t row, std::size_t head) const {
    return data + (row * strides[0] + head * strides[1]);
  }
};

/// A query row and head of a unit.
struct QueryPair {
  std::uint32_t row;
  std::uint32_t sequence;
  std::uint32_t position;
  std::uint32_t query_head;
  KeyRange keys;
};

/// Arguments of a call, shared by all units and layers alike.
template <class KeyCache, class ValueCache, class Query, class Output, class Rule>
struct AttentionCall {
  using key_cache    = KeyCache;
  using value_cache  = ValueCache;
  using query_type   = Query;
  using output_type  = Output;
  using rule_type    = Rule;
  using key_type     = std::remove_const_t<typename KeyCache::value_type>;
  using element_type = std::remove_const_t<typename ValueCache::value_type>;

  static constexpr int head_size      = KeyCache::head_size;
  static constexpr int value_row_size = ValueCache::head_size;
  static constexpr bool has_functors  = Rule::has_mask || Rule::has_score;

  KeyCache keys;
  ValueCache values;
  HeadArray<Query const> queries;
  HeadArray<Output> output;
  LseArray lse;
  std::uint32_t const* offsets;
  Rule rule;
  AttentionUnit const* units;
  std::uint32_t const* row_sequences;
  std::uint32_t const* state_offsets;
  float* state_outputs;  ///< `[states, query_heads, value_head_size]`
  float* state_lses;     ///< `[states, query_heads]`
  std::uint32_t group;
  int num_query_heads;
  int value_head_size;

  KOKKOS_FUNCTION QueryPair pair(AttentionUnit const& unit, std::uint32_t kv_head,
                                 std::uint32_t index) const {
    auto const in_tile  = unit.first_pair + index;
    auto const row      = unit.first_row + in_tile / group;
    auto const sequence = row_sequences[row];
    auto const length   = keys.cache_length(sequence);
    auto const begin    = offsets[sequence];
    auto const position = length + (row - begin);
    auto const num_keys = key_count(rule.visibility, length, offsets[sequence + 1] - begin);
    return {row, sequence, position, kv_head * group + in_tile % group,
            visible_keys(rule.visibility, position, num_keys)};
  }

  KOKKOS_FUNCTION AttentionIndex index(QueryPair const& pair, std::uint32_t key) const {
    return {pair.sequence, pair.row, pair.query_head, pair.position, key};
  }

  KOKKOS_FUNCTION float slope(std::uint32_t query_head) const {
    return rule.alibi_slopes == nullptr ? 0.0f : rule.alibi_slopes[query_head];
  }

  /// Where the result of a pair goes, and how: `dims` numbers at `stride`.
  struct Target {
    Output* output;
    std::size_t stride;
    float* state;
    float* lse;
  };

  KOKKOS_FUNCTION Target target(AttentionUnit const& unit, QueryPair const& pair) const {
    if (unit.target == UnitTarget::output) {
      return {output.at(pair.row, pair.query_head), output.strides[2], nullptr,
              lse.data == nullptr ? nullptr : lse.at(pair.row, pair.query_head)};
    }
    auto const state = unit.target == UnitTarget::state
                           ? state_offsets[pair.row] + unit.state
                           : state_offsets[pair.row + 1] - 1 - unit.state;
    auto const entry = static_cast<std::size_t>(state) * static_cast<std::size_t>(num_query_heads) +
                       pair.query_head;
    return {nullptr, 0, state_outputs + entry * static_cast<std::size_t>(value_head_size),
            state_lses + entry};
  }

  /// Factor that makes a weighted sum of values a result, and its log-sum-exp; states leave the
  /// sink to the merge, where it counts once.
  struct Normalization {
    float factor;
    float lse;
  };
  KOKKOS_FUNCTION Normalization normalization(AttentionUnit const& unit, std::uint32_t query_head,
                                              float largest, float sum) const {
    constexpr float none = -Kokkos::Experimental::infinity_v<float>;
    // Logits that are no numbers leave no largest one, but a sum that is no number.
    if (largest == none && sum == 0) return {0.0f, none};
    if (rule.sink_logits != nullptr && unit.target == UnitTarget::output) {
      float const sink   = rule.sink_logits[query_head];
      float const top    = sink > largest ? sink : largest;
      float const weight = Kokkos::exp(largest - top);
      float const total  = sum * weight + Kokkos::exp(sink - top);
      return {weight / total, top + Kokkos::log(total)};
    }
    return {1.0f / sum, largest + Kokkos::log(sum)};
  }
};

}  // namespace KokkosKV::Impl

#endif
