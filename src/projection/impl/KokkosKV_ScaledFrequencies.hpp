// The frequencies of rotary embeddings by their formulas, in double on the host.
#ifndef KOKKOSKV_IMPL_SCALEDFREQUENCIES_HPP
#define KOKKOSKV_IMPL_SCALEDFREQUENCIES_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <variant>
#include <vector>

#include <cache/KokkosKV_Errors.hpp>
#include <cache/impl/KokkosKV_Check.hpp>
#include <projection/KokkosKV_RopeScaling.hpp>

namespace KokkosKV::Impl {

inline constexpr char const* rope_frequencies_name = "RopeFrequencies";

/// Throws unless a parameter is a finite number that `holds`.
inline void require_rope(bool holds, char const* name, double value, std::string const& expected) {
  if (holds && std::isfinite(value)) return;
  throw ShapeError(rope_frequencies_name, name, std::to_string(value), expected);
}

inline void check_rope_factor(double factor) {
  require_rope(factor >= 1, "scaling.factor", factor, "at least 1");
}
inline void check_rope_positions(double positions) {
  require_rope(positions >= 1, "scaling.original_max_positions", positions, "at least 1");
}

/// What a scaling does to the unscaled frequencies; each is told with its formula in
/// KokkosKV_RopeScaling.hpp.
class FrequencyScaler {
 public:
  FrequencyScaler(int rotary_dim, double theta, std::vector<double>& frequencies)
      : m_rotary_dim(rotary_dim), m_theta(theta), m_frequencies(frequencies) {}

  void operator()(UnscaledRope const&) const {}

  void operator()(LinearRope const& scaling) const {
    check_rope_factor(scaling.factor);
    for (auto& frequency : m_frequencies) frequency /= scaling.factor;
  }

  void operator()(NtkRope const& scaling) const {
    check_rope_factor(scaling.factor);
    if (m_rotary_dim < 4) {
      throw ShapeError(rope_frequencies_name, "rotary_dim", std::to_string(m_rotary_dim),
                       "at least 4 for NTK-aware scaling");
    }
    // theta^(-2i/d) with the grown theta is the old frequency times factor^(-2i/(d - 2)).
    for (std::size_t pair = 0; pair < m_frequencies.size(); ++pair) {
      m_frequencies[pair] *=
          std::pow(scaling.factor, -2 * static_cast<double>(pair) / (m_rotary_dim - 2));
    }
  }

  void operator()(YarnRope const& scaling) const {
    check_rope_factor(scaling.factor);
    check_rope_positions(scaling.original_max_positions);
    require_rope(scaling.beta_slow > 0, "scaling.beta_slow", scaling.beta_slow, "more than 0");
    require_rope(scaling.beta_fast > scaling.beta_slow, "scaling.beta_fast", scaling.beta_fast,
                 "more than beta_slow = " + std::to_string(scaling.beta_slow));
    auto const index_of = [&](double turns) {
      return m_rotary_dim *
             std::log(scaling.original_max_positions / (2 * std::numbers::pi * turns)) /
             (2 * std::log(m_theta));
    };
    auto low  = index_of(scaling.beta_fast);
    auto high = index_of(scaling.beta_slow);
    if (scaling.round_range) {
      low  = std::floor(low);
      high = std::ceil(high);
    }
    low  = std::max(low, 0.0);
    high = std::min(high, m_rotary_dim - 1.0);
    // Where the range is empty, the ramp is a step behind `low`.
    auto const width = std::max(high - low, 1e-3);
    for (std::size_t pair = 0; pair < m_frequencies.size(); ++pair) {
      auto const ramp = std::clamp((static_cast<double>(pair) - low) / width, 0.0, 1.0);
      m_frequencies[pair] *= (1 - ramp) + ramp / scaling.factor;
    }
  }

  void operator()(Llama3Rope const& scaling) const {
    check_rope_factor(scaling.factor);
    check_rope_positions(scaling.original_max_positions);
    require_rope(scaling.low_freq_factor > 0, "scaling.low_freq_factor", scaling.low_freq_factor,
                 "more than 0");
    require_rope(scaling.high_freq_factor > scaling.low_freq_factor, "scaling.high_freq_factor",
                 scaling.high_freq_factor,
                 "more than low_freq_factor = " + std::to_string(scaling.low_freq_factor));
    auto const range = scaling.high_freq_factor - scaling.low_freq_factor;
    for (auto& frequency : m_frequencies) {
      auto const turns  = scaling.original_max_positions * frequency / (2 * std::numbers::pi);
      auto const smooth = std::clamp((turns - scaling.low_freq_factor) / range, 0.0, 1.0);
      frequency *= (1 - smooth) / scaling.factor + smooth;
    }
  }

 private:
  int m_rotary_dim;
  double m_theta;
  std::vector<double>& m_frequencies;
};

/// Radians per position of each pair.
inline std::vector<double> scaled_frequencies(int rotary_dim, double theta,
                                              RopeScaling const& scaling) {
  if (rotary_dim < 2 || rotary_dim % 2 != 0) {
    throw ShapeError(rope_frequencies_name, "rotary_dim", std::to_string(rotary_dim),
                     "an even number from 2");
  }
  require_rope(theta > 1, "theta", theta, "more than 1");
  std::vector<double> result(static_cast<std::size_t>(rotary_dim / 2));
  for (std::size_t pair = 0; pair < result.size(); ++pair) {
    result[pair] = std::pow(theta, -2 * static_cast<double>(pair) / rotary_dim);
  }
  std::visit(FrequencyScaler(rotary_dim, theta, result), scaling);
  return result;
}

/// What multiplies queries and keys: 1, but for YaRN.
inline double attention_factor(RopeScaling const& scaling) {
  auto const* yarn = std::get_if<YarnRope>(&scaling);
  return yarn == nullptr ? 1.0 : yarn->attention_factor.value_or(0.1 * std::log(yarn->factor) + 1);
}

/// Refuses frequencies that are no numbers.
inline void check_frequencies(std::vector<double> const& frequencies, double factor) {
  if (frequencies.empty()) {
    throw ShapeError(rope_frequencies_name, "inverse_frequencies.size()", "0", "at least 1");
  }
  for (std::size_t pair = 0; pair < frequencies.size(); ++pair) {
    require_rope(true, indexed("inverse_frequencies", pair).c_str(), frequencies[pair],
                 "a finite number");
  }
  require_rope(true, "attention_factor", factor, "a finite number");
}

}  // namespace KokkosKV::Impl

#endif
