// RopeFrequencies: how fast each pair of a head turns, computed once for a model.
#ifndef KOKKOSKV_ROPEFREQUENCIES_HPP
#define KOKKOSKV_ROPEFREQUENCIES_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <projection/KokkosKV_RopeScaling.hpp>
#include <projection/impl/KokkosKV_ScaledFrequencies.hpp>
#include <projection/impl/KokkosKV_TurnFraction.hpp>

namespace KokkosKV {

/// Which elements of a head make a pair `i`.
enum class RopeForm {
  interleaved,  ///< `2 i` and `2 i + 1` (RoFormer, GPT-J)
  half_split    ///< `i` and `i + rotary_dim / 2` (GPT-NeoX, Llama in its usual export)
};

/// What a model says about its rotary embedding.
struct RopeParams {
  int rotary_dim      = 0;                     ///< rotated elements of a head, the first ones; even
  double theta        = 10000;                 ///< base of the frequencies, more than 1
  RopeForm form       = RopeForm::half_split;  ///< which elements make a pair
  RopeScaling scaling = {};                    ///< for contexts longer than the training's
};

/// Frequencies of the pairs of a head, in double on the host and as binary fractions of a turn in
/// \p MemorySpace. There the angle of a position is an integer product whose overflow drops whole
/// turns: at position 2^20 it still has all bits of a float.
///
/// Copies share the device memory, which must outlive the calls that use it.
template <class MemorySpace = Kokkos::DefaultExecutionSpace::memory_space>
class RopeFrequencies {
 public:
  using memory_space = MemorySpace;  ///< where kernels read them
  /// Turns per position modulo 1, in units of 2^-64.
  using turns_type = Kokkos::View<std::uint64_t const*, MemorySpace>;

  /// Computes the frequencies and brings them to the device (waits for the copy).
  /// \throws ShapeError  a parameter has no meaning
  explicit RopeFrequencies(RopeParams const& params)
      : RopeFrequencies(params.form,
                        Impl::scaled_frequencies(params.rotary_dim, params.theta, params.scaling),
                        Impl::attention_factor(params.scaling)) {}

  /// Takes frequencies as they are, for instance those of a model that rounds them to float.
  /// \param inverse_frequencies  radians per position, one for each pair
  /// \param attention_factor     multiplies what is rotated
  /// \throws ShapeError          there is no frequency, or one is not finite
  RopeFrequencies(RopeForm form, std::vector<double> inverse_frequencies,
                  double attention_factor = 1)
      : m_form(form),
        m_attention_factor(attention_factor),
        m_inverse_frequencies(std::move(inverse_frequencies)) {
    Impl::check_frequencies(m_inverse_frequencies, attention_factor);
    Kokkos::View<std::uint64_t*, MemorySpace> const turns(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "KokkosKV::RopeFrequencies::turns"),
        m_inverse_frequencies.size());
    auto const host = Kokkos::create_mirror_view(turns);
    for (std::size_t pair = 0; pair < m_inverse_frequencies.size(); ++pair) {
      host(pair) = Impl::turn_fraction(m_inverse_frequencies[pair]);
    }
    Kokkos::deep_copy(turns, host);
    m_turns = turns;
  }

  /// Rotated elements of a head.
  int rotary_dim() const { return 2 * static_cast<int>(m_inverse_frequencies.size()); }
  /// Which elements make a pair.
  RopeForm form() const { return m_form; }
  /// Multiplies what is rotated.
  double attention_factor() const { return m_attention_factor; }
  /// Radians per position of each pair, `[rotary_dim / 2]`.
  std::vector<double> const& inverse_frequencies() const { return m_inverse_frequencies; }
  /// What kernels read, `[rotary_dim / 2]`.
  turns_type const& turns() const { return m_turns; }

 private:
  RopeForm m_form;
  double m_attention_factor;
  std::vector<double> m_inverse_frequencies;
  turns_type m_turns;
};

}  // namespace KokkosKV

#endif
