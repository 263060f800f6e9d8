// SequenceRange: neighbouring sequences of a batch.
#ifndef KOKKOSKV_SEQUENCERANGE_HPP
#define KOKKOSKV_SEQUENCERANGE_HPP

#include <cstddef>

namespace KokkosKV {

/// Sequences `[first, first + count)` of a batch.
struct SequenceRange {
  std::size_t first = 0;  ///< the first of them
  std::size_t count = 0;  ///< how many
};

}  // namespace KokkosKV

#endif
