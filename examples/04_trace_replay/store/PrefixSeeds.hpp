// What a token's keys and values depend on: the token and all tokens before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trace_replay {

/// A seed for each token of a sequence: equal for equal prefixes, and, but for accidents of 32
/// bits, different for all others. Made without the manager's own hash, since it checks that.
class PrefixSeeds {
 public:
  /// Takes up the tokens that are new since the last call.
  /// \param tokens  those of the last call, and more
  void extend(std::span<std::uint32_t const> tokens) {
    for (auto const token : tokens.subspan(m_seeds.size())) {
      // A chain of the finalizer of splitmix64 (Steele, Lea, Flood, 2014).
      m_state += 0x9E3779B97F4A7C15u + token;
      m_state = (m_state ^ (m_state >> 30)) * 0xBF58476D1CE4E5B9u;
      m_state = (m_state ^ (m_state >> 27)) * 0x94D049BB133111EBu;
      m_state ^= m_state >> 31;
      m_seeds.push_back(static_cast<std::uint32_t>(m_state >> 32));
    }
  }

  std::span<std::uint32_t const> seeds() const { return m_seeds; }

 private:
  std::uint64_t m_state = 0;
  std::vector<std::uint32_t> m_seeds;
};

}  // namespace trace_replay
