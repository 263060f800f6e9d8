// PageLine: pages of a hash table that are found with one access to memory.
#ifndef KOKKOSKV_IMPL_PAGELINE_HPP
#define KOKKOSKV_IMPL_PAGELINE_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <cache/KokkosKV_StaticParams.hpp>

namespace KokkosKV::Impl {

/// A bucket as long as a line of most processors' cache: twelve pages, each with eight bits of its
/// key, so that the memory of other pages is hardly ever looked at; and the first of those that
/// found no room.
class alignas(64) PageLine {
 public:
  static constexpr std::size_t num_slots = 12;

  /// The eight bits of a key; not 0, which marks a free slot.
  static constexpr std::uint8_t tag_of(std::uint64_t hash) {
    auto const tag = static_cast<std::uint8_t>(hash);
    return tag == 0 ? std::uint8_t(1) : tag;
  }

  /// The first page of a tag for which `is_sought(page)`; null_page where there is none.
  template <class IsSought>
  std::uint32_t find(std::uint8_t tag, IsSought const& is_sought) const {
    auto const slot = find_slot(tag, is_sought);
    return slot == num_slots ? null_page : m_pages[slot];
  }
  /// Whether there was room.
  bool insert(std::uint8_t tag, std::uint32_t page) {
    auto const slot = find_slot(0, [](std::uint32_t) { return true; });
    if (slot == num_slots) return false;
    m_pages[slot] = page;
    set_tag(slot, tag);
    return true;
  }
  /// Whether the page was there.
  bool erase(std::uint8_t tag, std::uint32_t page) {
    auto const slot = find_slot(tag, [&](std::uint32_t other) { return other == page; });
    if (slot == num_slots) return false;
    set_tag(slot, 0);
    return true;
  }

  std::uint32_t overflow = null_page;  ///< the first page that found no room

 private:
  static constexpr std::size_t first_slots = 8;  ///< those whose tags are in the first word

  template <class IsSought>
  std::size_t find_slot(std::uint8_t tag, IsSought const& is_sought) const {
    for (auto matches = match(m_tags, tag); matches != 0; matches &= matches - 1) {
      auto const slot = index(matches);
      if (is_sought(m_pages[slot])) return slot;
    }
    // The upper half of the second word is no tag.
    auto matches = match(m_more_tags, tag) & 0xFFFFFFFFu;
    for (; matches != 0; matches &= matches - 1) {
      auto const slot = first_slots + index(matches);
      if (is_sought(m_pages[slot])) return slot;
    }
    return num_slots;
  }
  /// The highest bit of each byte that is equal to the tag.
  static std::uint64_t match(std::uint64_t tags, std::uint8_t tag) {
    constexpr std::uint64_t ones = 0x0101010101010101u, low_bits = 0x7Fu * ones;
    auto const difference = tags ^ (tag * ones);
    return ~(((difference & low_bits) + low_bits) | difference | low_bits);
  }
  static std::size_t index(std::uint64_t matches) {
    return static_cast<std::size_t>(std::countr_zero(matches)) / 8;
  }
  void set_tag(std::size_t slot, std::uint8_t tag) {
    auto const replace = [&](auto word, std::size_t place) {
      auto const shift = 8 * place;
      auto const wide = (std::uint64_t(word) & ~(std::uint64_t(0xFF) << shift)) | std::uint64_t(tag)
                                                                                      << shift;
      return static_cast<decltype(word)>(wide);
    };
    if (slot < first_slots) {
      m_tags = replace(m_tags, slot);
    } else {
      m_more_tags = replace(m_more_tags, slot - first_slots);
    }
  }

  std::uint32_t m_more_tags = 0;
  std::uint64_t m_tags      = 0;
  std::array<std::uint32_t, num_slots> m_pages{};
};
static_assert(sizeof(PageLine) == 64);

}  // namespace KokkosKV::Impl

#endif
