// A tile of neighbouring keys of a sequence, found through its pages.
#ifndef KOKKOSKV_IMPL_HOSTKEYTILE_HPP
#define KOKKOSKV_IMPL_HOSTKEYTILE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <attention/impl/KokkosKV_AttentionUnits.hpp>
#include <attention/impl/KokkosKV_VisibleKeys.hpp>
#include <kokkos_ext/impl/KokkosKV_HostVector.hpp>

namespace KokkosKV::Impl {

/// Addresses of the keys [begin, begin + Size) and of their values; those that are not there, or
/// that no row of the unit sees, have the address of zeros.
template <class Call, int Size>
struct HostKeyTile {
  using key_cache   = typename Call::key_cache;
  using value_cache = typename Call::value_cache;
  using key_type    = typename Call::key_type;
  using value_type  = typename Call::element_type;

  static constexpr std::uint32_t size = Size;

  std::uint32_t begin;
  /// Keys to look at: the rest of the tile is beyond the unit.
  int count;
  /// True where each of the first `count` keys is there.
  bool complete;
  /// Token rows: the elements of key/value head 0.
  key_type const* keys[Size];
  value_type const* values[Size];
  /// All bits set where the key is there.
  std::int32_t present[Size];

  /// The begin of the first tile from `key` on that may be visible: the gap before a window may be
  /// long.
  static std::uint32_t next_begin(KeyRange const& range, std::uint32_t key) {
    bool const in_gap = key >= range.first_end && range.begin >= key + Size;
    return in_gap ? range.begin / Size * Size : key;
  }

  /// \param range   what any row of the unit sees
  /// \param first   first key of the unit in this tile
  /// \param end     end of the unit
  /// \param zeros   a token row of zeros of either type
  void find(Call const& call, std::uint32_t sequence, KeyRange const& range,
            std::uint32_t tile_begin, std::uint32_t first, std::uint32_t end, void const* zeros) {
    begin                = tile_begin;
    count                = static_cast<int>(std::min<std::uint32_t>(end - tile_begin, Size));
    complete             = true;
    auto* const no_key   = static_cast<key_type const*>(zeros);
    auto* const no_value = static_cast<value_type const*>(zeros);
    for (int i = 0; i < Size;) {
      auto const token = tile_begin + static_cast<std::uint32_t>(i);
      // Keys and values may come from pools with pages of different sizes.
      auto const key_slot   = key_cache::slot(token);
      auto const value_slot = value_cache::slot(token);
      int const run         = std::min(
          {Size - i, key_cache::page_size - key_slot, value_cache::page_size - value_slot});
      bool const needed     = i < count;
      auto const key_page   = needed ? call.keys.page(sequence, token) : 0;
      auto const value_page = needed ? call.values.page(sequence, token) : 0;
      bool const mapped =
          needed && call.keys.is_mapped(key_page) && call.values.is_mapped(value_page);
      auto const* key_row   = mapped ? call.keys.row(key_page, key_slot, 0) : no_key;
      auto const* value_row = mapped ? call.values.row(value_page, value_slot, 0) : no_value;
      if (mapped && token >= first && i + run <= count &&
          range.covers(token, token + static_cast<std::uint32_t>(run))) {
        for (int k = 0; k < run; ++k) {
          keys[i + k]    = key_row + static_cast<std::size_t>(k) * key_cache::token_size;
          values[i + k]  = value_row + static_cast<std::size_t>(k) * value_cache::token_size;
          present[i + k] = -1;
        }
        i += run;
        continue;
      }
      for (int stop = i + run; i < stop; ++i) {
        auto const key   = tile_begin + static_cast<std::uint32_t>(i);
        bool const there = mapped && key >= first && i < count && range.contains(key);
        keys[i]          = there ? key_row : no_key;
        values[i]        = there ? value_row : no_value;
        present[i]       = there ? -1 : 0;
        complete         = complete && (there || i >= count);
        if (mapped) {
          key_row += key_cache::token_size;
          value_row += value_cache::token_size;
        }
      }
    }
  }
};

/// Visits the tiles of a unit: `visit(tile, ahead)`, where `ahead` is the tile that follows, whose
/// lines can be prefetched.
/// \tparam Tile       HostKeyTile
/// \param  next_unit  the unit that follows, whose first tile is the last one's `ahead`; null: none
/// \param  range      what any row of the unit sees
/// \param  zeros      a token row of zeros of either type
template <class Tile, class Call, class Visit>
inline void for_each_tile(Call const& call, AttentionUnit const& unit,
                          AttentionUnit const* next_unit, KeyRange const& range, void const* zeros,
                          Visit const& visit) {
  Tile tiles[2];
  int turn        = 0;
  auto const find = [&](Tile& tile, std::uint32_t key) {
    tile.find(call, unit.sequence, range, key, unit.key_begin, unit.key_end, zeros);
  };
  auto key = Tile::next_begin(range, unit.key_begin / Tile::size * Tile::size);
  if (key < unit.key_end) find(tiles[0], key);
  while (key < unit.key_end) {
    auto const next = Tile::next_begin(range, key + Tile::size);
    auto& ahead     = tiles[1 - turn];
    if (next < unit.key_end) {
      find(ahead, next);
    } else {
      // As far as it is known without its rows.
      auto const& other = next_unit == nullptr ? unit : *next_unit;
      auto const begin  = other.key_begin / Tile::size * Tile::size;
      ahead.find(call, other.sequence, {0, other.key_end, 0}, begin, other.key_begin, other.key_end,
                 zeros);
    }
    visit(tiles[turn], ahead);
    key  = next;
    turn = 1 - turn;
  }
}

/// The lines of a tile's rows in an order that memory likes whatever the order of the arithmetic
/// is: one line of each of several streams in turn, so that what the beginning of a memory page
/// costs (address translation, a DRAM row to open, a prefetch stream to start) is paid for several
/// pages at a time.
template <class T, int HeadSize, int NumRows>
class LinesAhead {
 public:
  /// Of no rows.
  LinesAhead() : LinesAhead(nullptr, 0, 0) {}

  /// \param rows                  addresses of the rows, NumRows of them
  /// \param head_begin, head_end  heads to visit of each
  LinesAhead(T const* const* rows, std::uint32_t head_begin, std::uint32_t head_end)
      : m_rows(rows),
        m_begin(std::size_t(head_begin) * HeadSize),
        m_end(std::size_t(head_end) * HeadSize),
        m_element(m_begin) {}

  /// Prefetches line `i` of those that come next.
  void prefetch(int i) const {
    prefetch_line(m_rows[i % num_streams * rows_of_stream] + m_element +
                  i / num_streams * line_elements);
  }

  /// Goes on by `count` lines; after the last one, the first again. Rows need not be whole numbers
  /// of lines: one that is asked for twice or not at all costs little.
  void advance(int count) {
    m_element += static_cast<std::size_t>((count + num_streams - 1) / num_streams * line_elements);
    if (m_element < m_end) return;
    m_element = m_begin;
    ++m_rows;
    if (++m_row < rows_of_stream) return;
    m_row = 0;
    m_rows -= rows_of_stream;
  }

  /// Rounds of each of `parts` equal shares of all lines.
  std::size_t rounds_of_share(std::size_t parts) const {
    auto const lines = (m_end - m_begin + line_elements - 1) / line_elements * rows_of_stream;
    return (lines + parts - 1) / parts;
  }

  /// Prefetches a line of each stream, `rounds` times, and goes on.
  void prefetch_rounds(std::size_t rounds) {
    for (std::size_t round = 0; round < rounds; ++round) {
      for (int stream = 0; stream < num_streams; ++stream) prefetch(stream);
      advance(num_streams);
    }
  }

 private:
  static constexpr int line_elements  = 64 / sizeof(T);
  static constexpr int num_streams    = 8;
  static constexpr int rows_of_stream = NumRows / num_streams;
  static_assert(NumRows % num_streams == 0);

  T const* const* m_rows;
  std::size_t m_begin;
  std::size_t m_end;
  std::size_t m_element;
  int m_row = 0;
};

}  // namespace KokkosKV::Impl

#endif
