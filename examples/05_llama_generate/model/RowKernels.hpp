// What stands between the products where these are not our own.
#pragma once

#include "model/Arrays.hpp"

namespace llama_generate {

/// Row r of `out` becomes row r of `in`, divided by its root mean square.
void normalise(execution_space const& exec, Matrix const& in, Matrix const& out);

/// Element i of a row of `out` becomes silu(gate) * up, of elements i and i + columns of `in`.
void swiglu(execution_space const& exec, Matrix const& in, Matrix const& out);

}  // namespace llama_generate
