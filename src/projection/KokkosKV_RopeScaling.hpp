// How rotary frequencies are stretched for contexts longer than those of the training.
#ifndef KOKKOSKV_ROPESCALING_HPP
#define KOKKOSKV_ROPESCALING_HPP

#include <optional>
#include <variant>

namespace KokkosKV {

/// The frequencies of the training: pair `i` turns by `theta^(-2 i / rotary_dim)` radians per
/// position. Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding" (2021).
struct UnscaledRope {};

/// Position interpolation: every frequency is divided by `factor`. Chen et al., "Extending Context
/// Window of Large Language Models via Positional Interpolation" (2023).
struct LinearRope {
  double factor = 1;  ///< how many times longer the context is, at least 1
};

/// NTK-aware scaling: `theta` grows to `theta * factor^(rotary_dim / (rotary_dim - 2))`, which
/// keeps the fastest pair and slows the slowest one down by `factor`. bloc97, "NTK-Aware Scaled
/// RoPE" (2023); needs a rotary_dim of at least 4.
struct NtkRope {
  double factor = 1;  ///< how many times longer the context is, at least 1
};

/// YaRN: pairs that turn often within the original context keep their frequency, pairs that turn
/// seldom are interpolated, and a ramp lies between. Peng et al., "YaRN: Efficient Context Window
/// Extension of Large Language Models" (2023).
///
/// The pair that turns `r` times within the original context has the (real) index
/// `d(r) = rotary_dim * ln(original_max_positions / (2 pi r)) / (2 ln theta)`. With
/// `low = d(beta_fast)` and `high = d(beta_slow)`, kept within `[0, rotary_dim - 1]`, pair `i` gets
/// `f ((1 - ramp) + ramp / factor)`, where `f` is its unscaled frequency and
/// `ramp = (i - low) / (high - low)`, kept within `[0, 1]`. The ramp is linear in the index, as in
/// the models that were trained with the method.
struct YarnRope {
  double factor                 = 1;     ///< how many times longer the context is, at least 1
  double original_max_positions = 4096;  ///< context of the training
  double beta_fast              = 32;    ///< turns from which on a frequency is kept
  double beta_slow              = 1;     ///< turns up to which a frequency is interpolated
  /// Whether `low` is rounded down and `high` up to whole indices.
  bool round_range = true;
  /// Multiplies queries and keys; `0.1 ln(factor) + 1` where it is not given. Models with
  /// `mscale` m and `mscale_all_dim` a have `(0.1 m ln(factor) + 1) / (0.1 a ln(factor) + 1)`.
  std::optional<double> attention_factor = {};
};

/// Llama 3.1: with `L = original_max_positions`, wavelengths (in positions) above
/// `L / low_freq_factor` are stretched by `factor`, those below `L / high_freq_factor` are kept,
/// and between them frequency `f` of wavelength `w` becomes `f ((1 - s) / factor + s)` with
/// `s = (L / w - low_freq_factor) / (high_freq_factor - low_freq_factor)`. "The Llama 3 Herd of
/// Models" (2024) and the model's reference implementation.
struct Llama3Rope {
  double factor                 = 8;     ///< how many times longer the context is, at least 1
  double low_freq_factor        = 1;     ///< turns up to which a frequency is interpolated
  double high_freq_factor       = 4;     ///< turns from which on a frequency is kept
  double original_max_positions = 8192;  ///< context of the training
};

/// One of the above.
using RopeScaling = std::variant<UnscaledRope, LinearRope, NtkRope, YarnRope, Llama3Rope>;

}  // namespace KokkosKV

#endif
