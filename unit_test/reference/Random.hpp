// A small generator whose numbers are the same everywhere, and bytes and values made from it.
#ifndef KOKKOSKV_TEST_RANDOM_HPP
#define KOKKOSKV_TEST_RANDOM_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <type_traits>
#include <vector>

namespace KokkosKVTest {

/// splitmix64; the distributions of the standard library differ between implementations.
class Random {
 public:
  explicit Random(std::uint64_t seed) : m_state(seed) {}

  std::uint64_t bits() {
    std::uint64_t word = m_state += 0x9E3779B97F4A7C15u;
    word               = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
    word               = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
    return word ^ (word >> 31);
  }
  std::size_t below(std::size_t end) { return bits() % end; }
  /// Both ends included.
  std::size_t between(std::size_t first, std::size_t last) {
    return first + below(last - first + 1);
  }
  bool chance(std::size_t percent) { return below(100) < percent; }
  template <class T>
  T pick(std::initializer_list<T> choices) {
    return choices.begin()[below(choices.size())];
  }

 private:
  std::uint64_t m_state;
};

/// Elements of arbitrary bits: what a stray write would not leave behind by chance.
template <class T>
std::vector<T> random_bits(std::size_t count, Random& random) {
  std::vector<T> result(count);
  auto const bytes = count * sizeof(T);
  auto* const to   = reinterpret_cast<unsigned char*>(result.data());
  for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
    auto const word = random.bits();
    auto const left = bytes - at;
    std::memcpy(to + at, &word, left < sizeof(word) ? left : sizeof(word));
  }
  return result;
}

/// What must not be read: NaN in the floating-point types.
template <class T>
T poison() {
  T result;
  std::memset(static_cast<void*>(&result), 0xFF, sizeof(T));
  return result;
}

/// Numbers (no NaN) that rounding to 16 bits can get wrong: midpoints and their neighbours, small
/// and large exponents, infinities.
template <class Real>
Real hard_to_round(Random& random) {
  static_assert(std::is_floating_point_v<Real>);
  if (random.chance(5))
    return random.pick({Real(0), -Real(0), std::numeric_limits<Real>::infinity()});
  // A significand of 8, 11 or 24 bits, plus half a unit of its last bit, plus a nudge.
  auto const fraction_bits = random.pick({7, 10, 23});
  auto const units         = std::ldexp(1.0, fraction_bits) +
                     static_cast<double>(random.below(std::size_t(1) << fraction_bits));
  auto const half   = random.chance(70) ? 0.5 : 0.25;
  auto const nudge  = random.pick({0.0, 0.0, 0x1p-12, -0x1p-12, 0x1p-36, -0x1p-36});
  int const extreme = random.chance(90) ? 0 : random.pick({-115, 110});
  int const scale   = static_cast<int>(random.between(0, 45)) - 28 - fraction_bits + extreme;
  double const sign = random.chance(50) ? 1.0 : -1.0;
  return static_cast<Real>(sign * std::ldexp(units + half + nudge, scale));
}

}  // namespace KokkosKVTest

#endif
