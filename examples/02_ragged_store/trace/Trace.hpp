// Reads a request trace of any known format.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "trace/Request.hpp"

namespace ragged_store {

struct Trace {
  std::string format;
  std::vector<Request> requests;
};

/// Reads the first `max_requests` requests; later lines are not looked at.
/// \throws UsageError  `file:line: what is wrong`
Trace read_trace(std::string const& path, std::size_t max_requests);

}  // namespace ragged_store
