// Attention of few query rows with heads of at most half a vector on hosts. Lanes are keys: with
// lanes for the elements of a head, most of them would idle, and each logit be a sum across lanes.
#ifndef KOKKOSKV_IMPL_SMALLHEADATTENTION_HPP
#define KOKKOSKV_IMPL_SMALLHEADATTENTION_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <attention/impl/KokkosKV_AttentionCall.hpp>
#include <attention/impl/KokkosKV_HostKeyTile.hpp>
#include <attention/impl/KokkosKV_HostRows.hpp>
#include <attention/impl/KokkosKV_HostScores.hpp>
#include <attention/impl/KokkosKV_NarrowAttention.hpp>
#include <kokkos_ext/impl/KokkosKV_HostTranspose.hpp>
#include <kokkos_ext/impl/KokkosKV_HostVector.hpp>

namespace KokkosKV::Impl {

/// True for heads that this form takes.
inline constexpr bool are_small_heads(int head_size, int value_row_size) {
  return 2 * short_row_lanes(std::max(head_size, value_row_size)) <= host_lanes;
}

/// What a row (a key/value head and a pair) has beside its query.
struct SmallHeadRow {
  FloatVector total;  ///< of the weights of every host_lanes-th key
  /// Of weighted values: lane `l` has element `l % short_row_lanes(value size)`, of some keys.
  FloatVector sums;
  QueryPair pair;
  /// What weights are relative to: no logit so far is larger by more than small_head_slack. -inf
  /// before the first visible key.
  float base;
};

/// Weights of up to exp(slack) lose nothing, and the base has to follow the largest logit in large
/// steps only, mostly in the first tile alone.
inline constexpr float small_head_slack = 8;

/// Bytes that this form needs at most, whatever the types are.
inline std::size_t small_head_scratch_bytes(std::size_t heads, std::size_t head_size,
                                            std::size_t /*value_row_size*/) {
  auto const query = (head_size * sizeof(float) + sizeof(FloatVector) - 1) / sizeof(FloatVector) *
                     sizeof(FloatVector);
  return heads * narrow_pairs * (sizeof(SmallHeadRow) + query);
}

/// The units of few pairs: all heads of a tile of keys, then the next tile. A head's keys are
/// transposed once, so that logits have keys as lanes; values stay as they are, several rows in a
/// vector.
template <class Call>
class SmallHeadAttention {
  static constexpr int key_size   = Call::head_size;
  static constexpr int value_size = Call::value_row_size;
  static constexpr int tile_keys  = host_lanes;
  using tile_type                 = HostKeyTile<Call, tile_keys>;
  using key_lines                 = LinesAhead<typename Call::key_type, key_size, tile_keys>;
  using value_lines               = LinesAhead<typename Call::element_type, value_size, tile_keys>;

  struct Row : SmallHeadRow {
    float query[key_size];  ///< scaled
  };
  /// A head's keys of a tile, transposed.
  using HeadKeys = FloatVector[short_row_lanes(key_size)];

 public:
  /// \param next     the unit that will follow, or null: its first keys are prefetched
  /// \param scratch  small_head_scratch_bytes(), aligned as vectors are
  /// \param zeros    a token row of zeros
  SmallHeadAttention(Call const& call, AttentionUnit const& unit, AttentionUnit const* next,
                     void* scratch, void const* zeros)
      : m_call(call),
        m_unit(unit),
        m_next(next),
        m_zeros(zeros),
        m_rows(static_cast<Row*>(scratch)),
        m_num_pairs(static_cast<int>(unit.num_pairs)),
        m_num_rows(static_cast<int>(unit.head_end - unit.head_begin) * m_num_pairs) {}

  void run() {
    // See NarrowAttention::run().
    if (!attend<false>()) attend<true>();
  }

 private:
  Row& row(int index) const { return m_rows[index]; }

  KeyRange begin() const {
    KeyRange range{};
    for (int p = 0; p < m_num_pairs; ++p) {
      auto pair = m_call.pair(m_unit, m_unit.head_begin, static_cast<std::uint32_t>(p));
      range     = p == 0 ? pair.keys : range.joined(pair.keys);
      for (int i = p; i < m_num_rows; i += m_num_pairs) {
        auto& to = row(i);
        to.pair  = pair;
        to.base  = minus_infinity;
        to.total = FloatVector{};
        to.sums  = FloatVector{};
        load_query<RowFormat<float, key_size>>(m_call, pair, to.query, 1);
        pair.query_head += m_call.group;
      }
    }
    return range;
  }

  /// True where all results are numbers.
  template <bool Careful>
  bool attend() {
    auto const range = begin();
    for_each_tile<tile_type>(
        m_call, m_unit, m_next, range, m_zeros,
        [&](tile_type const& tile, tile_type const& ahead) { attend_heads<Careful>(tile, ahead); });
    bool finite = true;
    for (int i = 0; i < m_num_rows; ++i) finite = write(row(i)) && finite;
    return finite;
  }

  /// The lines of the next tile. Each head's keys, and each use of its values, prefetch a share:
  /// many at once would wait for one another.
  struct Ahead {
    key_lines keys;
    value_lines values;
    std::size_t key_rounds;
    std::size_t value_rounds;

    Ahead(tile_type const& tile, AttentionUnit const& unit)
        : keys(tile.keys, unit.head_begin, unit.head_end),
          values(tile.values, unit.head_begin, unit.head_end) {
      std::size_t const num_heads = unit.head_end - unit.head_begin;
      key_rounds                  = keys.rounds_of_share(num_heads);
      value_rounds                = values.rounds_of_share(num_heads * ((unit.num_pairs + 1) / 2));
    }
  };

  template <bool Careful>
  void attend_heads(tile_type const& tile, tile_type const& next_tile) {
    Ahead ahead(next_tile, m_unit);
    for (auto head = m_unit.head_begin; head < m_unit.head_end; ++head) {
      ahead.keys.prefetch_rounds(ahead.key_rounds);
      HeadKeys keys;
      load_transposed<key_size>(tile.keys, std::size_t(head) * key_size, keys);
      auto* const first = &row(static_cast<int>(head - m_unit.head_begin) * m_num_pairs);
      // Two rows at a time, which share the loading of values.
      int i = 0;
      for (; i + 1 < m_num_pairs; i += 2) {
        attend_rows<Careful, 2>(tile, keys, head, first + i, ahead);
      }
      if (i < m_num_pairs) attend_rows<Careful, 1>(tile, keys, head, first + i, ahead);
    }
  }

  template <bool Careful, int Rows>
  [[gnu::always_inline]] void attend_rows(tile_type const& tile, HeadKeys const& keys,
                                          std::uint32_t head, Row* rows, Ahead& ahead) const {
    FloatVector weights[Rows];
    unrolled<Rows>([&](auto r) { weights[r] = weigh(tile, keys, rows[r]); });
    // Several sums of each row, so that none waits for another.
    FloatVector sums[Rows][parts] = {};
    ahead.values.prefetch_rounds(ahead.value_rounds);
    unrolled<short_row_lanes(value_size)>([&](auto i) {
      auto const value =
          load_short_rows<host_lanes, value_size>(tile.values, i, std::size_t(head) * value_size);
      unrolled<Rows>([&](auto r) {
        FloatVector const weight = spread_over_rows<value_size, i>(weights[r]);
        auto& sum                = sums[r][i % parts];
        if constexpr (Careful) {
          sum += weight == 0.0f ? FloatVector{} : weight * value;
        } else {
          sum += weight * value;
        }
      });
    });
    unrolled<Rows>(
        [&](auto r) { rows[r].sums += (sums[r][0] + sums[r][1]) + (sums[r][2] + sums[r][3]); });
  }
  static constexpr int parts = 4;

  /// Weights of a tile's keys for a row.
  [[gnu::always_inline]] FloatVector weigh(tile_type const& tile, HeadKeys const& keys,
                                           Row& to) const {
    FloatVector logits{};
    unrolled<key_size>([&](auto d) { logits += to.query[d] * keys[d]; });
    logits = shape(tile, to.pair, logits);
    if (any(logits > to.base + small_head_slack)) raise_base(to, logits);
    // Without a visible key so far there is nothing to subtract; -inf - (-inf) would be NaN.
    FloatVector const weights = exponential(logits - (to.base == minus_infinity ? 0 : to.base));
    to.total += weights;
    return weights;
  }

  [[gnu::noinline]] static void raise_base(Row& to, FloatVector logits) {
    float const base = std::max(to.base, fold(logits, larger));
    if (to.base != minus_infinity) {
      FloatVector const rescale = exponential(broadcast(to.base - base));
      to.total *= rescale;
      to.sums *= rescale;
    }
    to.base = base;
  }

  /// What the rule makes of logits.
  FloatVector shape(tile_type const& tile, QueryPair const& pair, FloatVector logits) const {
    bool const hidden = may_hide(tile, pair);
    if (!shapes_logits(m_call.rule) && !hidden) return logits;
    auto const rows = LaneRows::all(pair, m_call.slope(pair.query_head));
    return apply_rule(m_call, tile, pair, rows, 0, logits, hidden);
  }

  /// Joins the lanes of a row.
  bool write(Row const& from) const {
    float sums[host_lanes];
    store_lanes(sums, fold_blocks<short_row_lanes(value_size)>(from.sums, added));
    return write_result<RowFormat<float, value_size>>(m_call, m_unit, from.pair, from.base,
                                                      fold(from.total, added), sums, 1);
  }

  Call const& m_call;
  AttentionUnit const& m_unit;
  AttentionUnit const* m_next;
  void const* m_zeros;
  Row* m_rows;
  int m_num_pairs;
  int m_num_rows;
};

}  // namespace KokkosKV::Impl

#endif
