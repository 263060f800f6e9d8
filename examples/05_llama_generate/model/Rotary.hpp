// Rotary embedding (Su et al., RoFormer, 2021) as tables of cosines and sines.
#pragma once

#include <cstddef>

#include <projection/KokkosKV_RopeFrequencies.hpp>

#include "model/Arrays.hpp"
#include "model/Lanes.hpp"

namespace llama_generate {

/// Pairs of neighbouring elements turn. The cosines of a position begin again after the last pair
/// of a head, so that lanes that reach into the next head find them too; then come the sines.
class Rotary {
 public:
  Rotary() = default;
  /// \param context  positions 0 to context - 1 are tabulated
  Rotary(KokkosKV::RopeFrequencies<memory_space> const& frequencies, std::size_t context);

  /// Turns the pairs (a, b), of which lane 0 has pair `pair` of a row of heads.
  template <class AnyLanes>
  KOKKOS_FUNCTION void turn(std::uint32_t position, std::size_t pair, AnyLanes& a,
                            AnyLanes& b) const {
    float const* const cosines = &m_table(position, pair % m_num_pairs);
    auto const cosine          = load(cosines);
    auto const sine            = load(cosines + m_table.extent(1) / 2);
    auto const turned          = a * cosine - b * sine;
    b                          = a * sine + b * cosine;
    a                          = turned;
  }

 private:
  std::size_t m_num_pairs = 1;  ///< of a head
  Matrix m_table;
};

}  // namespace llama_generate
