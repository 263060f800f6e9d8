// The requests as the page manager sees them: token ids, made from the blocks of the trace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/trace/Request.hpp"

namespace trace_replay {

/// A page in tokens of the trace, and the token ids that stand for them.
struct PageShape {
  std::uint32_t tokens;  ///< of the trace; divides a block
  std::uint32_t ids;     ///< what the manager gets: the ids of the first so many tokens
};

/// Traces tell blocks apart, not tokens: every token gets an id of its own, made from its block's
/// number and its place in the block. So equal blocks have equal ids, and no two other tokens share
/// an id. Answers, and prompts of traces without blocks, share tokens with nothing.
class Workload {
 public:
  /// \throws UsageError  more tokens than there are ids
  explicit Workload(std::vector<example::Request> requests);

  std::size_t size() const { return m_requests.size(); }
  example::Request const& request(std::size_t index) const { return m_requests[index]; }

  /// Blocks of all prompts, the last of each possibly shorter.
  std::uint64_t num_blocks() const { return m_num_blocks; }
  /// Different ones among them.
  std::uint64_t num_distinct_blocks() const { return m_num_distinct; }
  /// Pages of the prompt, the last of which it may fill in part.
  std::uint64_t num_prompt_pages(std::size_t index, std::uint32_t page_tokens) const {
    return (std::uint64_t(m_requests[index].context) + page_tokens - 1) / page_tokens;
  }

  /// Token ids of the prompt, filled up to whole pages; pages of one token and one id give exactly
  /// the prompt.
  /// \param ids  gets them appended
  void append_prompt(std::size_t index, PageShape page, std::vector<std::uint32_t>& ids) const;
  /// Token id of the answer's token `place`.
  std::uint32_t answer_token(std::size_t index, std::uint32_t place) const;

 private:
  /// Where a request's tokens are in the numbering of all tokens.
  struct Places {
    std::vector<std::uint32_t> blocks;  ///< numbers of the prompt's blocks, from 0 without gaps
    std::uint64_t answer;               ///< number of the answer's first token
  };

  std::vector<example::Request> m_requests;
  std::vector<Places> m_places;
  std::uint64_t m_num_blocks   = 0;
  std::uint64_t m_num_distinct = 0;
};

}  // namespace trace_replay
