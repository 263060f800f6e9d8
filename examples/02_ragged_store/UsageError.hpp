// What the user can put right: bad options, bad trace files, a pool that is too small. Exit
// status 2.
#pragma once

#include <stdexcept>

namespace ragged_store {

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace ragged_store
