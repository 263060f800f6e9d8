// A block of neighbouring rows of a ragged batch, whose input holds the block alone.
#ifndef KOKKOSKV_IMPL_ROWBLOCK_HPP
#define KOKKOSKV_IMPL_ROWBLOCK_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>

#include <store/impl/KokkosKV_Rows.hpp>

namespace KokkosKV::Impl {

/// Rows [first, first + num_rows) of a batch; locations count rows from the block's first.
struct RaggedRowBlock : EqualChunks {
  RaggedRows batch;
  std::size_t first;

  /// Of the batch's rows.
  KOKKOS_FUNCTION RowChunk chunk(std::size_t index) const {
    auto result = EqualChunks::chunk(index);
    result.first += first;
    return result;
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
