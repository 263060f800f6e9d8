// Brings weight matrices into panels.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include <format/KokkosKV_Convert.hpp>

#include "model/Linear.hpp"

namespace llama_generate {

/// Outputs of a linear layer that begin a panel of their own.
template <class Source>
struct LinearPart {
  Source source;
  std::size_t num_outputs;
};

/// Fills panels: element (panel, input) of the parts' own.
template <class T, class Source>
struct PackPanels {
  Panels<T> to;
  LinearPart<Source> part;
  std::size_t first_panel;
  bool is_paired;

  KOKKOS_FUNCTION void operator()(std::size_t index) const {
    auto const panel = index / to.num_inputs;
    auto const input = index % to.num_inputs;
    T* const row     = to.panel(first_panel + panel) + input * to.stride();
    for (std::size_t lane = 0; lane < std::size_t(num_lanes); ++lane) {
      auto const output =
          is_paired ? 2 * (panel / 2 * num_lanes + lane) + panel % 2 : panel * num_lanes + lane;
      row[lane] =
          KokkosKV::convert_value<T>(output < part.num_outputs ? part.source(output, input) : 0.0f);
    }
  }
};

/// \param is_paired  outputs 2 i and 2 i + 1 lie in the same lane of neighbouring panels
template <class Source>
Linear make_linear(WeightType type, std::string const& label, std::size_t num_inputs,
                   bool is_paired, std::vector<LinearPart<Source>> const& parts) {
  auto const panels_of_part = [&](auto const& part) {
    return is_paired ? paired_panels_of(part.num_outputs) : panels_of(part.num_outputs);
  };
  std::size_t num_panels = 0;
  for (auto const& part : parts) num_panels += panels_of_part(part);
  return with_weight_type(type, [&]<class T>(std::type_identity<T>) -> Linear {
    Panels<T> const panels(label, num_inputs, num_panels);
    std::size_t first = 0;
    auto const pack   = [&](LinearPart<Source> const& part, std::size_t count) {
      Kokkos::parallel_for("llama_generate::pack",
                             Kokkos::RangePolicy<execution_space, Kokkos::IndexType<std::size_t>>(
                               0, count * num_inputs),
                             PackPanels<T, Source>{panels, part, first, is_paired});
      first += count;
    };
    for (auto const& part : parts) pack(part, panels_of_part(part));
    // What fills the last tile up has no outputs.
    pack({parts.back().source, 0}, panels.num_panels - first);
    return panels;
  });
}

}  // namespace llama_generate
