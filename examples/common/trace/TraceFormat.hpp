// What a trace format must offer. A new format is one file with such a constant and one line in
// Trace.cpp.
#pragma once

#include <stdexcept>
#include <string_view>

#include "common/trace/Request.hpp"
#include "common/trace/Trace.hpp"

namespace example {

/// What is wrong with a line; the reader puts the file and the line number in front.
struct LineError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct TraceFormat {
  char const* name;
  char const* begins_with;  ///< how the first line looks, for the message on unknown files
  bool has_header;          ///< the first line holds no request
  bool (*recognises)(std::string_view first_line);
  /// Arrivals count from a time that all lines of a file share. Throws LineError.
  Request (*parse)(std::string_view line, TraceParts parts);
};

extern TraceFormat const azure_csv;
extern TraceFormat const mooncake_jsonl;

/// The longest prompt or answer that is believed.
inline constexpr std::int64_t max_length = 1 << 30;

/// Checks the range of a length. \throws LineError
std::uint32_t checked_length(std::string_view field, std::int64_t value);

}  // namespace example
