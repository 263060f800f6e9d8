// The linear layers of the model, each a kernel on an instance with what comes before and after it:
// norms before, rotation, SwiGLU or residual additions after. Every element is summed in an order
// that depends on nothing but its own row, so that a row's results do not depend on what else is in
// the batch.
#pragma once

#include "model/Arrays.hpp"
#include "model/Linear.hpp"
#include "model/Rotary.hpp"

namespace llama_generate {

/// Where queries, keys and values of a batch go, `[rows, heads * head_size]` each.
struct AttentionRows {
  Matrix queries, keys, values;
};

/// Rows are divided by their root mean square first; queries and keys are turned by their
/// positions.
/// \param linear  from make_query_key_value()
void project_attention(execution_space const& exec, Matrix const& in, Linear const& linear,
                       Rotary const& rotary, Indices const& positions, AttentionRows const& out);

/// Rows are divided by their root mean square first; `out` becomes silu(gate) * up.
/// \param linear  from make_gate_up()
void project_gated(execution_space const& exec, Matrix const& in, Linear const& linear,
                   Matrix const& out);

/// Rows are divided by their root mean square first.
void project_normalised(execution_space const& exec, Matrix const& in, Linear const& linear,
                        Matrix const& out);

/// out += in * weights
void project_and_add(execution_space const& exec, Matrix const& in, Linear const& linear,
                     Matrix const& out);

}  // namespace llama_generate
