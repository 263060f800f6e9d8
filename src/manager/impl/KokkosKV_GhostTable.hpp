// GhostTable: remembers blocks that were evicted not long ago.
#ifndef KOKKOSKV_IMPL_GHOSTTABLE_HPP
#define KOKKOSKV_IMPL_GHOSTTABLE_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <kokkos_ext/impl/KokkosKV_LargeVector.hpp>
#include <kokkos_ext/impl/KokkosKV_Prefetch.hpp>
#include <manager/impl/KokkosKV_PageHistory.hpp>

namespace KokkosKV::Impl {

/// How often and when an evicted block was used.
struct Ghost {
  std::uint32_t tag : 24;
  std::uint32_t history_byte : 8;  ///< 0 = free
  std::uint32_t epoch;             ///< of the last use

  bool is_free() const { return history_byte == 0; }
  PageHistory history() const { return PageHistory(static_cast<std::uint8_t>(history_byte)); }
};
static_assert(sizeof(Ghost) == 8);

/// Set-associative table: a block has eight places in one line of the processor's cache. Blocks
/// with the same set and tag are taken for one another, which changes nothing but a guess.
class GhostTable {
 public:
  void reset(std::size_t num_ghosts) {
    m_sets.assign(std::max<std::size_t>(1, num_ghosts / ways), {});
  }
  /// The block's ghost or nullptr.
  Ghost* find(std::uint64_t hash) {
    auto const key = mix(hash);
    for (auto& ghost : set_of(key).ghosts) {
      if (!ghost.is_free() && ghost.tag == tag_of(key)) return &ghost;
    }
    return nullptr;
  }
  /// Stores a block in place of the ghost of the lowest `value(ghost)`, which is not negative. That
  /// one is given to `drop` first, unless its place was free.
  template <class Value, class Drop>
  void store(std::uint64_t hash, PageHistory history, std::uint32_t epoch, Value const& value,
             Drop const& drop) {
    auto const key = mix(hash);
    auto& ghosts   = set_of(key).ghosts;
    Ghost* victim  = ghosts.data();
    auto lowest    = std::numeric_limits<std::int64_t>::max();
    for (auto& ghost : ghosts) {
      std::int64_t const own = ghost.is_free() ? -1 : value(ghost);
      if (own >= lowest) continue;
      lowest = own;
      victim = &ghost;
    }
    if (!victim->is_free()) drop(*victim);
    victim->tag          = tag_of(key) & tag_mask;
    victim->history_byte = history.byte();
    victim->epoch        = epoch;
  }

  /// Asks for the memory of a block's set.
  void prefetch(std::uint64_t hash) const { Impl::prefetch(&m_sets[set_index(mix(hash))]); }
  /// Host memory held.
  std::size_t memory_bytes() const { return m_sets.capacity() * sizeof(Set); }

 private:
  static constexpr std::size_t ways       = 8;
  static constexpr std::uint32_t tag_mask = 0xFFFFFFu;

  struct alignas(ways * sizeof(Ghost)) Set {
    std::array<Ghost, ways> ghosts{};
  };

  static std::uint64_t mix(std::uint64_t hash) {
    hash ^= hash >> 32;
    hash *= 0xD6E8FEB86659FD93u;  // odd: no two hashes become one
    return hash ^ hash >> 32;
  }
  /// The upper half of a key chooses the set, the lower half is the tag.
  std::size_t set_index(std::uint64_t key) const { return (key >> 32) * m_sets.size() >> 32; }
  Set& set_of(std::uint64_t key) { return m_sets[set_index(key)]; }
  static std::uint32_t tag_of(std::uint64_t key) {
    return static_cast<std::uint32_t>(key) & tag_mask;
  }

  LargeVector<Set> m_sets;
};

}  // namespace KokkosKV::Impl

#endif
