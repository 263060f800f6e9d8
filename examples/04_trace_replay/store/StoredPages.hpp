// Real pages behind a replay: every step's rows are stored, and what a sequence finds in the cache
// is compared with what its tokens demand.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>

#include "replay/StepObserver.hpp"

namespace trace_replay {

/// A page in the cache holds other keys or values than those of the tokens that found it.
struct WrongPage : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class StoredPages : public StepObserver {
 public:
  /// Cached rows that have been read back, keys and values.
  virtual std::uint64_t rows_compared() const = 0;
};

/// Makes the pool, of a size that is compiled.
/// \param page_ids  token ids of a page, one of stored_page_sizes
/// \throws UsageError  no memory for it
std::unique_ptr<StoredPages> make_stored_pages(std::uint32_t num_pages, std::uint32_t page_ids);

}  // namespace trace_replay
