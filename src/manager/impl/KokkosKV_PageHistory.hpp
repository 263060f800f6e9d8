// PageHistory: how often a block was used, in one byte.
#ifndef KOKKOSKV_IMPL_PAGEHISTORY_HPP
#define KOKKOSKV_IMPL_PAGEHISTORY_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace KokkosKV::Impl {

/// What is known of a block's past: how often it was used and, as long as that is once, how often
/// the block was used that it was appended to. A block's second use says more than that, so that
/// it is forgotten then.
class PageHistory {
 public:
  /// Numbers of uses are told apart as 1, 2, 3, 4..7, 8..15, 16..31, 32..63 and at least 64.
  static constexpr std::size_t levels = 8;
  /// Used once and appended to nothing or to a block used 2, 3, 4..7, … times; then used 2, 3,
  /// 4..7, … times.
  static constexpr std::size_t classes = 2 * levels - 1;

  /// An unknown block.
  constexpr PageHistory() : m_byte(0) {}
  constexpr explicit PageHistory(std::uint8_t byte) : m_byte(byte) {}

  constexpr std::uint8_t byte() const { return m_byte; }
  constexpr bool is_known() const { return m_byte != 0; }

  /// The history after one more use, below a parent of the given history.
  constexpr PageHistory used(PageHistory parent = {}) const {
    if (!is_known()) return PageHistory(static_cast<std::uint8_t>(parent.level() + 1));
    auto const next = m_byte <= levels ? unsigned(levels) + 1 : std::min(m_byte + 1u, 255u);
    return PageHistory(static_cast<std::uint8_t>(next));
  }
  /// The class of a known block.
  constexpr std::size_t class_index() const {
    return m_byte <= levels ? m_byte - 1u : levels - 1 + own_level();
  }

 private:
  /// Level of the last block of the chain that was used more than once; 0 if there is none.
  constexpr std::size_t level() const {
    if (!is_known()) return 0;
    return m_byte <= levels ? m_byte - 1u : own_level();
  }
  constexpr std::size_t own_level() const {
    auto const uses = m_byte - unsigned(levels) + 1u;
    if (uses <= 3) return uses - 1;
    return std::min(static_cast<std::size_t>(std::bit_width(uses)), levels - 1);
  }

  std::uint8_t m_byte;  ///< 0 unknown; 1..levels used once; above: used 2, 3, … times
};

}  // namespace KokkosKV::Impl

#endif
