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
  /// Token rows: the elements of key/value head 0. One more, so that a cursor may step past the
  /// end.
  key_type const* keys[Size + 1];
  value_type const* values[Size + 1];
  /// All bits set where the key is there.
  std::int32_t present[Size];

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
    keys[Size]           = no_key;
    values[Size]         = no_value;
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

/// Walks through the heads of the rows of a tile in the order of memory, so that the pages are read
/// as streams whatever the order of the arithmetic is. A piece is a head's elements of a token.
template <class T, int HeadSize>
class PieceCursor {
 public:
  PieceCursor(T const* const* rows, std::uint32_t head_begin, std::uint32_t heads)
      : m_row(rows),
        m_offset(std::size_t(head_begin) * HeadSize),
        m_heads(heads),
        m_piece(*m_row + m_offset) {}

  /// The next piece.
  T const* next() {
    T const* const result = m_piece;
    m_piece += HeadSize;
    if (++m_head == m_heads) {
      m_head  = 0;
      m_piece = *++m_row + m_offset;
    }
    return result;
  }

 private:
  T const* const* m_row;
  std::size_t m_offset;
  std::uint32_t m_heads;
  std::uint32_t m_head = 0;
  T const* m_piece;
};

}  // namespace KokkosKV::Impl

#endif
