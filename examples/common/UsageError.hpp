// What the user can put right: bad options, bad trace files, a pool that is too small. Exit
// status 2.
#pragma once

#include <stdexcept>

namespace example {

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace example
