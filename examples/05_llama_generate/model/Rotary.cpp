// Tables are computed in double on the host.
#include "model/Rotary.hpp"

#include <cmath>

namespace llama_generate {

Rotary::Rotary(KokkosKV::RopeFrequencies<memory_space> const& frequencies, std::size_t context)
    : m_num_pairs(frequencies.inverse_frequencies().size()) {
  auto const columns = m_num_pairs + std::size_t(num_lanes - 1);
  m_table = Matrix(Kokkos::view_alloc("llama_generate::rotary", Kokkos::WithoutInitializing),
                   context, 2 * columns);
  auto const host = Kokkos::create_mirror_view(m_table);
  for (std::size_t position = 0; position < context; ++position) {
    for (std::size_t i = 0; i < columns; ++i) {
      auto const frequency        = frequencies.inverse_frequencies()[i % m_num_pairs];
      auto const angle            = static_cast<double>(position) * frequency;
      auto const factor           = frequencies.attention_factor();
      host(position, i)           = static_cast<float>(factor * std::cos(angle));
      host(position, columns + i) = static_cast<float>(factor * std::sin(angle));
    }
  }
  Kokkos::deep_copy(m_table, host);
}

}  // namespace llama_generate
