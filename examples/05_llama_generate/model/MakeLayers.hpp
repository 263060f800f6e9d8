// From the form of the weights to the layers that read them.
#pragma once

#include <memory>
#include <stdexcept>
#include <utility>
#include <variant>

#ifdef LLAMA_GENERATE_KOKKOS_KERNELS
#include "model/KernelsLayers.hpp"
#endif
#include "model/PlainLayers.hpp"

namespace llama_generate {

template <class Cache>
std::unique_ptr<Layers<Cache>> make_layers(ModelConfig const& config, AnyWeights weights) {
  if (auto* const packed = std::get_if<PackedWeights>(&weights)) {
    return std::make_unique<PlainLayers<Cache>>(config, std::move(*packed));
  }
#ifdef LLAMA_GENERATE_KOKKOS_KERNELS
  return std::make_unique<KernelsLayers<Cache>>(config,
                                                std::move(std::get<MatrixWeights>(weights)));
#else
  throw std::logic_error("built without Kokkos Kernels");
#endif
}

}  // namespace llama_generate
