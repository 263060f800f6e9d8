// AgeGroups: time since the last use, in steps that become coarser with it.
#ifndef KOKKOSKV_IMPL_AGEGROUPS_HPP
#define KOKKOSKV_IMPL_AGEGROUPS_HPP

#include <array>
#include <cstddef>
#include <cstdint>

namespace KokkosKV::Impl {

/// Groups of ages, of widths 1, 1, 1, 1, 2, 2, 4, 4, 8, 8, … epochs, so that an age differs from
/// the middle of its group by less than half of that. What is in a group grows old together: it is
/// handed on to the next group in one piece whenever the number of the epoch is a multiple of the
/// group's width, so that ageing costs no work for each page. Epochs are compared modulo 2^32.
class AgeGroups {
 public:
  /// The last group, which has no end, begins at 1,024 epochs.
  static constexpr std::size_t count = 20;

  static constexpr std::uint32_t width(std::size_t group) {
    return group < 2 ? 1u : 1u << ((group - 2) / 2);
  }
  /// Age in the middle of a group's span.
  static constexpr double middle(std::size_t group) {
    std::uint32_t start = 0;
    for (std::size_t g = 0; g < group; ++g) start += width(g);
    return start + width(group) / 2.0;
  }

  std::uint32_t now() const { return m_now; }
  /// The group of what was used last in `epoch`.
  std::size_t of(std::uint32_t epoch) const {
    std::size_t group = 0;
    while (group + 1 < count && is_before(epoch, m_oldest[group])) ++group;
    return group;
  }
  /// Begins an epoch. Calls `hand_on(group)` for each group whose members are now of group + 1,
  /// oldest first.
  template <class HandOn>
  void advance(HandOn const& hand_on) {
    ++m_now;
    bool next_was_emptied = false;
    for (auto group = count - 1; group-- > 0;) {
      if (m_now % width(group) != 0) continue;
      hand_on(group);
      if (next_was_emptied) m_oldest[group + 1] = m_oldest[group];
      next_was_emptied = true;
    }
    m_oldest[0] = m_now;
  }

 private:
  static bool is_before(std::uint32_t a, std::uint32_t b) {
    return static_cast<std::int32_t>(a - b) < 0;
  }

  std::uint32_t m_now = 0;
  std::array<std::uint32_t, count> m_oldest{};  ///< first epoch of each group
};

}  // namespace KokkosKV::Impl

#endif
