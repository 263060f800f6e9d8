// One request of a workload: how many tokens its prompt has and how many the model answers.
#pragma once

#include <cstdint>

namespace ragged_store {

struct Request {
  std::uint32_t context   = 0;  ///< tokens of the prompt
  std::uint32_t generated = 0;  ///< tokens of the answer; each is stored, one per step

  std::uint64_t tokens() const { return std::uint64_t(context) + generated; }
};

}  // namespace ragged_store
