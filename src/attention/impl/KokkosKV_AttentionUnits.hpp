// How a step is cut into units of work: tiles of query rows, times ranges of keys.
#ifndef KOKKOSKV_IMPL_ATTENTIONUNITS_HPP
#define KOKKOSKV_IMPL_ATTENTIONUNITS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <attention/KokkosKV_AttentionParams.hpp>
#include <attention/KokkosKV_AttentionShape.hpp>
#include <attention/impl/KokkosKV_VisibleKeys.hpp>

namespace KokkosKV::Impl {

/// Where the result of a unit goes: to the output itself, or to a state of each of its rows,
/// counted from the row's first state or backwards from its last.
enum class UnitTarget : std::uint32_t { output, state, state_from_end };

/// Pairs of a row and a query head of one key/value head's group, against keys [key_begin, key_end)
/// of a sequence, for some key/value heads. Pair `i` is row `i / group`, head `i % group`.
struct AttentionUnit {
  std::uint32_t sequence;  ///< row of the lookup table
  std::uint32_t first_row;
  std::uint32_t first_pair;
  std::uint32_t num_pairs;
  std::uint32_t head_begin;
  std::uint32_t head_end;
  std::uint32_t key_begin;
  std::uint32_t key_end;
  UnitTarget target;
  std::uint32_t state;
  bool wide;  ///< enough pairs for the form that has pairs as lanes
};

/// Sizes that the kernels prescribe.
struct UnitLimits {
  std::uint32_t tile_pairs;    ///< pairs of a tile, at most
  std::uint32_t narrow_pairs;  ///< pairs that the narrow form takes, at most; 0 = it is not used
  std::uint32_t unit_pairs;    ///< pairs of a unit, at most: parts of a tile, or all of it
  std::size_t concurrency;     ///< units that run at the same time
};

/// Sequences of a batch: row offsets and cache lengths on the host.
struct StepLengths {
  std::vector<std::uint32_t> offsets;
  std::vector<std::uint32_t> cache_lengths;

  std::size_t batch_size() const { return cache_lengths.size(); }
  std::uint32_t num_rows(std::size_t b) const { return offsets[b + 1] - offsets[b]; }
};

/// The units of a step, longest first, and the states of each row.
struct StepUnits {
  std::vector<AttentionUnit> units;
  std::vector<std::uint32_t> row_sequences;
  std::vector<std::uint32_t> state_offsets;  ///< `[rows + 1]`
  std::vector<std::uint32_t> merged_rows;    ///< rows that have states
};

/// Cuts a step. What a sequence gets depends on nothing but its own lengths (and, in a shared
/// prefix, on the prefix): ranges of keys end at fixed token positions. How many heads a unit takes
/// depends on the load, which changes no sum.
class UnitCutter {
 public:
  UnitCutter(AttentionShape const& shape, Visibility const& rule,
             AttentionPlanOptions const& options, UnitLimits const& limits,
             StepLengths const& lengths)
      : m_group(static_cast<std::uint32_t>(shape.num_query_heads / shape.num_kv_heads)),
        m_num_heads(static_cast<std::uint32_t>(shape.num_kv_heads)),
        m_rule(rule),
        m_options(options),
        m_limits(limits),
        m_lengths(lengths) {}

  StepUnits cut() {
    auto const num_rows = m_lengths.offsets.back();
    m_result.row_sequences.resize(num_rows);
    m_num_states.assign(num_rows, 0);
    m_prefix_lengths.assign(m_lengths.batch_size(), 0);
    choose_split();
    for (auto const& prefix : m_options.shared_prefixes) cut_prefix(prefix);
    for (std::uint32_t b = 0; b < m_lengths.batch_size(); ++b) cut_sequence(b);
    finish_states();
    share_heads();
    std::stable_sort(m_result.units.begin(), m_result.units.end(),
                     [](auto const& a, auto const& b) { return cost(a) > cost(b); });
    return std::move(m_result);
  }

 private:
  /// Keys that a unit of the narrow form costs even for one pair.
  static constexpr std::uint64_t base_pairs = 8;

  static std::uint64_t cost(AttentionUnit const& unit) {
    auto const pairs = std::max<std::uint64_t>(unit.num_pairs, base_pairs);
    return pairs * (unit.key_end - unit.key_begin + 1u) * (unit.head_end - unit.head_begin);
  }

  /// Without determinism the load decides: enough ranges for all threads.
  void choose_split() {
    m_split = m_options.split_tokens;
    if (m_options.deterministic) return;
    std::uint64_t total = 0;
    for (std::size_t b = 0; b < m_lengths.batch_size(); ++b) {
      if (m_lengths.num_rows(b) > 0) total += m_lengths.cache_lengths[b] + m_lengths.num_rows(b);
    }
    constexpr std::uint64_t units_per_thread = 4, least = 64;
    auto const wanted = total * m_num_heads / (units_per_thread * m_limits.concurrency);
    m_split = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(wanted, least, m_split));
  }

  KeyRange range_of_row(std::uint32_t sequence, std::uint32_t row) const {
    auto const length = m_lengths.cache_lengths[sequence];
    auto const keys   = key_count(m_rule, length, m_lengths.num_rows(sequence));
    return visible_keys(m_rule, length + (row - m_lengths.offsets[sequence]), keys);
  }

  /// Cuts keys [from, to) of a tile at multiples of `length` and keeps what is visible.
  template <class Visit>
  static std::uint32_t for_each_cell(KeyRange const& range, std::uint32_t from, std::uint32_t to,
                                     std::uint64_t length, Visit const& visit) {
    std::uint32_t count = 0;
    for (std::uint64_t begin = from / length * length; begin < to; begin += length) {
      auto const first = static_cast<std::uint32_t>(std::max<std::uint64_t>(begin, from));
      auto const last  = static_cast<std::uint32_t>(std::min<std::uint64_t>(begin + length, to));
      if (range.misses(first, last)) continue;
      visit(first, last, count);
      ++count;
    }
    return count;
  }

  /// A tile's units for one range of keys.
  void add_units(AttentionUnit unit, std::uint32_t tile_pairs) {
    for (std::uint32_t first = 0; first < tile_pairs; first += m_limits.unit_pairs) {
      unit.first_pair = first;
      unit.num_pairs  = std::min(m_limits.unit_pairs, tile_pairs - first);
      m_result.units.push_back(unit);
    }
  }

  std::uint32_t rows_per_tile() const {
    return std::max<std::uint32_t>(1, m_limits.tile_pairs / m_group);
  }

  void cut_sequence(std::uint32_t b) {
    auto const begin  = m_lengths.offsets[b];
    auto const end    = m_lengths.offsets[b + 1];
    auto const prefix = m_prefix_lengths[b];
    std::fill(m_result.row_sequences.begin() + begin, m_result.row_sequences.begin() + end, b);
    for (std::uint32_t row = begin; row < end; row += rows_per_tile()) {
      auto const rows  = std::min(rows_per_tile(), end - row);
      auto const pairs = rows * m_group;
      auto range       = range_of_row(b, row);
      for (std::uint32_t i = 1; i < rows; ++i) range = range.joined(range_of_row(b, row + i));
      auto const last = std::max(range.end, range.first_end);
      bool const wide = pairs > m_limits.narrow_pairs;
      // Partial results are as large as the tile: the more pairs, the longer the ranges.
      auto const length = std::uint64_t(m_split) * ((pairs + base_pairs - 1) / base_pairs);
      AttentionUnit unit{b, row, 0, 0, 0, m_num_heads, prefix, prefix, UnitTarget::output, 0, wide};
      auto const cells = for_each_cell(range, prefix, last, length, [](auto...) {});
      if (cells <= 1 && prefix == 0) {
        // Also where no key is visible: the unit writes zeros.
        for_each_cell(range, prefix, last, length,
                      [&](std::uint32_t first, std::uint32_t stop, std::uint32_t) {
                        unit.key_begin = first;
                        unit.key_end   = stop;
                      });
        add_units(unit, pairs);
        continue;
      }
      unit.target = UnitTarget::state;
      for_each_cell(range, prefix, last, length,
                    [&](std::uint32_t first, std::uint32_t stop, std::uint32_t index) {
                      unit.key_begin = first;
                      unit.key_end   = stop;
                      unit.state     = index;
                      add_units(unit, pairs);
                    });
      for (std::uint32_t i = 0; i < rows; ++i) m_num_states[row + i] += cells;
    }
  }

  void cut_prefix(SharedPrefix const& prefix) {
    auto const first    = static_cast<std::uint32_t>(prefix.first_sequence);
    auto const last     = first + static_cast<std::uint32_t>(prefix.num_sequences);
    auto const end      = m_lengths.offsets[last];
    std::uint32_t b     = first;
    auto const range_at = [&](std::uint32_t row) {
      while (row >= m_lengths.offsets[b + 1]) ++b;
      return range_of_row(b, row);
    };
    for (auto s = first; s < last; ++s) m_prefix_lengths[s] = prefix.length;
    for (std::uint32_t row = m_lengths.offsets[first]; row < end; row += rows_per_tile()) {
      auto const rows = std::min(rows_per_tile(), end - row);
      auto range      = range_at(row);
      for (std::uint32_t i = 1; i < rows; ++i) range = range.joined(range_at(row + i));
      AttentionUnit unit{first, row, 0, 0, 0, m_num_heads, 0, 0, UnitTarget::state_from_end,
                         0,     true};
      auto const cells =
          for_each_cell(range, 0, prefix.length, std::uint64_t(m_split) * prefix_splits,
                        [&](std::uint32_t begin, std::uint32_t stop, std::uint32_t index) {
                          unit.key_begin = begin;
                          unit.key_end   = stop;
                          unit.state     = index;
                          add_units(unit, rows * m_group);
                        });
      for (std::uint32_t i = 0; i < rows; ++i) m_num_states[row + i] += cells;
    }
  }
  /// Ranges of a shared prefix are this many times as long: its tiles have many pairs.
  static constexpr std::uint32_t prefix_splits = 2;

  void finish_states() {
    m_result.state_offsets.assign(m_num_states.size() + 1, 0);
    std::partial_sum(m_num_states.begin(), m_num_states.end(), m_result.state_offsets.begin() + 1);
    for (std::uint32_t row = 0; row < m_num_states.size(); ++row) {
      bool const in_prefix = m_prefix_lengths[m_result.row_sequences[row]] > 0;
      if (m_num_states[row] > 0 || in_prefix) m_result.merged_rows.push_back(row);
    }
  }

  /// Gives each unit fewer heads where there would be too few units for all threads. The wide form
  /// always takes one, so that its tile of keys is shared by as many pairs as possible.
  void share_heads() {
    constexpr std::size_t units_per_thread = 8;
    auto const narrow                      = static_cast<std::size_t>(std::count_if(
        m_result.units.begin(), m_result.units.end(), [](auto const& unit) { return !unit.wide; }));
    auto const wanted                      = units_per_thread * m_limits.concurrency;
    auto const parts                       = narrow == 0 ? 1 : (wanted + narrow - 1) / narrow;
    auto const shared                      = std::max<std::uint32_t>(
        1, m_num_heads / static_cast<std::uint32_t>(std::min<std::size_t>(parts, m_num_heads)));
    std::vector<AttentionUnit> units;
    for (auto unit : m_result.units) {
      auto const heads = unit.wide ? 1u : shared;
      for (std::uint32_t head = 0; head < m_num_heads; head += heads) {
        unit.head_begin = head;
        unit.head_end   = std::min(head + heads, m_num_heads);
        units.push_back(unit);
      }
    }
    m_result.units = std::move(units);
  }

  std::uint32_t m_group;
  std::uint32_t m_num_heads;
  Visibility m_rule;
  AttentionPlanOptions const& m_options;
  UnitLimits m_limits;
  StepLengths const& m_lengths;
  std::uint32_t m_split = 0;
  std::vector<std::uint32_t> m_num_states;
  std::vector<std::uint32_t> m_prefix_lengths;
  StepUnits m_result;
};

}  // namespace KokkosKV::Impl

#endif
