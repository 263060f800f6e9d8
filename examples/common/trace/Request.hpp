// One request of a workload: its lengths, and where the trace has them, its arrival and the blocks
// of its prompt.
#pragma once

#include <cstdint>
#include <vector>

namespace example {

/// Prompt tokens of a block, by which traces say what prompts have in common.
inline constexpr std::uint32_t block_tokens = 512;

struct Request {
  std::uint32_t context   = 0;  ///< tokens of the prompt
  std::uint32_t generated = 0;  ///< tokens of the answer
  std::int64_t arrival_us = 0;  ///< microseconds after the first request
  /// The prompt's blocks, the last of which may be shorter: a number stands for the tokens of the
  /// block and for all before them. Empty where the trace has lengths only.
  std::vector<std::uint64_t> block_ids = {};

  std::uint64_t tokens() const { return std::uint64_t(context) + generated; }
};

}  // namespace example
