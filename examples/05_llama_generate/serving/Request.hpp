// What a user asks for, and what comes of it.
#pragma once

#include <cstdint>
#include <vector>

#include "serving/Sampler.hpp"

namespace llama_generate {

struct Request {
  std::vector<std::uint32_t> prompt;  ///< token ids, at least one
  std::uint32_t max_new_tokens = 256;
  SamplingOptions sampling     = {};
};

enum class Finish : std::uint8_t {
  none,    ///< not yet
  stop,    ///< the model ended the text: BOS or EOS, which is not among the tokens
  length,  ///< max_new_tokens
  context  ///< the model's context is full
};

struct Completion {
  std::vector<std::uint32_t> tokens;  ///< new ones
  Finish finish = Finish::none;
};

}  // namespace llama_generate
