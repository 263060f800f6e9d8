// What an attention plan is told beside the lengths of a step.
#ifndef KOKKOSKV_ATTENTIONSHAPE_HPP
#define KOKKOSKV_ATTENTIONSHAPE_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

namespace KokkosKV {

/// Heads and head sizes. Query head `h` uses key/value head `h / (num_query_heads / num_kv_heads)`.
struct AttentionShape {
  int num_query_heads;  ///< 1 to 64 times num_kv_heads
  int num_kv_heads;     ///< of the caches
  int head_size;        ///< of queries and keys, at most 576
  int value_head_size;  ///< of values and outputs, at most 576

  bool operator==(AttentionShape const&) const = default;  ///< member by member
};

/// Sequences [first_sequence, first_sequence + num_sequences) have the same pages for their first
/// `length` tokens, all of which are in the cache. Where it ends within a page, they share that
/// page too.
struct SharedPrefix {
  std::size_t first_sequence;  ///< of the batch
  std::size_t num_sequences;   ///< at least 1
  std::uint32_t length;        ///< tokens, at least 1
};

/// How a plan is made.
struct AttentionPlanOptions {
  /// Results of a sequence have the same bits whatever else is in the batch and however many
  /// threads there are: keys are split at fixed token positions. Otherwise small batches are split
  /// for the threads at hand.
  bool deterministic = true;
  /// Keys of a range of their own for a few query rows, 64 to 1024; proportionally more for more
  /// rows. The upper limit keeps the sums in float accurate.
  std::uint32_t split_tokens = 1024;
  /// Prefixes that are read once for many sequences, see cascade_attention(); in the order of
  /// their sequences, which no two of them share.
  std::vector<SharedPrefix> shared_prefixes;
};

}  // namespace KokkosKV

#endif
