// The layers of a model as the forward pass sees them. What depends on the weights' form is behind
// it: our own products (PlainLayers), or those of Kokkos Kernels (KernelsLayers).
#pragma once

#include <KokkosKV.hpp>
#include <cstddef>

#include "model/Arrays.hpp"
#include "model/ModelConfig.hpp"

namespace llama_generate {

/// The rows of a step, as its layers need them.
struct LayerRows {
  Indices row_offsets;  ///< of the sequences
  Indices positions;    ///< of the rows
};

/// Rows of heads, as cache and attention take them.
using HeadRows = Kokkos::View<float***, Kokkos::LayoutRight, memory_space>;
inline HeadRows as_heads(Matrix const& rows, std::size_t head_size) {
  return HeadRows(rows.data(), rows.extent(0), rows.extent(1) / head_size, head_size);
}

/// Frequencies of the pairs of neighbouring elements of a head.
inline KokkosKV::RopeFrequencies<memory_space> rope_frequencies(ModelConfig const& config) {
  return KokkosKV::RopeFrequencies<memory_space>(
      {.rotary_dim = static_cast<int>(config.head_size()),
       .theta      = config.rope_theta,
       .form       = KokkosKV::RopeForm::interleaved,
       .scaling    = config.rope_scaling});
}

/// \tparam Cache  keys or values of a layer
template <class Cache>
class Layers {
 public:
  virtual ~Layers() = default;

  virtual std::size_t weight_bytes() const = 0;

  /// Row r of `x` becomes the embedding of token r.
  virtual void embed(execution_space const& exec, Indices const& tokens, Matrix const& x) = 0;

  /// Normalises, makes queries, keys and values, turns queries and keys by their positions, and
  /// stores keys and values.
  virtual void store_keys_values(execution_space const& exec, std::size_t layer, Matrix const& x,
                                 LayerRows const& rows, Cache const& keys, Cache const& values,
                                 Matrix const& queries) = 0;

  /// Adds what attention found.
  virtual void add_attention(execution_space const& exec, std::size_t layer, Matrix const& attended,
                             Matrix const& x) = 0;

  /// Normalises, and adds the result of the feed-forward part (SwiGLU).
  virtual void add_feed_forward(execution_space const& exec, std::size_t layer,
                                Matrix const& x) = 0;

  /// Normalises, and makes logits.
  virtual void make_logits(execution_space const& exec, Matrix const& x, Matrix const& logits) = 0;
};

}  // namespace llama_generate
