// Chooses the next token of a sequence from its logits.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <utility>
#include <vector>

namespace llama_generate {

struct SamplingOptions {
  float temperature  = 0;  ///< 0: the most likely token
  float top_p        = 1;  ///< only the likeliest tokens that together have this probability
  std::uint64_t seed = 0;
};

/// One for each sequence: what it draws depends on its seed and on its own logits alone.
class Sampler {
 public:
  explicit Sampler(SamplingOptions const& options)
      : m_options(options), m_generator(options.seed) {}

  /// \param logits  one for each token of the vocabulary, at least one
  std::uint32_t sample(std::span<float const> logits);

 private:
  using Candidate = std::pair<float, std::uint32_t>;  ///< probability and token

  std::size_t count_likely() const;

  SamplingOptions m_options;
  std::mt19937_64 m_generator;
  std::vector<Candidate> m_candidates;
};

}  // namespace llama_generate
