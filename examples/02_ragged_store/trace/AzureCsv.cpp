// Reads the CSV of the Azure LLM inference traces: TIMESTAMP,ContextTokens,GeneratedTokens.
#include <charconv>
#include <string>
#include <vector>

#include "trace/TraceFormat.hpp"

namespace ragged_store {
namespace {

constexpr std::string_view header = "TIMESTAMP,ContextTokens,GeneratedTokens";

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t comma; (comma = line.find(',')) != std::string_view::npos;) {
    fields.push_back(line.substr(0, comma));
    line.remove_prefix(comma + 1);
  }
  fields.push_back(line);
  return fields;
}

std::string_view trim(std::string_view text) {
  auto const first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::uint32_t parse_length(std::string_view name, std::string_view field) {
  auto const text          = trim(field);
  std::int64_t value       = 0;
  auto const [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    value = text.starts_with('-') ? -1 : max_length + 1;
  } else if (error != std::errc{} || rest != text.data() + text.size()) {
    throw LineError(std::string(name) + " is not a whole number: '" + std::string(text) + "'");
  }
  return checked_length(name, value);
}

Request parse(std::string_view line) {
  auto const fields = split(line);
  if (fields.size() != 3) {
    throw LineError("expected 3 fields (" + std::string(header) + "), found " +
                    std::to_string(fields.size()));
  }
  return {parse_length("ContextTokens", fields[1]), parse_length("GeneratedTokens", fields[2])};
}

}  // namespace

TraceFormat const azure_csv{"Azure CSV", header.data(), true,
                            [](std::string_view line) { return trim(line) == header; }, parse};

}  // namespace ragged_store
