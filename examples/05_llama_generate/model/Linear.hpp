// Weight matrices in the order in which products read them.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <string>
#include <type_traits>
#include <variant>

#include <format/KokkosKV_Bf16.hpp>
#include <format/KokkosKV_Half.hpp>

#include "model/Lanes.hpp"

namespace llama_generate {

/// Panels that a thread works on at once: with tile_rows rows, what registers hold.
inline constexpr std::size_t tile_panels = num_lanes >= 16 ? 4 : 2;
inline constexpr std::size_t tile_rows   = 4;
/// Threads that share a row tile in a device's team: one for each tile of panels.
inline constexpr std::size_t team_tiles = is_host ? 1 : 32;

/// A matrix [outputs, inputs] in panels of num_lanes outputs: on hosts one panel after another,
/// each as [inputs, lanes], so that a panel is read from end to end; on devices as [inputs,
/// panels], whose neighbours belong to neighbouring threads. The panels are filled up with zeros to
/// whole tiles.
/// \tparam T  storage type: float, KokkosKV::half or KokkosKV::bf16
template <class T>
struct Panels {
  Kokkos::View<T*, memory_space> elements;
  std::size_t num_inputs = 0;
  std::size_t num_panels = 0;

  Panels() = default;
  Panels(std::string const& label, std::size_t inputs, std::size_t panels)
      : num_inputs(inputs), num_panels((panels + tile_panels - 1) / tile_panels * tile_panels) {
    elements = decltype(elements)(
        Kokkos::view_alloc("llama_generate::" + label, Kokkos::WithoutInitializing),
        num_panels * inputs * num_lanes);
  }

  /// Elements from one input's weights to the next one's.
  KOKKOS_FUNCTION std::size_t stride() const { return is_host ? num_lanes : num_panels; }
  /// Weights of the first input.
  KOKKOS_FUNCTION T* panel(std::size_t index) const {
    return elements.data() + (is_host ? index * num_inputs * num_lanes : index);
  }
};

/// A linear layer. Its panels come in pairs, 2 i and 2 i + 1; where neighbouring outputs are wanted
/// together, they lie in the same lane of such a pair ("paired").
using Linear = std::variant<Panels<float>, Panels<KokkosKV::half>, Panels<KokkosKV::bf16>>;

inline std::size_t bytes_of(Linear const& linear) {
  return std::visit(
      [](auto const& panels) { return panels.elements.size() * sizeof(*panels.elements.data()); },
      linear);
}
inline std::size_t bytes_of(Matrix const& matrix) { return matrix.size() * sizeof(float); }

enum class WeightType { floats, halves, bf16s };

/// Calls `function` with the std::type_identity of a storage type.
template <class Function>
auto with_weight_type(WeightType type, Function const& function) {
  switch (type) {
    case WeightType::halves:
      return function(std::type_identity<KokkosKV::half>{});
    case WeightType::bf16s:
      return function(std::type_identity<KokkosKV::bf16>{});
    case WeightType::floats:
      break;
  }
  return function(std::type_identity<float>{});
}

inline std::size_t panels_of(std::size_t num_outputs) {
  return (num_outputs + num_lanes - 1) / num_lanes;
}
/// Panels of outputs whose pairs lie in two panels.
inline std::size_t paired_panels_of(std::size_t num_outputs) {
  return 2 * panels_of((num_outputs + 1) / 2);
}

}  // namespace llama_generate
