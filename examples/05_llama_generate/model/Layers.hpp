// The parts of a layer beside store and attention, each a kernel on an instance. Every element is
// summed in an order that depends on nothing but its own row, so that a row's results do not depend
// on what else is in the batch.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace llama_generate {

using execution_space = Kokkos::DefaultExecutionSpace;
using memory_space    = execution_space::memory_space;
/// Rows of a batch, or weights.
using Matrix  = Kokkos::View<float**, Kokkos::LayoutRight, memory_space>;
using Vector  = Kokkos::View<float*, memory_space>;
using Indices = Kokkos::View<std::uint32_t const*, memory_space>;

/// A linear layer. Its matrix is stored as [in, out], so that neighbouring outputs, which
/// neighbouring lanes or threads compute, are neighbours in memory. The outputs are filled up with
/// zeros to whole tiles.
struct Linear {
  Matrix weights;
  std::size_t num_outputs = 0;
};

/// One after another below each other: their outputs are computed together.
/// \param matrices  [out, in] each
Linear make_linear(std::string const& label, std::size_t num_inputs,
                   std::initializer_list<std::span<float const>> matrices);
Vector make_vector(std::string const& label, std::span<float const> values);
Matrix make_matrix(std::string const& label, std::size_t num_columns,
                   std::span<float const> values);

/// Row r of `out` becomes row r of `in`, divided by its root mean square, times the weights.
void rms_norm(execution_space const& exec, Matrix const& in, Vector const& weights,
              Matrix const& out);

/// Row r of `out` becomes row rows(r) of `in`, normalised as above.
void rms_norm_rows(execution_space const& exec, Matrix const& in, Indices const& rows,
                   Vector const& weights, Matrix const& out);

/// out = in * weights
void multiply(execution_space const& exec, Matrix const& in, Linear const& linear,
              Matrix const& out);

/// out += in * weights
void multiply_add(execution_space const& exec, Matrix const& in, Linear const& linear,
                  Matrix const& out);

/// Element i of a row of `out` becomes silu(gate) * up, of elements i and i + columns of `in`.
void swiglu(execution_space const& exec, Matrix const& in, Matrix const& out);

}  // namespace llama_generate
