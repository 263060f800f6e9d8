// Reads a request trace of any known format.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "common/trace/Request.hpp"

namespace example {

struct Trace {
  std::string format;
  std::vector<Request> requests;
};

/// What is read of each request; the rest of a line is not looked at.
enum class TraceParts { lengths, all };

/// Reads the first `max_requests` requests; later lines are not looked at.
/// \throws UsageError  `file:line: what is wrong`
Trace read_trace(std::string const& path, std::size_t max_requests,
                 TraceParts parts = TraceParts::lengths);

}  // namespace example
