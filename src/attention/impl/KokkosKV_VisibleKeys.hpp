// Ranges of keys that rows see, on the host for plans and in kernels.
#ifndef KOKKOSKV_IMPL_VISIBLEKEYS_HPP
#define KOKKOSKV_IMPL_VISIBLEKEYS_HPP

#include <Kokkos_Core.hpp>

#include <cstdint>

#include <attention/KokkosKV_AttentionParams.hpp>

namespace KokkosKV::Impl {

/// Keys [begin, end) and [0, first_end).
struct KeyRange {
  std::uint32_t begin;
  std::uint32_t end;
  std::uint32_t first_end;

  KOKKOS_FUNCTION bool contains(std::uint32_t key) const {
    return (key >= begin && key < end) || key < first_end;
  }

  /// True where all of [from, to) is seen.
  KOKKOS_FUNCTION bool covers(std::uint32_t from, std::uint32_t to) const {
    return (from >= begin && to <= end) || to <= first_end;
  }

  /// True where none of [from, to) is seen.
  KOKKOS_FUNCTION bool misses(std::uint32_t from, std::uint32_t to) const {
    return (to <= begin || from >= end || begin >= end) && from >= first_end;
  }

  /// The least range that holds both.
  KOKKOS_FUNCTION KeyRange joined(KeyRange const& other) const {
    return {begin < other.begin ? begin : other.begin, end > other.end ? end : other.end,
            first_end > other.first_end ? first_end : other.first_end};
  }
};

/// What a row at `position` of a sequence of `num_keys` keys sees.
KOKKOS_INLINE_FUNCTION KeyRange visible_keys(Visibility const& rule, std::uint32_t position,
                                             std::uint32_t num_keys) {
  std::uint32_t limit = num_keys;
  if (rule.causal && position < limit) limit = position + 1;
  std::uint32_t end = limit;
  // Written so that no sum wraps round.
  if (position < limit && rule.window_right < limit - position) {
    end = position + rule.window_right + 1;
  }
  std::uint32_t const begin = position > rule.window_left ? position - rule.window_left : 0;
  return {begin < end ? begin : end, end, rule.first_tokens < limit ? rule.first_tokens : limit};
}

/// Keys of a sequence.
KOKKOS_INLINE_FUNCTION std::uint32_t key_count(Visibility const& rule, std::uint32_t cache_length,
                                               std::uint32_t num_rows) {
  return rule.keys == KeySet::cache_only ? cache_length : cache_length + num_rows;
}

}  // namespace KokkosKV::Impl

#endif
