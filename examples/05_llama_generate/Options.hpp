// What the user can choose.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "serving/Sampler.hpp"

namespace llama_generate {

struct Options {
  std::string model;                       ///< empty: that of the data folder
  std::string random_weights;              ///< name of a shape; empty: the model has been trained
  std::uint64_t weight_seed = 1;           ///< of random weights
  std::string weight_type;                 ///< empty: float, or bf16 for random weights
  std::string tokenizer;                   ///< empty: that of the data folder
  std::vector<std::string> prompts;        ///< texts
  std::vector<std::string> prompt_tokens;  ///< token ids apart by blanks
  std::string prompt_file;                 ///< texts, one a line; empty: none
  std::uint32_t max_new_tokens = 256;
  std::uint32_t batch          = 16;
  std::optional<std::uint32_t> num_pages;  ///< nothing: enough for a full batch of longest texts
  int page_size       = 16;
  std::uint32_t chunk = 64;
  std::string cache_type;  ///< empty: float, or bf16 for random weights
  SamplingOptions sampling;
  std::uint32_t host_pages = 0;
  bool stats               = false;
  std::string json;  ///< empty: none
  bool quiet = false;
};

/// Parses the command line. Where the program must end at once (help, bad options), prints why and
/// returns the exit status instead.
std::optional<int> parse_options(int argc, char const* const* argv, Options& options);

}  // namespace llama_generate
