// Where the model computes, and what its numbers lie in.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace llama_generate {

using execution_space = Kokkos::DefaultExecutionSpace;
using memory_space    = execution_space::memory_space;
/// Rows of a batch: one for each token.
using Matrix  = Kokkos::View<float**, Kokkos::LayoutRight, memory_space>;
using Vector  = Kokkos::View<float*, memory_space>;
using Indices = Kokkos::View<std::uint32_t const*, memory_space>;

}  // namespace llama_generate
