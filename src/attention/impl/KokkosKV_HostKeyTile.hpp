// A tile of neighbouring keys of a sequence, found through its pages.
#ifndef KOKKOSKV_IMPL_HOSTKEYTILE_HPP
#define KOKKOSKV_IMPL_HOSTKEYTILE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

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

/// Walks through the pieces of some rows, a piece being a head's elements of a token, in an order
/// that memory likes whatever the order of the arithmetic is: one piece of each memory page in
/// turn, so that what the beginning of a page costs (address translation, a DRAM row to open, a
/// prefetch stream to start) is paid for several of them at a time.
template <class T, int HeadSize>
class PieceCursor {
 public:
  PieceCursor(T const* const* rows, int num_rows, std::uint32_t head_begin, std::uint32_t heads)
      : m_rows(rows),
        m_num_rows(static_cast<std::uint32_t>(num_rows)),
        m_offset(std::size_t(head_begin) * HeadSize),
        m_heads(heads),
        m_row_step(pieces_of_page / heads),
        m_head_step(pieces_of_page % heads) {}

  /// The next piece; after the last one, the first again.
  T const* next() {
    T const* const piece = m_rows[m_row] + (m_offset + std::size_t(m_head) * HeadSize);
    advance(m_row, m_head, m_row_step, m_head_step);
    if (m_row >= m_num_rows) {
      advance(m_first_row, m_first_head, 0, 1);
      if (m_first_row >= m_num_rows) m_first_row = 0;
      m_row  = m_first_row;
      m_head = m_first_head;
    }
    return piece;
  }

 private:
  static constexpr std::uint32_t page_bytes  = 4096;
  static constexpr std::uint32_t piece_bytes = HeadSize * sizeof(T);
  static constexpr std::uint32_t pieces_of_page =
      piece_bytes >= page_bytes ? 1 : page_bytes / piece_bytes;

  void advance(std::uint32_t& row, std::uint32_t& head, std::uint32_t row_step,
               std::uint32_t head_step) const {
    row += row_step;
    head += head_step;
    if (head >= m_heads) {
      head -= m_heads;
      ++row;
    }
  }

  T const* const* m_rows;
  std::uint32_t m_num_rows;
  std::size_t m_offset;
  std::uint32_t m_heads;
  std::uint32_t m_row_step;
  std::uint32_t m_head_step;
  std::uint32_t m_row        = 0;
  std::uint32_t m_head       = 0;
  std::uint32_t m_first_row  = 0;
  std::uint32_t m_first_head = 0;
};

}  // namespace KokkosKV::Impl

#endif
