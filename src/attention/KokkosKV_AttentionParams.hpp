// AttentionParams: which keys a query row sees, and what happens to its logits.
#ifndef KOKKOSKV_ATTENTIONPARAMS_HPP
#define KOKKOSKV_ATTENTIONPARAMS_HPP

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <optional>

namespace KokkosKV {

/// A window without an end.
inline constexpr std::uint32_t unlimited = 0xFFFFFFFFu;

/// Which tokens of a sequence are keys.
enum class KeySet {
  cache_and_rows,  ///< those in the cache, and the rows of this step, stored before
  cache_only       ///< those in the cache: the rows belong to another sequence (cross-attention)
};

/// Which keys a query row at position `p` sees. The plan depends on it, so plan and run must agree.
struct Visibility {
  /// No key after `p`.
  bool causal = true;
  /// No key before `p - window_left`.
  std::uint32_t window_left = unlimited;
  /// No key after `p + window_right`.
  std::uint32_t window_right = unlimited;
  /// The first tokens of a sequence that are seen whatever the window is (still none after `p`
  /// where `causal`): 'attention sinks' as streaming models use them.
  std::uint32_t first_tokens = 0;
  /// Which tokens are keys.
  KeySet keys = KeySet::cache_and_rows;

  bool operator==(Visibility const&) const = default;  ///< member by member
};

/// A query row and head with one of its keys, for functors.
struct AttentionIndex {
  std::uint32_t sequence;        ///< of the batch
  std::uint32_t row;             ///< ragged row
  std::uint32_t query_head;      ///< query head
  std::uint32_t query_position;  ///< token of the sequence where the row stands
  std::uint32_t key_position;    ///< token of the sequence that is the key
};

/// The functors that do nothing, and cost nothing.
struct NoMask {};
struct NoScore {};  ///< See NoMask.

/// Everything that shapes attention. A logit is `scale * (q . k)`; then, in this order and where
/// set, it becomes `soft_cap * tanh(logit / soft_cap)`, gets ALiBi's bias `slope * (key - query)`,
/// goes through `score`, and is dropped where the key is not visible or `mask` says no.
///
/// \tparam MemorySpace  where slopes and sinks live
/// \tparam Mask         NoMask, or `bool operator()(AttentionIndex const&) const`, true = seen
/// \tparam Score        NoScore, or `float operator()(AttentionIndex const&, float logit) const`;
///                      both KOKKOS_FUNCTION, and the index is that of the key whatever is cached
template <class MemorySpace = Kokkos::DefaultExecutionSpace::memory_space, class Mask = NoMask,
          class Score = NoScore>
struct AttentionParams {
  /// Visible keys, as the plan was made with.
  Visibility visibility;
  /// Factor of the dot products, 1 / sqrt(head_size) where not set.
  std::optional<float> scale;
  /// Logits stay within (-soft_cap, soft_cap); 0 = no cap (Gemma Team, Gemma 2, 2024).
  float soft_cap = 0;
  /// ALiBi slopes `[query_heads]`, empty = none (Press et al., Train Short, Test Long, 2022).
  Kokkos::View<float const*, MemorySpace> alibi_slopes;
  /// Learned logits `[query_heads]` that take part in the normalisation of rows that see a key, and
  /// have no value; empty = none.
  Kokkos::View<float const*, MemorySpace> sink_logits;
  Mask mask;    ///< hides keys
  Score score;  ///< changes logits
};

}  // namespace KokkosKV

#endif
