// The list of trace formats, and the line-by-line reading that they share.
#include "common/trace/Trace.hpp"

#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "common/UsageError.hpp"
#include "common/trace/TraceFormat.hpp"

namespace example {
namespace {

TraceFormat const* const formats[] = {&azure_csv, &mooncake_jsonl};

TraceFormat const& detect(std::string_view first_line) {
  std::string expected;
  for (auto const* format : formats) {
    if (format->recognises(first_line)) return *format;
    expected += (expected.empty() ? "" : " or ") + std::string(format->name) + " (" +
                format->begins_with + ")";
  }
  throw LineError("unknown trace format, expected " + expected);
}

// Files from other systems may start with a byte order mark and end their lines with CR LF.
std::string_view clean(std::string_view line, std::size_t number) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (number == 1 && line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

void check_order(Trace const& trace, Request const& next) {
  if (trace.requests.empty() || trace.requests.back().arrival_us <= next.arrival_us) return;
  throw LineError("the request arrives before the one above it");
}

}  // namespace

std::uint32_t checked_length(std::string_view field, std::int64_t value) {
  if (value < 0) throw LineError(std::string(field) + " is negative");
  if (value > max_length) {
    throw LineError(std::string(field) + " is above " + std::to_string(max_length));
  }
  return static_cast<std::uint32_t>(value);
}

Trace read_trace(std::string const& path, std::size_t max_requests, TraceParts parts) {
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path)) {
    throw UsageError(path + ": cannot be read as a file");
  }
  Trace trace;
  TraceFormat const* format = nullptr;
  std::int64_t begin        = 0;
  std::string text;
  for (std::size_t number = 1; trace.requests.size() < max_requests && std::getline(file, text);
       ++number) {
    auto const line = clean(text, number);
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    try {
      if (format == nullptr) {
        format       = &detect(line);
        trace.format = format->name;
        if (format->has_header) continue;
      }
      auto request = format->parse(line, parts);
      if (trace.requests.empty()) begin = request.arrival_us;
      request.arrival_us -= begin;
      check_order(trace, request);
      trace.requests.push_back(std::move(request));
    } catch (LineError const& error) {
      throw UsageError(path + ":" + std::to_string(number) + ": " + error.what());
    }
  }
  if (trace.requests.empty()) throw UsageError(path + ":1: the trace holds no request");
  return trace;
}

}  // namespace example
