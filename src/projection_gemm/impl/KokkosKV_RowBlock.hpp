// A block of neighbouring rows of a ragged batch, whose input holds the block alone.
#ifndef KOKKOSKV_IMPL_ROWBLOCK_HPP
#define KOKKOSKV_IMPL_ROWBLOCK_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>

#include <store/impl/KokkosKV_Rows.hpp>

namespace KokkosKV::Impl {

/// Rows [first, first + num_rows) of a batch; locations count rows from the block's first.
struct RaggedRowBlock {
  RaggedRows batch;
  std::size_t first;
  std::size_t num_rows;
  std::size_t rows_per_chunk = 1;

  std::size_t num_chunks() const { return (num_rows + rows_per_chunk - 1) / rows_per_chunk; }
  std::size_t max_chunk_rows() const { return num_rows; }
  std::size_t total_rows() const { return num_rows; }

  /// Of the batch's rows.
  KOKKOS_FUNCTION RowChunk chunk(std::size_t index) const {
    auto const begin = index * rows_per_chunk;
    auto const left  = num_rows - begin;
    return {0, first + begin, left < rows_per_chunk ? left : rows_per_chunk};
  }

  KOKKOS_FUNCTION RowLocation locate(RowChunk const& chunk, std::size_t index) const {
    auto location = batch.locate(chunk, index);
    location.row -= first;
    return location;
  }

  template <class Visitor>
  KOKKOS_FUNCTION void for_each_part(RowChunk const& chunk, Visitor const& visit) const {
    auto const skipped = first;
    batch.for_each_part(chunk, [&](RowLocation location, std::size_t rows) {
      location.row -= skipped;
      visit(location, rows);
    });
  }
};

}  // namespace KokkosKV::Impl

#endif
