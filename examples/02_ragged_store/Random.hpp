// Random numbers that are the same on every platform, unlike those of the standard distributions.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

namespace ragged_store {

/// splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : m_state(seed) {}

  std::uint64_t bits() {
    std::uint64_t word = (m_state += 0x9E3779B97F4A7C15u);
    word               = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
    word               = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
    return word ^ (word >> 31);
  }

  /// In (0, 1].
  double uniform() { return static_cast<double>((bits() >> 11) + 1) * 0x1p-53; }

  double normal() {
    double const radius = std::sqrt(-2.0 * std::log(uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t left = items.size(); left > 1; --left) {
      std::swap(items[left - 1], items[bits() % left]);
    }
  }

 private:
  std::uint64_t m_state;
};

}  // namespace ragged_store
