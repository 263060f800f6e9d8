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

inline constexpr int small_head_vectors   = 2;
inline constexpr int small_head_tile_keys = small_head_vectors * host_lanes;

/// What a row (a key/value head and a pair) has beside its query and the sums of its values.
struct SmallHeadRow {
  /// Each lane has its own softmax, of every host_lanes-th key; they are joined at the end.
  FloatVector largest;
  FloatVector total;
  QueryPair pair;
};

/// Bytes that this form needs at most, whatever the types are.
inline std::size_t small_head_scratch_bytes(std::size_t heads, std::size_t head_size,
                                            std::size_t value_row_size) {
  auto const rows    = heads * narrow_pairs;
  auto const of_tile = (head_size + value_row_size) * small_head_tile_keys * sizeof(float);
  auto const of_row  = (head_size + value_row_size) * sizeof(FloatVector) + sizeof(SmallHeadRow);
  return of_tile + rows * of_row;
}

/// The units of few pairs: all heads of a tile of keys, then the next tile. A head's keys and
/// values are transposed once and used by all its pairs.
template <class Call>
class SmallHeadAttention {
  static constexpr int key_size   = Call::head_size;
  static constexpr int value_size = Call::value_row_size;
  static constexpr int vectors    = small_head_vectors;
  static constexpr int tile_keys  = small_head_tile_keys;
  using tile_type                 = HostKeyTile<Call, tile_keys>;
  using key_lines                 = LinesAhead<typename Call::key_type, key_size, tile_keys>;
  using value_lines               = LinesAhead<typename Call::element_type, value_size, tile_keys>;

  struct Row : SmallHeadRow {
    FloatVector query[key_size];   ///< scaled, each element in every lane
    FloatVector sums[value_size];  ///< of weighted values
  };
  /// A tile of a head, transposed.
  struct HeadTile {
    float keys[key_size][tile_keys];
    float values[value_size][tile_keys];
  };

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
        m_tile(static_cast<HeadTile*>(scratch)),
        m_rows(reinterpret_cast<Row*>(m_tile + 1)),
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
    for (int i = 0; i < m_num_rows; ++i) {
      auto& to     = row(i);
      auto const h = m_unit.head_begin + static_cast<std::uint32_t>(i / m_num_pairs);
      to.pair      = m_call.pair(m_unit, h, static_cast<std::uint32_t>(i % m_num_pairs));
      range        = i == 0 ? to.pair.keys : range.joined(to.pair.keys);
      to.largest   = broadcast(minus_infinity);
      to.total     = FloatVector{};
      std::fill_n(to.sums, value_size, FloatVector{});
      float query[host_lanes];
      load_query<RowFormat<float, key_size>>(m_call, to.pair, query, 1);
      for (int d = 0; d < key_size; ++d) to.query[d] = broadcast(query[d]);
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

  /// All heads. The lines of the next tile are prefetched evenly throughout.
  template <bool Careful>
  void attend_heads(tile_type const& tile, tile_type const& ahead) {
    key_lines keys(ahead.keys, m_unit.head_begin, m_unit.head_end);
    value_lines values(ahead.values, m_unit.head_begin, m_unit.head_end);
    auto const num_heads = m_unit.head_end - m_unit.head_begin;
    for (auto head = m_unit.head_begin; head < m_unit.head_end; ++head) {
      keys.prefetch_share(num_heads);
      values.prefetch_share(num_heads);
      transpose(tile, head);
      int const first = static_cast<int>(head - m_unit.head_begin) * m_num_pairs;
      for (int i = first; i < first + m_num_pairs; ++i) attend_tile<Careful>(tile, row(i));
    }
  }

  void transpose(tile_type const& tile, std::uint32_t head) {
    for (int first = 0; first < tile_keys; first += host_lanes) {
      load_transposed<key_size>(tile.keys + first, std::size_t(head) * key_size,
                                &m_tile->keys[0][first], tile_keys);
      load_transposed<value_size>(tile.values + first, std::size_t(head) * value_size,
                                  &m_tile->values[0][first], tile_keys);
    }
  }

  template <bool Careful>
  void attend_tile(tile_type const& tile, Row& to) const {
    FloatVector weights[vectors] = {};
    unrolled<key_size>([&](auto d) {
      FloatVector const query = to.query[d];
      unrolled<vectors>(
          [&](auto v) { weights[v] += query * load_lanes(&m_tile->keys[d][v * host_lanes]); });
    });
    shape(tile, to.pair, weights);
    FloatVector largest = to.largest;
    unrolled<vectors>([&](auto v) { largest = larger(weights[v], largest); });
    // Without a visible key so far there is nothing to subtract; -inf - (-inf) would be NaN.
    FloatVector const base    = largest == minus_infinity ? FloatVector{} : largest;
    FloatVector const rescale = exponential(to.largest - base);
    FloatVector total         = to.total * rescale;
    unrolled<vectors>([&](auto v) {
      weights[v] = exponential(weights[v] - base);
      total += weights[v];
    });
    to.largest = largest;
    to.total   = total;
    unrolled<value_size>([&](auto d) {
      FloatVector sum = to.sums[d] * rescale;
      unrolled<vectors>([&](auto v) {
        FloatVector const value = load_lanes(&m_tile->values[d][v * host_lanes]);
        if constexpr (Careful) {
          sum += weights[v] == 0.0f ? FloatVector{} : weights[v] * value;
        } else {
          sum += weights[v] * value;
        }
      });
      to.sums[d] = sum;
    });
  }

  /// What the rule makes of logits.
  void shape(tile_type const& tile, QueryPair const& pair, FloatVector* logits) const {
    bool const hidden = may_hide(tile, pair);
    if (!shapes_logits(m_call.rule) && !hidden) return;
    auto const rows = LaneRows::all(pair, m_call.slope(pair.query_head));
    unrolled<vectors>([&](auto v) {
      logits[v] = apply_rule(m_call, tile, pair, rows, v * host_lanes, logits[v], hidden);
    });
  }

  /// Joins the lanes of a row.
  bool write(Row const& from) const {
    constexpr int joined = 1 + value_size;
    static_assert(joined <= host_lanes);
    float largest = minus_infinity;
    for (int lane = 0; lane < host_lanes; ++lane) {
      if (from.largest[lane] > largest) largest = from.largest[lane];
    }
    FloatVector const rescale =
        exponential(from.largest - (largest == minus_infinity ? 0 : largest));
    FloatVector parts[host_lanes] = {};
    unrolled<value_size>([&](auto d) { parts[d] = from.sums[d] * rescale; });
    parts[value_size] = from.total * rescale;
    float sums[host_lanes];
    store_lanes(sums, fold_each(parts, added));
    return write_result<RowFormat<float, value_size>>(m_call, m_unit, from.pair, largest,
                                                      sums[value_size], sums, 1);
  }

  Call const& m_call;
  AttentionUnit const& m_unit;
  AttentionUnit const* m_next;
  void const* m_zeros;
  HeadTile* m_tile;
  Row* m_rows;
  int m_num_pairs;
  int m_num_rows;
};

}  // namespace KokkosKV::Impl

#endif
