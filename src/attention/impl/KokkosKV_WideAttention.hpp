// Attention of many query rows on hosts, as in prefill: arithmetic is all that counts. Lanes are
// query rows, so that nothing is ever summed across lanes; keys and values are broadcast.
#ifndef KOKKOSKV_IMPL_WIDEATTENTION_HPP
#define KOKKOSKV_IMPL_WIDEATTENTION_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <attention/impl/KokkosKV_AttentionCall.hpp>
#include <attention/impl/KokkosKV_HostKeyTile.hpp>
#include <attention/impl/KokkosKV_HostRows.hpp>
#include <attention/impl/KokkosKV_HostScores.hpp>
#include <kokkos_ext/impl/KokkosKV_HostVector.hpp>

namespace KokkosKV::Impl {

/// Vectors of query rows that a panel has.
inline constexpr int panel_vectors = 2;
inline constexpr int panel_pairs   = panel_vectors * host_lanes;
/// Panels of a unit at most, by the floats of a query and an output row: what they take together
/// should stay in a core's second cache.
inline constexpr int panels_of_unit(int row_floats) {
  constexpr int cached_floats = 1 << 16;
  int const by_size           = cached_floats / (panel_pairs * row_floats);
  // A row must fit with the largest group of heads, and a tile of keys be used many times.
  constexpr int least = 64 / panel_pairs > 2 ? 64 / panel_pairs : 2;
  constexpr int most  = 256 / panel_pairs > 2 ? 256 / panel_pairs : 2;
  return by_size < least ? least : (by_size > most ? most : by_size);
}

/// Of a panel, what does not depend on types or head sizes.
struct PanelRows {
  FloatVector largest[panel_vectors];
  FloatVector total[panel_vectors];
  /// What the additions to the totals have lost.
  FloatVector total_lost[panel_vectors];
  LaneRows rows[panel_vectors];
  KeyRange range;
  int vectors;
  QueryPair pairs[panel_pairs];
};

inline constexpr int wide_tile_keys = 64;

/// Bytes that the wide form needs at most, whatever the types are.
inline std::size_t wide_scratch_bytes(int head_size, int value_row_size) {
  constexpr std::size_t chunk = 2 * host_lanes, reals = sizeof(float);
  auto const keys     = (static_cast<std::size_t>(head_size) + chunk - 1) / chunk * chunk;
  auto const values   = (static_cast<std::size_t>(value_row_size) + chunk - 1) / chunk * chunk;
  auto const of_panel = (keys + 2 * values) * panel_pairs * reals + sizeof(PanelRows);
  auto const of_tile  = (keys + values + 2 * host_lanes + panel_pairs) * wide_tile_keys * reals;
  return of_tile + static_cast<std::size_t>(panels_of_unit(head_size + value_row_size)) * of_panel;
}

/// The units of the wide form (Dao, FlashAttention-2, 2023, with the roles of lanes and registers
/// exchanged): each tile of keys is widened to float once and used by all panels.
template <class Call>
class WideAttention {
  using key_format   = RowFormat<typename Call::key_type, Call::head_size>;
  using value_format = RowFormat<typename Call::element_type, Call::value_row_size>;

  static constexpr int tile_keys = wide_tile_keys;
  using tile_type                = HostKeyTile<Call, tile_keys>;

  /// Rows of a block of registers.
  static constexpr int block = 8;
  static_assert(tile_keys % block == 0 && host_lanes % 4 == 0);
  static constexpr int key_floats   = (key_format::floats + block - 1) / block * block;
  static constexpr int value_floats = (value_format::floats + block - 1) / block * block;
  /// Floats between two rows of a tile: no power of two, which would crowd them into few cache
  /// sets.
  static constexpr int key_stride   = key_floats + host_lanes;
  static constexpr int value_stride = value_floats + host_lanes;

  /// Rows of lanes: element by element of a head, for all pairs of the panel.
  struct Panel : PanelRows {
    float queries[key_floats][panel_pairs];
    float sums[value_floats][panel_pairs];
    /// What the additions to the sums have lost (Kahan, Further remarks on reducing truncation
    /// errors, 1965).
    float lost[value_floats][panel_pairs];
  };
  struct Scratch {
    float keys[tile_keys][key_stride];
    float values[tile_keys][value_stride];
    float scores[tile_keys][panel_pairs];
    Panel panels[1];
  };

 public:
  /// \param scratch  wide_scratch_bytes(), aligned as vectors are
  /// \param zeros    a token row of zeros
  WideAttention(Call const& call, AttentionUnit const& unit, void* scratch, void const* zeros)
      : m_call(call),
        m_unit(unit),
        m_zeros(zeros),
        m_scratch(*static_cast<Scratch*>(scratch)),
        m_panels(m_scratch.panels),
        m_num_panels(static_cast<int>(unit.num_pairs + panel_pairs - 1) / panel_pairs) {}

  void run() {
    bool const shared = m_unit.target == UnitTarget::state_from_end;
    bool const finite = shared ? attend<Sums::traceless>() : attend<Sums::fast>();
    // See NarrowAttention::run().
    if (!finite) attend<Sums::careful>();
  }

 private:
  /// How weighted values are summed: as fast as possible; so that keys that a row does not see
  /// change no bit of it, which matters where rows of several sequences share a tile; or so that
  /// even values that are no numbers leave such rows alone.
  enum class Sums { fast, traceless, careful };

  int pairs_of(int panel) const {
    return std::min(panel_pairs, static_cast<int>(m_unit.num_pairs) - panel * panel_pairs);
  }

  void begin_panel(int index) {
    auto& panel     = m_panels[index];
    int const count = pairs_of(index);
    panel.vectors   = (count + host_lanes - 1) / host_lanes;
    std::fill_n(&panel.queries[0][0], key_floats * panel_pairs, 0.0f);
    std::fill_n(&panel.sums[0][0], value_floats * panel_pairs, 0.0f);
    std::fill_n(&panel.lost[0][0], value_floats * panel_pairs, 0.0f);
    for (int v = 0; v < panel_vectors; ++v) {
      panel.largest[v]    = broadcast(minus_infinity);
      panel.total[v]      = FloatVector{};
      panel.total_lost[v] = FloatVector{};
    }
    for (int i = 0; i < count; ++i) {
      auto const pair = m_call.pair(m_unit, m_unit.head_begin,
                                    static_cast<std::uint32_t>(index * panel_pairs + i));
      panel.pairs[i]  = pair;
      panel.range     = i == 0 ? pair.keys : panel.range.joined(pair.keys);
      panel.rows[i / host_lanes].set(i % host_lanes, pair, m_call.slope(pair.query_head));
      load_query<key_format>(m_call, pair, &panel.queries[0][i], panel_pairs);
    }
    // Lanes past the pairs see what the first one sees: they must not make a tile look hidden.
    for (int i = count; i < panel_pairs; ++i) {
      panel.pairs[i] = panel.pairs[0];
      panel.rows[i / host_lanes].set(i % host_lanes, panel.pairs[0], 0);
    }
  }

  template <Sums Mode>
  bool attend() {
    KeyRange range{};
    for (int p = 0; p < m_num_panels; ++p) {
      begin_panel(p);
      range = p == 0 ? m_panels[0].range : range.joined(m_panels[p].range);
    }
    tile_type tiles[2];
    int turn        = 0;
    auto const find = [&](tile_type& tile, std::uint32_t key) {
      tile.find(m_call, m_unit.sequence, range, key, m_unit.key_begin, m_unit.key_end, m_zeros);
    };
    auto key = tile_type::next_begin(range, m_unit.key_begin / tile_keys * tile_keys);
    if (key < m_unit.key_end) find(tiles[0], key);
    while (key < m_unit.key_end) {
      auto const next = tile_type::next_begin(range, key + tile_keys);
      bool const more = next < m_unit.key_end;
      if (more) find(tiles[1 - turn], next);
      auto const& tile = tiles[turn];
      load_tile(tile);
      auto const& ahead = more ? tiles[1 - turn] : tile;
      m_next_keys       = {ahead.keys, m_unit.head_begin, m_unit.head_begin + 1};
      m_next_values     = {ahead.values, m_unit.head_begin, m_unit.head_begin + 1};
      m_prefetches      = more;
      for (int p = 0; p < m_num_panels; ++p) {
        auto& panel = m_panels[p];
        if (panel.range.misses(tile.begin, tile.begin + static_cast<std::uint32_t>(tile.count)))
          continue;
        if (panel.vectors == 1) {
          attend_panel<1, Mode>(tile, panel);
        } else {
          attend_panel<panel_vectors, Mode>(tile, panel);
        }
        m_prefetches = false;
      }
      key  = next;
      turn = 1 - turn;
    }
    bool finite = true;
    for (int p = 0; p < m_num_panels; ++p) {
      for (int i = 0; i < pairs_of(p); ++i) finite = write(m_panels[p], i) && finite;
    }
    return finite;
  }

  template <class Format, int Stride, class T>
  static void widen(T const* row, float* to) {
    for (int chunk = 0; chunk < Format::chunks; ++chunk) {
      FloatVector loaded[Format::format::vectors];
      Format::load(row, chunk, loaded);
      for (int v = 0; v < Format::format::vectors; ++v) {
        store_lanes(to + (chunk * Format::format::vectors + v) * host_lanes, loaded[v]);
      }
    }
    for (int i = Format::floats; i < Stride; ++i) to[i] = 0;
  }

  void load_tile(tile_type const& tile) {
    auto const key_offset   = std::size_t(m_unit.head_begin) * Call::head_size;
    auto const value_offset = std::size_t(m_unit.head_begin) * Call::value_row_size;
    for (int i = 0; i < padded(tile.count); ++i) {
      widen<key_format, key_stride>(tile.keys[i] + key_offset, m_scratch.keys[i]);
      widen<value_format, value_stride>(tile.values[i] + value_offset, m_scratch.values[i]);
    }
  }

  /// Steps of the inner loops for each line that is prefetched: by the end of the first panel, all
  /// of the next tile is.
  template <class T>
  static constexpr int steps_of_line = std::max<int>(1, 8 / sizeof(T));

  /// Whole blocks of keys.
  static constexpr int padded(int keys) { return (keys + block - 1) / block * block; }

  template <int Vectors, Sums Mode>
  void attend_panel(tile_type const& tile, Panel& panel) {
    // Keys after the last that the panel sees need no work.
    auto const last = std::max(panel.range.end, panel.range.first_end);
    int const keys  = std::min(
        tile.count, static_cast<int>(std::min<std::uint32_t>(last - tile.begin, tile_keys)));
    for (int key = 0; key < keys; key += block) {
      dot_products<Vectors>(panel, key);
    }
    FloatVector rescale[Vectors];
    weigh<Vectors, Mode>(tile, panel, padded(keys), rescale);
    int const floats = std::min(value_floats, value_blocks() * block);
    for (int begin = 0; begin < floats; begin += block) {
      add_values<Vectors, Mode>(panel, begin, keys, rescale);
    }
  }

  /// Blocks that hold elements of the call's value heads.
  int value_blocks() const {
    // The order of the elements is kept within chunks only.
    constexpr int chunk = value_format::format::elements;
    int const floats    = (m_call.value_head_size + chunk - 1) / chunk * chunk;
    return (floats + block - 1) / block;
  }

  /// Logits of all pairs of the panel with some keys.
  template <int Vectors>
  void dot_products(Panel const& panel, int key) {
    constexpr int step               = steps_of_line<typename Call::key_type>;
    FloatVector sums[block][Vectors] = {};
    float const* const keys          = m_scratch.keys[key];
    for (int first = 0; first < key_floats; first += step) {
      if (m_prefetches) m_next_keys.prefetch(first / step);
      for (int d = first; d < first + step; ++d) {
        FloatVector query[Vectors];
        unrolled<Vectors>(
            [&](auto v) { query[v] = load_lanes(&panel.queries[d][v * host_lanes]); });
        unrolled<block>([&](auto k) {
          FloatVector const factor = broadcast(keys[k * key_stride + d]);
          unrolled<Vectors>([&](auto v) { sums[k][v] += factor * query[v]; });
        });
      }
    }
    m_next_keys.advance(key_floats / step);
    unrolled<block>([&](auto k) {
      unrolled<Vectors>(
          [&](auto v) { store_lanes(&m_scratch.scores[key + k][v * host_lanes], sums[k][v]); });
    });
  }

  /// Logits become weights relative to the largest logit so far.
  template <int Vectors, Sums Mode>
  void weigh(tile_type const& tile, Panel& panel, int keys, FloatVector* rescale) {
    auto const& rule  = m_call.rule;
    bool const shaped = shapes_logits(rule);
    for (int v = 0; v < Vectors; ++v) {
      auto const& rows    = panel.rows[v];
      float* const scores = &m_scratch.scores[0][v * host_lanes];
      bool const hidden =
          Call::has_functors || !tile.complete || tile.count < keys ||
          !all_see(panel, tile.begin, tile.begin + static_cast<std::uint32_t>(keys));
      FloatVector largest = panel.largest[v];
      for (int j = 0; j < keys; ++j) {
        FloatVector logit = load_lanes(scores + j * panel_pairs);
        auto const key    = broadcast_int(static_cast<std::int32_t>(tile.begin) + j);
        if (shaped) logit = rows.shape(rule, logit, key);
        if (hidden) {
          logit = rows.hide(logit, key, broadcast_int(tile.present[j]));
          if constexpr (Call::has_functors)
            apply_functors(panel, v, tile.begin + static_cast<std::uint32_t>(j), logit);
        }
        if (shaped || hidden) store_lanes(scores + j * panel_pairs, logit);
        largest = larger(logit, largest);
      }
      // Without a visible key so far there is nothing to subtract; -inf - (-inf) would be NaN.
      FloatVector const base = largest == minus_infinity ? FloatVector{} : largest;
      FloatVector sum{};
      for (int j = 0; j < keys; ++j) {
        FloatVector const weight = exponential(load_lanes(scores + j * panel_pairs) - base);
        store_lanes(scores + j * panel_pairs, weight);
        sum += weight;
      }
      rescale[v]       = exponential(panel.largest[v] - base);
      panel.largest[v] = largest;
      add_exactly<Mode>(panel.total[v], panel.total_lost[v], rescale[v], sum);
    }
  }

  /// True where every pair of the panel sees all of [from, to).
  static bool all_see(Panel const& panel, std::uint32_t from, std::uint32_t to) {
    auto const first = broadcast_int(static_cast<std::int32_t>(from));
    auto const last  = broadcast_int(static_cast<std::int32_t>(to));
    for (int v = 0; v < panel.vectors; ++v) {
      auto const& rows = panel.rows[v];
      if (any(~(((first >= rows.begin) & (last <= rows.end)) | (last <= rows.first_end))))
        return false;
    }
    return true;
  }

  void apply_functors(Panel const& panel, int vector, std::uint32_t key, FloatVector& logit) const {
    for (int lane = 0; lane < host_lanes; ++lane) {
      if (logit[lane] == minus_infinity) continue;
      auto const& pair = panel.pairs[vector * host_lanes + lane];
      logit[lane]      = m_call.rule.apply(m_call.index(pair, key), logit[lane]);
    }
  }

  /// total * factor + term, with what was lost so far.
  template <Sums Mode>
  static void add_exactly(FloatVector& total, FloatVector& lost, FloatVector factor,
                          FloatVector term) {
    FloatVector const before  = total * factor;
    FloatVector const carried = lost * factor;
    FloatVector const exact   = term - carried;
    FloatVector const after   = before + exact;
    FloatVector const rest    = (after - before) - exact;
    if constexpr (Mode == Sums::fast) {
      total = after;
      lost  = rest;
    } else {
      // Of an infinite total nothing is lost.
      FloatVector const kept = rest == rest ? rest : FloatVector{};
      total                  = term == 0.0f ? before : after;
      lost                   = term == 0.0f ? carried : kept;
    }
  }

  /// Adds the weighted values of a tile to some elements of all pairs.
  template <int Vectors, Sums Mode>
  void add_values(Panel& panel, int begin, int keys, FloatVector const* rescale) {
    constexpr int step               = steps_of_line<typename Call::element_type>;
    FloatVector sums[block][Vectors] = {};
    for (int key = 0; key < keys; ++key) {
      if (m_prefetches && key % step == 0) m_next_values.prefetch(key / step);
      FloatVector weight[Vectors];
      unrolled<Vectors>(
          [&](auto v) { weight[v] = load_lanes(&m_scratch.scores[key][v * host_lanes]); });
      float const* const values = &m_scratch.values[key][begin];
      unrolled<block>([&](auto d) {
        FloatVector const factor = broadcast(values[d]);
        unrolled<Vectors>([&](auto v) {
          if constexpr (Mode == Sums::careful) {
            sums[d][v] += weight[v] == 0.0f ? FloatVector{} : factor * weight[v];
          } else {
            sums[d][v] += factor * weight[v];
          }
        });
      });
    }
    m_next_values.advance(tile_keys / step);
    unrolled<block>([&](auto d) {
      unrolled<Vectors>([&](auto v) {
        float* const sum_at  = &panel.sums[begin + d][v * host_lanes];
        float* const lost_at = &panel.lost[begin + d][v * host_lanes];
        FloatVector total    = load_lanes(sum_at);
        FloatVector lost     = load_lanes(lost_at);
        add_exactly<Mode>(total, lost, rescale[v], sums[d][v]);
        store_lanes(sum_at, total);
        store_lanes(lost_at, lost);
      });
    });
  }

  bool write(Panel const& panel, int i) const {
    return write_result<value_format>(
        m_call, m_unit, panel.pairs[i], panel.largest[i / host_lanes][i % host_lanes],
        panel.total[i / host_lanes][i % host_lanes], &panel.sums[0][i], panel_pairs);
  }

  Call const& m_call;
  AttentionUnit const& m_unit;
  void const* m_zeros;
  Scratch& m_scratch;
  Panel* m_panels;
  int m_num_panels;
  /// Of the next tile; prefetched during the first panel's turn.
  LinesAhead<typename Call::key_type, Call::head_size, tile_keys> m_next_keys;
  LinesAhead<typename Call::element_type, Call::value_row_size, tile_keys> m_next_values;
  bool m_prefetches = false;
};

}  // namespace KokkosKV::Impl

#endif
