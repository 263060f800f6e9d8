// What the kernels of a step hand to one another. Grows to the largest step and is used again.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <string>

#include "model/Arrays.hpp"
#include "model/ModelConfig.hpp"

namespace llama_generate {

/// A matrix with as many rows as a step needs.
class RowBuffer {
 public:
  RowBuffer(std::string const& label, std::size_t num_columns)
      : m_label("llama_generate::" + label), m_num_columns(num_columns) {}

  /// Waits for the instance where memory grows, since an earlier step may be at work in it.
  void resize(execution_space const& exec, std::size_t num_rows) {
    if (m_memory.size() < num_rows * m_num_columns) {
      exec.fence("llama_generate::RowBuffer: growth");
      m_memory = Vector(Kokkos::view_alloc(m_label, Kokkos::WithoutInitializing),
                        num_rows * m_num_columns);
    }
    m_rows = Matrix(m_memory.data(), num_rows, m_num_columns);
  }

  Matrix const& rows() const { return m_rows; }

 private:
  std::string m_label;
  std::size_t m_num_columns;
  Vector m_memory;
  Matrix m_rows;
};

struct Activations {
  explicit Activations(ModelConfig const& config)
      : hidden_state("hidden_state", config.dim),
        queries("queries", config.dim),
        keys("keys", config.kv_dim()),
        values("values", config.kv_dim()),
        attended("attended", config.dim),
        gated("gated", config.hidden_dim),
        last_rows("last_rows", config.dim),
        logits("logits", config.vocab_size) {}

  /// \param num_wanted  sequences whose logits are wanted
  void resize(execution_space const& exec, std::size_t num_rows, std::size_t num_wanted) {
    for (auto* buffer : {&hidden_state, &queries, &keys, &values, &attended, &gated}) {
      buffer->resize(exec, num_rows);
    }
    for (auto* buffer : {&last_rows, &logits}) buffer->resize(exec, num_wanted);
  }

  RowBuffer hidden_state;
  RowBuffer queries, keys, values, attended;
  RowBuffer gated;
  RowBuffer last_rows, logits;  ///< of the wanted sequences
};

}  // namespace llama_generate
