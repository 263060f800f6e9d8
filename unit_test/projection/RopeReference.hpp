// Rotary embedding by its formula, in double. Shares no code with the library.
#ifndef KOKKOSKV_TEST_PROJECTION_ROPEREFERENCE_HPP
#define KOKKOSKV_TEST_PROJECTION_ROPEREFERENCE_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <Numbers.hpp>
#include <reference/Rounding.hpp>

namespace KokkosKVTest {

/// What rotates: the first elements of each head.
struct ReferenceRope {
  std::vector<double> frequencies;
  bool interleaved;
  double factor = 1;

  /// \param values  `[positions.size(), heads, head_size]`
  template <class T>
  std::vector<Expected> rotate(std::vector<T> const& values,
                               std::vector<std::uint32_t> const& positions, std::size_t heads,
                               std::size_t head_size) const {
    std::vector<Expected> result;
    for (auto const& value : values) result.push_back({exact_value(value), 0});
    return rotate<T>(result, positions, heads, head_size);
  }

  /// The same of what was computed. What T cannot tell shows in the magnitudes.
  template <class T>
  std::vector<Expected> rotate(std::vector<Expected> values,
                               std::vector<std::uint32_t> const& positions, std::size_t heads,
                               std::size_t head_size) const {
    for (std::size_t row = 0; row < positions.size(); ++row) {
      for (std::size_t head = 0; head < heads; ++head) {
        auto* const elements = values.data() + (row * heads + head) * head_size;
        for (std::size_t pair = 0; pair < frequencies.size(); ++pair) {
          auto& first          = elements[interleaved ? 2 * pair : pair];
          auto& second         = elements[interleaved ? 2 * pair + 1 : pair + frequencies.size()];
          auto const [x, of_x] = first;
          auto const [y, of_y] = second;
          double const at      = static_cast<double>(positions[row]) * frequencies[pair];
          // What a float cannot tell: the last bit of a frequency, and 2^-65 of a turn a position.
          double const turned =
              std::is_same_v<T, double> ? 1 + at + 0x1p-9 * static_cast<double>(positions[row]) : 1;
          double const size = std::fabs(factor) * turned * std::fmax(std::hypot(x, y), of_x + of_y);
          first             = {factor * (x * std::cos(at) - y * std::sin(at)), size};
          second            = {factor * (x * std::sin(at) + y * std::cos(at)), size};
        }
      }
    }
    return values;
  }
};

}  // namespace KokkosKVTest

#endif
