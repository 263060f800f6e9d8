// Rows that belong to no sequence.
#ifndef KOKKOSKV_IMPL_PLAINROWS_HPP
#define KOKKOSKV_IMPL_PLAINROWS_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>

#include <store/impl/KokkosKV_Rows.hpp>

namespace KokkosKV::Impl {

/// `num_rows` rows, cut into chunks as those of a batch are.
struct PlainRows {
  std::size_t num_rows;
  std::size_t rows_per_chunk = 1;

  std::size_t num_chunks() const { return (num_rows + rows_per_chunk - 1) / rows_per_chunk; }
  std::size_t max_chunk_rows() const { return num_rows; }

  KOKKOS_FUNCTION RowChunk chunk(std::size_t index) const {
    auto const first = index * rows_per_chunk;
    auto const left  = num_rows - first;
    return {0, first, left < rows_per_chunk ? left : rows_per_chunk};
  }

  KOKKOS_FUNCTION RowLocation locate(RowChunk const& chunk, std::size_t index) const {
    auto const row = chunk.first + index;
    return {0, row, row, row};
  }
};

}  // namespace KokkosKV::Impl

#endif
