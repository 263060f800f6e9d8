// What the kernels of a step hand to one another. Grows to the largest step and is used again.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <string>

#include "model/Arrays.hpp"

namespace llama_generate {

/// A matrix with as many rows as a step needs.
class RowBuffer {
 public:
  RowBuffer(std::string const& label, std::size_t num_columns)
      : m_label("llama_generate::" + label), m_num_columns(num_columns) {}

  /// Waits for the instance where memory grows, since an earlier step may be at work in it.
  /// \return  valid until the next call
  Matrix resize(execution_space const& exec, std::size_t num_rows) {
    if (m_memory.size() < num_rows * m_num_columns) {
      exec.fence("llama_generate::RowBuffer: growth");
      m_memory = Vector(Kokkos::view_alloc(m_label, Kokkos::WithoutInitializing),
                        num_rows * m_num_columns);
    }
    return Matrix(m_memory.data(), num_rows, m_num_columns);
  }

 private:
  std::string m_label;
  std::size_t m_num_columns;
  Vector m_memory;
};

}  // namespace llama_generate
