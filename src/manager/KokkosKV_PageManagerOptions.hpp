// How a PageManager works, and the states of its sequences.
#ifndef KOKKOSKV_PAGEMANAGEROPTIONS_HPP
#define KOKKOSKV_PAGEMANAGEROPTIONS_HPP

#include <cstdint>

#include <cache/KokkosKV_Errors.hpp>
#include <manager/KokkosKV_EvictionPolicies.hpp>
#include <manager/KokkosKV_PageHash.hpp>

namespace KokkosKV {

/// A sequence is not known, was freed, or is not in the state that the call needs.
class SequenceError : public ArgumentError {
  using ArgumentError::ArgumentError;
};

/// How a PageManager works.
struct PageManagerOptions {
  std::uint32_t num_pages = 0;  ///< of the pool, below 2^31
  std::uint32_t page_size = 0;  ///< tokens of a page
  /// Which cached page goes first.
  EvictionKind eviction = EvictionKind::reuse_rate;
  /// Leads to pages by their tokens.
  PageHashFunction hash = &hash_page;
  /// The last token of a sequence is computed even where all its pages are cached: who wants to
  /// know the token that follows needs its output.
  bool recompute_last_token = true;
  /// A sequence may begin with a copy of a part of a cached page, where the tokens of that page
  /// begin like its own. 12 bytes a page.
  bool reuse_partial_pages = false;
};

/// Where the keys and values of a sequence are.
enum class SequenceState : std::uint8_t {
  resident,  ///< in the pool: the sequence can be in a step
  on_host,   ///< in host pages, by PageManager::swap_out()
  in_files   ///< swapped out, and from host pages on to the file tier
};

}  // namespace KokkosKV

#endif
