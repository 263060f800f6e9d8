// Attention of few query rows on hosts, as in decoding: reading the pages once is all that counts.
// Lanes are elements of heads; keys and values are used where they lie.
#ifndef KOKKOSKV_IMPL_NARROWATTENTION_HPP
#define KOKKOSKV_IMPL_NARROWATTENTION_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <attention/impl/KokkosKV_AttentionCall.hpp>
#include <attention/impl/KokkosKV_HostKeyTile.hpp>
#include <attention/impl/KokkosKV_HostRows.hpp>
#include <attention/impl/KokkosKV_HostScores.hpp>
#include <kokkos_ext/impl/KokkosKV_HostVector.hpp>

namespace KokkosKV::Impl {

/// Pairs of the narrow form, at most.
inline constexpr int narrow_pairs = 8;

inline constexpr int narrow_tile_keys = 16;

/// Rows (a head and a pair) of a number of heads, in whole vectors.
inline constexpr std::size_t narrow_rows(std::size_t heads) {
  constexpr std::size_t lanes = host_lanes;
  return (heads * narrow_pairs + lanes - 1) / lanes * lanes;
}

/// Bytes that the narrow form needs at most, whatever the types are.
inline std::size_t narrow_scratch_bytes(std::size_t heads, std::size_t head_size,
                                        std::size_t value_row_size) {
  constexpr std::size_t chunk = 2 * host_lanes;
  auto const keys             = (head_size + chunk - 1) / chunk * chunk;
  auto const values           = (value_row_size + chunk - 1) / chunk * chunk;
  return narrow_rows(heads) * (keys + values + narrow_tile_keys + 3) * sizeof(float);
}

/// The units of the narrow form: all heads of a tile of keys, then the next tile (online softmax:
/// Milakov and Gimelshein, Online normalizer calculation for softmax, 2018; ranges of keys as in
/// Dao et al., Flash-Decoding, 2023).
template <class Call>
class NarrowAttention {
  using key_format   = RowFormat<typename Call::key_type, Call::head_size>;
  using value_format = RowFormat<typename Call::element_type, Call::value_row_size>;

  static constexpr int tile_keys = narrow_tile_keys;
  /// Keys whose values are summed at a time.
  static constexpr int value_keys = 16;
  using tile_type                 = HostKeyTile<Call, tile_keys>;
  using key_lines                 = LinesAhead<typename Call::key_type, Call::head_size, tile_keys>;
  using value_lines = LinesAhead<typename Call::element_type, Call::value_row_size, tile_keys>;
  static_assert(tile_keys % host_lanes == 0);

 public:
  /// \param next     the unit that will follow, or null: its first keys are prefetched
  /// \param scratch  narrow_scratch_bytes(), aligned as vectors are
  /// \param zeros    a token row of zeros
  NarrowAttention(Call const& call, AttentionUnit const& unit, AttentionUnit const* next,
                  void* scratch, void const* zeros)
      : m_call(call),
        m_unit(unit),
        m_next(next),
        m_zeros(zeros),
        m_num_heads(unit.head_end - unit.head_begin),
        m_num_pairs(static_cast<int>(unit.num_pairs)),
        m_block_pairs(m_num_pairs <= 2 ? m_num_pairs : (m_num_pairs + 3) / 4 * 4),
        m_num_rows(static_cast<int>(m_num_heads) * m_block_pairs) {
    auto* place     = static_cast<float*>(scratch);
    auto const take = [&](std::size_t floats) { return std::exchange(place, place + floats); };
    auto const rows = narrow_rows(m_num_heads);
    m_queries       = reinterpret_cast<Query*>(take(rows * key_format::floats));
    m_sums          = reinterpret_cast<Sums*>(take(rows * value_format::floats));
    m_scores        = reinterpret_cast<Scores*>(take(rows * tile_keys));
    m_largest       = take(rows);
    m_total         = take(rows);
    m_rescale       = take(rows);
  }

  void run() {
    // A value that is no number stays in the sums whatever its weight; then weights of zero, those
    // of keys that a row does not see, must not touch the values.
    if (!attend<false>()) attend<true>();
  }

 private:
  /// Scaled queries in the order in which keys are loaded, sums of weighted values in the order in
  /// which values are, and logits, then weights, of a tile.
  using Query  = float[key_format::floats];
  using Sums   = float[value_format::floats];
  using Scores = float[tile_keys];

  /// Rows are pairs within heads; those past the pairs have zeros as queries.
  int row_of(std::uint32_t head, int pair) const {
    return static_cast<int>(head) * m_block_pairs + pair;
  }

  QueryPair pair_of(std::uint32_t head, int pair) const {
    auto result = m_pairs[pair];
    result.query_head += head * m_call.group;
    return result;
  }

  void begin() {
    for (int i = 0; i < m_num_pairs; ++i) {
      m_pairs[i] = m_call.pair(m_unit, m_unit.head_begin, static_cast<std::uint32_t>(i));
      m_range    = i == 0 ? m_pairs[0].keys : m_range.joined(m_pairs[i].keys);
    }
    auto const rows = narrow_rows(m_num_heads);
    std::fill_n(m_largest, rows, minus_infinity);
    std::fill_n(m_total, rows, 0.0f);
    std::fill_n(&m_sums[0][0], static_cast<std::size_t>(m_num_rows) * value_format::floats, 0.0f);
    for (std::uint32_t head = 0; head < m_num_heads; ++head) {
      for (int i = 0; i < m_block_pairs; ++i) {
        auto& query = m_queries[row_of(head, i)];
        std::fill_n(query, key_format::floats, 0.0f);
        if (i < m_num_pairs) load_query<key_format>(m_call, pair_of(head, i), query, 1);
      }
    }
  }

  /// True where all results are numbers.
  template <bool Careful>
  bool attend() {
    begin();
    for_each_tile<tile_type>(
        m_call, m_unit, m_next, m_range, m_zeros,
        [&](tile_type const& tile, tile_type const& ahead) { attend_tile<Careful>(tile, ahead); });
    return write();
  }

  bool write() const {
    bool finite = true;
    for (std::uint32_t head = 0; head < m_num_heads; ++head) {
      for (int i = 0; i < m_num_pairs; ++i) {
        int const row = row_of(head, i);
        finite        = write_result<value_format>(m_call, m_unit, pair_of(head, i), m_largest[row],
                                                   m_total[row], m_sums[row], 1) &&
                 finite;
      }
    }
    return finite;
  }

  template <bool Careful>
  void attend_tile(tile_type const& tile, tile_type const& ahead) {
    if (m_num_pairs == 1) {
      attend_pairs<1, Careful>(tile, ahead);
    } else if (m_num_pairs == 2) {
      attend_pairs<2, Careful>(tile, ahead);
    } else {
      attend_pairs<4, Careful>(tile, ahead);
    }
  }

  /// All pairs, `Pairs` at a time. The lines of the next tile are prefetched evenly throughout:
  /// memory that waits for arithmetic is time lost.
  template <int Pairs, bool Careful>
  void attend_pairs(tile_type const& tile, tile_type const& ahead) {
    constexpr int keys = host_lanes / Pairs;
    key_lines next_keys(ahead.keys, m_unit.head_begin, m_unit.head_end);
    for (int key = 0; key < tile.count; key += keys) {
      for (std::uint32_t head = 0; head < m_num_heads; ++head) {
        for (int pair = 0; pair < m_num_pairs; pair += Pairs) {
          dot_products<Pairs>(tile, head, pair, key, next_keys);
        }
      }
    }
    value_lines next_values(ahead.values, m_unit.head_begin, m_unit.head_end);
    weigh(tile, next_values);
    constexpr int wanted = Pairs == 4 ? 4 : 8;
    constexpr int block =
        wanted < value_format::format::vectors ? value_format::format::vectors : wanted;
    // Elements past the value heads of the call are summed only where a block begins before them.
    int const blocks    = (m_call.value_head_size + block * host_lanes - 1) / (block * host_lanes);
    constexpr int whole = value_format::vectors / block;
    constexpr int rest  = value_format::vectors % block;
    for (int key = 0; key < tile.count; key += value_keys) {
      for (std::uint32_t head = 0; head < m_num_heads; ++head) {
        for (int pair = 0; pair < m_num_pairs; pair += Pairs) {
          for (int b = 0; b < std::min(blocks, whole); ++b) {
            add_values<Pairs, block, Careful>(tile, head, pair, b * block, key, next_values);
          }
          if constexpr (rest != 0) {
            if (blocks > whole)
              add_values<Pairs, rest, Careful>(tile, head, pair, whole * block, key, next_values);
          }
        }
      }
    }
  }

  /// Logits of some pairs with some keys, a register for each pair and key.
  template <int Pairs>
  void dot_products(tile_type const& tile, std::uint32_t index, int first, int key,
                    key_lines& ahead) const {
    constexpr int keys               = host_lanes / Pairs;
    constexpr int width              = key_format::format::vectors;
    auto const offset                = std::size_t(m_unit.head_begin + index) * Call::head_size;
    int const row                    = row_of(index, first);
    FloatVector products[host_lanes] = {};
    for (int chunk = 0; chunk < key_format::chunks; ++chunk) {
      FloatVector query[Pairs][width];
      unrolled<Pairs>([&](auto i) {
        unrolled<width>([&](auto v) {
          query[i][v] = load_lanes(&m_queries[row + i][(chunk * width + v) * host_lanes]);
        });
      });
      unrolled<keys>([&](auto k) {
        FloatVector loaded[width];
        key_format::load(tile.keys[key + k] + offset, chunk, loaded);
        ahead.prefetch(chunk * keys + k);
        unrolled<Pairs>([&](auto i) {
          unrolled<width>([&](auto v) { products[i * keys + k] += query[i][v] * loaded[v]; });
        });
      });
    }
    ahead.advance(key_format::chunks * keys);
    float lanes[host_lanes];
    store_lanes(lanes, fold_each(products, added));
    unrolled<Pairs>([&](auto i) {
      __builtin_memcpy(&m_scores[row + i][key], lanes + i * keys, keys * sizeof(float));
    });
  }

  /// Logits become weights relative to the largest logit so far.
  void weigh(tile_type const& tile, value_lines& ahead) {
    constexpr int vectors = tile_keys / host_lanes;
    bool const shaped     = shapes_logits(m_call.rule);
    bool hidden[narrow_pairs];
    for (int i = 0; i < m_num_pairs; ++i) hidden[i] = may_hide(tile, m_pairs[i]);
    // As many rows at a time as there are lanes, so that nothing waits for a single row.
    for (int first = 0; first < m_num_rows; first += host_lanes) {
      FloatVector parts[host_lanes];
      for (int r = 0; r < host_lanes; ++r) {
        int const pair = (first + r) % m_block_pairs;
        if (first + r < m_num_rows && pair < m_num_pairs && (shaped || hidden[pair])) {
          shape(tile, static_cast<std::uint32_t>((first + r) / m_block_pairs), pair, hidden[pair]);
        }
        ahead.prefetch(r);
        float const* const scores = m_scores[first + r];
        parts[r]                  = load_lanes(scores);
        for (int v = 1; v < vectors; ++v) {
          parts[r] = larger(parts[r], load_lanes(scores + v * host_lanes));
        }
      }
      FloatVector const before  = load_lanes(m_largest + first);
      FloatVector const largest = larger(fold_each(parts, larger), before);
      // Without a visible key so far there is nothing to subtract; -inf - (-inf) would be NaN.
      FloatVector const base    = largest == minus_infinity ? FloatVector{} : largest;
      FloatVector const rescale = exponential(before - base);
      float bases[host_lanes];
      store_lanes(bases, base);
      store_lanes(m_largest + first, largest);
      store_lanes(m_rescale + first, rescale);
      for (int r = 0; r < host_lanes; ++r) {
        ahead.prefetch(host_lanes + r);
        float* const scores = m_scores[first + r];
        parts[r]            = FloatVector{};
        for (int v = 0; v < vectors; ++v) {
          FloatVector const weight = exponential(load_lanes(scores + v * host_lanes) - bases[r]);
          store_lanes(scores + v * host_lanes, weight);
          parts[r] += weight;
        }
      }
      ahead.advance(2 * host_lanes);
      store_lanes(m_total + first, load_lanes(m_total + first) * rescale + fold_each(parts, added));
    }
  }

  /// What the rule makes of the logits of a pair.
  void shape(tile_type const& tile, std::uint32_t head, int i, bool hidden) {
    auto const pair     = pair_of(head, i);
    auto const rows     = LaneRows::all(pair, m_call.slope(pair.query_head));
    float* const scores = m_scores[row_of(head, i)];
    for (int j = 0; j < tile_keys; j += host_lanes) {
      store_lanes(scores + j,
                  apply_rule(m_call, tile, pair, rows, j, load_lanes(scores + j), hidden));
    }
  }

  /// Adds the weighted values of some keys to vectors [begin, begin + Vectors) of some pairs. They
  /// are summed from zero, so that long sequences lose no more than short ones.
  template <int Pairs, int Vectors, bool Careful>
  void add_values(tile_type const& tile, std::uint32_t index, int first, int begin, int first_key,
                  value_lines& ahead) {
    constexpr int width = value_format::format::vectors;
    auto const offset   = std::size_t(m_unit.head_begin + index) * Call::value_row_size;
    int const to_row    = row_of(index, first);
    int const end       = std::min(first_key + value_keys, tile.count);
    FloatVector sums[Pairs][Vectors] = {};
    for (int key = first_key; key < end; ++key) {
      auto const* const row = tile.values[key] + offset;
      FloatVector loaded[Vectors];
      unrolled<Vectors / width>([&](auto c) {
        value_format::load(row, (begin + (c * width)) / width, loaded + (c * width));
        ahead.prefetch((key - first_key) * (Vectors / width) + c);
      });
      unrolled<Pairs>([&](auto i) {
        float const weight = m_scores[to_row + i][key];
        if constexpr (Careful) {
          if (weight == 0) return;
        }
        unrolled<Vectors>([&](auto v) { sums[i][v] += weight * loaded[v]; });
      });
    }
    ahead.advance(value_keys * (Vectors / width));
    unrolled<Pairs>([&](auto i) {
      float* const to     = &m_sums[to_row + i][begin * host_lanes];
      float const rescale = first_key == 0 ? m_rescale[to_row + i] : 1.0f;
      unrolled<Vectors>([&](auto v) {
        store_lanes(to + v * host_lanes, load_lanes(to + v * host_lanes) * rescale + sums[i][v]);
      });
    });
  }

  Call const& m_call;
  AttentionUnit const& m_unit;
  AttentionUnit const* m_next;
  void const* m_zeros;
  std::uint32_t m_num_heads;
  int m_num_pairs;
  /// With those that fill the last block of registers.
  int m_block_pairs;
  int m_num_rows;
  Query* m_queries;
  Sums* m_sums;
  Scores* m_scores;
  float* m_largest;
  float* m_total;
  /// Factors for what was summed before a tile.
  float* m_rescale;
  /// The tile to prefetch.
  /// Of the first head.
  QueryPair m_pairs[narrow_pairs];
  KeyRange m_range{};
};

}  // namespace KokkosKV::Impl

#endif
