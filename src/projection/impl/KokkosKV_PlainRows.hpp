// Rows that belong to no sequence.
#ifndef KOKKOSKV_IMPL_PLAINROWS_HPP
#define KOKKOSKV_IMPL_PLAINROWS_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>

#include <store/impl/KokkosKV_Rows.hpp>

namespace KokkosKV::Impl {

/// Each row has its own number, and no token.
struct PlainRows : EqualChunks {
  KOKKOS_FUNCTION RowLocation locate(RowChunk const& chunk, std::size_t index) const {
    auto const row = chunk.first + index;
    return {0, row, row, row};
  }
};

}  // namespace KokkosKV::Impl

#endif
