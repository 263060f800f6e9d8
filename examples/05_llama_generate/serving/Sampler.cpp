// Greedy, or nucleus sampling (Holtzman et al., The Curious Case of Neural Text Degeneration,
// 2020).
#include "serving/Sampler.hpp"

#include <algorithm>
#include <cmath>

namespace llama_generate {

std::uint32_t Sampler::sample(std::span<float const> logits) {
  auto const largest = std::ranges::max_element(logits);
  if (m_options.temperature <= 0) return static_cast<std::uint32_t>(largest - logits.begin());

  m_candidates.clear();
  for (std::uint32_t token = 0; token < logits.size(); ++token) {
    m_candidates.emplace_back(std::exp((logits[token] - *largest) / m_options.temperature), token);
  }
  // Equals stand in the order of their ids, so that a seed gives one text everywhere.
  std::ranges::sort(m_candidates, [](Candidate const& a, Candidate const& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  m_candidates.resize(count_likely());

  double total = 0;
  for (auto const& candidate : m_candidates) total += static_cast<double>(candidate.first);
  // Made of the generator's words by hand: the distributions of <random> differ between libraries.
  double rest = total * static_cast<double>(m_generator() >> 11) * 0x1p-53;
  for (auto const& candidate : m_candidates) {
    rest -= static_cast<double>(candidate.first);
    if (rest < 0) return candidate.second;
  }
  return m_candidates.back().second;
}

/// The fewest first candidates whose probability reaches top_p.
std::size_t Sampler::count_likely() const {
  double total = 0;
  for (auto const& candidate : m_candidates) total += static_cast<double>(candidate.first);
  double sum        = 0;
  std::size_t count = 0;
  while (count < m_candidates.size() &&
         (count == 0 || sum < static_cast<double>(m_options.top_p) * total)) {
    sum += static_cast<double>(m_candidates[count++].first);
  }
  return count;
}

}  // namespace llama_generate
