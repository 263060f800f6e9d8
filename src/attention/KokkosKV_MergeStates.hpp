// merge_attention_states(): joins attention over parts of the keys to attention over all of them.
#ifndef KOKKOSKV_MERGESTATES_HPP
#define KOKKOSKV_MERGESTATES_HPP

#include <Kokkos_Core.hpp>

#include <attention/impl/KokkosKV_StateMerge.hpp>

namespace KokkosKV {

/// \name merge_attention_states
///
/// Attention of a row over disjoint parts of its keys gives one state for each part: an output and
/// the logarithm of the sum of the exponentials of its logits (log-sum-exp, natural logarithm).
/// Their weighted mean, with `exp(lse)` as weights, is attention over all keys (Milakov and
/// Gimelshein, Online normalizer calculation for softmax, 2018; Ye et al., FlashInfer, 2025).
///
/// A state without keys has lse -inf: its weight is zero and its output is not read. A row whose
/// states are all of that kind gets output 0 and lse -inf, and so does a row without states. Sums
/// are formed in float; the result does not depend on the number of threads.
///
/// \param exec    execution space instance
/// \param outputs of the states, float, half or bf16, any layout
/// \param lses    of the states, float, any layout: finite or -inf
/// \param output  `[tokens, heads, head_size]`, any layout; must not overlap the inputs
/// \param lse     float `[tokens, heads]`, any layout
/// \throws ShapeError   an extent differs
/// \throws RaggedError  state_offsets decrease, or do not go from 0 to the number of states
/// \{
/// As many states for every row: `outputs` is `[states, tokens, heads, head_size]`, `lses`
/// `[states, tokens, heads]`.
template <class ExecSpace, class Outputs, class Lses, class Output, class Lse>
  requires(Kokkos::is_execution_space_v<ExecSpace> && Kokkos::is_view_v<Lse>)
void merge_attention_states(ExecSpace const& exec, Outputs const& outputs, Lses const& lses,
                            Output const& output, Lse const& lse) {
  Impl::merge_equal_states(exec, outputs, lses, output, lse);
}

/// States `[state_offsets(r), state_offsets(r + 1))` belong to row `r`: `state_offsets` is uint32
/// `[tokens + 1]`, `outputs` `[states, heads, head_size]`, `lses` `[states, heads]`. With
/// `unchecked` as last argument the contents of the offsets are not read by the host, and the call
/// is asynchronous.
template <class ExecSpace, class Offsets, class Outputs, class Lses, class Output, class Lse,
          class... Options>
  requires(Kokkos::is_execution_space_v<ExecSpace> && Kokkos::is_view_v<Lse>)
void merge_attention_states(ExecSpace const& exec, Offsets const& state_offsets,
                            Outputs const& outputs, Lses const& lses, Output const& output,
                            Lse const& lse, [[maybe_unused]] Options... options) {
  Impl::merge_ragged_states<Options...>(exec, state_offsets, outputs, lses, output, lse);
}
/// \}

}  // namespace KokkosKV

#endif
