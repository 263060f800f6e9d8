// Which rows a call handles and where their tokens lie: ragged or padded batches cut into equal
// chunks, one chunk a team, so that the lengths of the sequences do not decide how well the work is
// spread.
#ifndef KOKKOSKV_IMPL_ROWS_HPP
#define KOKKOSKV_IMPL_ROWS_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace KokkosKV::Impl {

/// A row of the input (or output) and the token of the cache that belongs to it.
struct RowLocation {
  std::size_t sequence;
  std::size_t position;  ///< among the sequence's rows
  std::size_t row;       ///< ragged row, over the whole batch
  std::size_t token;     ///< position in the sequence, cached tokens included
};

/// Neighbouring rows that are one team's work.
struct RowChunk {
  std::size_t sequence;  ///< padded: to which they all belong
  std::size_t first;     ///< ragged: row; padded: position
  std::size_t length;
};

/// Rows that are cut without regard to sequences.
struct EqualChunks {
  std::size_t num_rows;
  std::size_t rows_per_chunk = 1;

  std::size_t num_chunks() const { return (num_rows + rows_per_chunk - 1) / rows_per_chunk; }
  std::size_t max_chunk_rows() const { return num_rows; }
  std::size_t total_rows() const { return num_rows; }

  KOKKOS_FUNCTION RowChunk chunk(std::size_t index) const {
    auto const first = index * rows_per_chunk;
    auto const left  = num_rows - first;
    return {0, first, left < rows_per_chunk ? left : rows_per_chunk};
  }
};

/// Rows [offsets[b], offsets[b + 1]) of sequence b, which begin at token first_tokens[b].
struct RaggedRows : EqualChunks {
  std::uint32_t const* offsets;
  std::uint32_t const* first_tokens;
  std::size_t batch_size;

  KOKKOS_FUNCTION std::size_t begin(std::size_t sequence) const { return offsets[sequence]; }
  KOKKOS_FUNCTION std::size_t length(std::size_t sequence) const {
    return offsets[sequence + 1] - offsets[sequence];
  }

  KOKKOS_FUNCTION RowLocation locate(RowChunk const& chunk, std::size_t index) const {
    auto const row      = chunk.first + index;
    auto const sequence = find_sequence(row);
    auto const position = row - offsets[sequence];
    return {sequence, position, row, first_tokens[sequence] + position};
  }

  /// The last sequence that begins at or before a row; behind it only empty ones begin there.
  KOKKOS_FUNCTION std::size_t find_sequence(std::size_t row) const {
    std::size_t low = 0, high = batch_size;
    while (high - low > 1) {
      auto const middle = low + (high - low) / 2;
      if (offsets[middle] <= row) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /// Calls `visit(location of the first row, rows)` for each sequence's part of a chunk, in order.
  template <class Visitor>
  KOKKOS_FUNCTION void for_each_part(RowChunk const& chunk, Visitor const& visit) const {
    for (std::size_t index = 0; index < chunk.length;) {
      auto const location = locate(chunk, index);
      // A sequence ends after its first row at the latest: bad unchecked offsets cannot stall this.
      auto const stop     = static_cast<std::size_t>(offsets[location.sequence + 1]);
      auto const in_part  = stop > location.row ? stop - location.row : 1;
      auto const in_chunk = chunk.length - index;
      auto const rows     = in_part < in_chunk ? in_part : in_chunk;
      visit(location, rows);
      index += rows;
    }
  }
};

/// Rows [0, lengths[b]) of sequence b out of max_rows, which begin at token first_tokens[b].
struct PaddedRows {
  std::uint32_t const* lengths;
  std::uint32_t const* first_tokens;
  std::size_t batch_size;
  std::size_t max_rows;
  std::size_t rows_per_chunk = 1;

  KOKKOS_FUNCTION std::size_t chunks_per_sequence() const {
    return (max_rows + rows_per_chunk - 1) / rows_per_chunk;
  }
  std::size_t num_chunks() const { return batch_size * chunks_per_sequence(); }
  std::size_t max_chunk_rows() const { return max_rows; }
  std::size_t total_rows() const { return batch_size * max_rows; }

  KOKKOS_FUNCTION std::size_t begin(std::size_t sequence) const { return sequence * max_rows; }
  KOKKOS_FUNCTION std::size_t length(std::size_t sequence) const {
    std::size_t const announced = lengths[sequence];
    return announced < max_rows ? announced : max_rows;
  }

  /// Of one sequence: the divisions are done once and not for each row.
  KOKKOS_FUNCTION RowChunk chunk(std::size_t index) const {
    auto const per_sequence = chunks_per_sequence();
    auto const sequence     = index / per_sequence;
    auto const first        = (index - sequence * per_sequence) * rows_per_chunk;
    auto const total        = length(sequence);
    auto const left         = first < total ? total - first : 0;
    return {sequence, first, left < rows_per_chunk ? left : rows_per_chunk};
  }

  KOKKOS_FUNCTION RowLocation locate(RowChunk const& chunk, std::size_t index) const {
    auto const sequence = chunk.sequence;
    auto const position = chunk.first + index;
    return {sequence, position, begin(sequence) + position, first_tokens[sequence] + position};
  }

  template <class Visitor>
  KOKKOS_FUNCTION void for_each_part(RowChunk const& chunk, Visitor const& visit) const {
    if (chunk.length > 0) visit(locate(chunk, 0), chunk.length);
  }
};

}  // namespace KokkosKV::Impl

#endif
