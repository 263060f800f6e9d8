// ManagedSequence: what a manager knows of a sequence.
#ifndef KOKKOSKV_IMPL_MANAGEDSEQUENCE_HPP
#define KOKKOSKV_IMPL_MANAGEDSEQUENCE_HPP

#include <cstdint>
#include <vector>

#include <manager/KokkosKV_PageManagerOptions.hpp>

namespace KokkosKV::Impl {

/// A sequence and its pages. Between steps the pages are those of the stored tokens, and each full
/// one is published.
struct ManagedSequence {
  std::vector<std::uint32_t> tokens;
  std::vector<std::uint32_t> pages;
  std::uint32_t num_stored    = 0;
  std::uint32_t domain        = 0;
  std::uint32_t table_version = 0;
  bool is_in_step             = false;
  bool is_fetched             = false;  ///< files were searched for these tokens
  SequenceState state         = SequenceState::resident;
  /// Of its cached pages, once they are cached.
  std::uint8_t priority = 0;
  /// Host pages of the stored tokens while the sequence is swapped out to them.
  std::vector<std::uint32_t> host_pages;
  /// Counts swaps: the lowest has been out for longest.
  std::uint64_t swap_number = 0;
  /// Room for tokens in the last page, as counted last.
  std::uint32_t unused_slots = 0;
};

}  // namespace KokkosKV::Impl

#endif
