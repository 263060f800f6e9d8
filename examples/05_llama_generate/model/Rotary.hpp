// Queries, keys and values out of the rows that the first matrix of a layer gives: queries and keys
// are turned by the position of their token (RoPE, Su et al., 2021), in pairs of neighbours.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>

#include "model/Layers.hpp"

namespace llama_generate {

/// Element `dim` of head `head` of a row, turned. Keys are stored by this functor: the turned ones
/// exist nowhere but in the cache.
struct RotatedHeads {
  Matrix rows;
  Indices positions;  ///< of the rows
  Matrix rotary;      ///< Weights::rotary
  int first_column;   ///< of the first head
  int head_size;

  KOKKOS_FUNCTION float operator()(std::size_t row, int head, int dim) const {
    int const even       = dim - dim % 2;
    float const* const x = &rows(row, first_column + head * head_size + even);
    float const* const r = &rotary(positions(row), even);
    return dim == even ? x[0] * r[0] - x[1] * r[1] : x[0] * r[1] + x[1] * r[0];
  }
};

/// Element `dim` of head `head` of a row, as it is.
struct PlainHeads {
  Matrix rows;
  int first_column;  ///< of the first head
  int head_size;

  KOKKOS_FUNCTION float operator()(std::size_t row, int head, int dim) const {
    return rows(row, first_column + head * head_size + dim);
  }
};

/// Turned queries for attention.
struct RotateQueries {
  RotatedHeads queries;
  Matrix out;

  KOKKOS_FUNCTION void operator()(std::size_t row, std::size_t column) const {
    auto const at    = static_cast<int>(column);
    out(row, column) = queries(row, at / queries.head_size, at % queries.head_size);
  }
};

}  // namespace llama_generate
