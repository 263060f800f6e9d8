// Reads the CSV of the Azure LLM inference traces: TIMESTAMP,ContextTokens,GeneratedTokens.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <limits>
#include <string>
#include <vector>

#include "common/trace/TraceFormat.hpp"

namespace example {
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

std::int64_t parse_whole(std::string_view name, std::string_view text) {
  std::int64_t value       = 0;
  auto const [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) {
    return text.starts_with('-') ? -1 : std::numeric_limits<std::int64_t>::max();
  }
  if (error != std::errc{} || rest != text.data() + text.size()) {
    throw LineError(std::string(name) + " is not a whole number: '" + std::string(text) + "'");
  }
  return value;
}

std::uint32_t parse_length(std::string_view name, std::string_view field) {
  return checked_length(name, parse_whole(name, trim(field)));
}

/// As in "2023-11-16 18:17:03.9799600"; microseconds after 1970.
std::int64_t parse_timestamp(std::string_view field) {
  constexpr std::string_view pattern = "dddd-dd-dd dd:dd:dd";
  auto const text                    = trim(field);
  auto const refuse                  = [&] {
    throw LineError("TIMESTAMP is not a date and time: '" + std::string(text) + "'");
  };
  auto const is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (text.size() < pattern.size()) refuse();
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == 'd' ? !is_digit(text[i]) : text[i] != pattern[i]) refuse();
  }
  auto const number = [&](std::size_t at, std::size_t digits) {
    return static_cast<int>(parse_whole("TIMESTAMP", text.substr(at, digits)));
  };
  std::chrono::year_month_day const date(std::chrono::year(number(0, 4)),
                                         std::chrono::month(unsigned(number(5, 2))),
                                         std::chrono::day(unsigned(number(8, 2))));
  if (!date.ok() || number(11, 2) > 23 || number(14, 2) > 59 || number(17, 2) > 60) refuse();
  std::int64_t fraction = 0, unit = 1'000'000;
  if (auto const digits = text.substr(pattern.size()); !digits.empty()) {
    if (digits[0] != '.' || !std::ranges::all_of(digits.substr(1), is_digit)) refuse();
    for (char const digit : digits.substr(1)) fraction += (unit /= 10) * (digit - '0');
  }
  auto const time = std::chrono::sys_days(date) + std::chrono::hours(number(11, 2)) +
                    std::chrono::minutes(number(14, 2)) + std::chrono::seconds(number(17, 2));
  return std::chrono::microseconds(time.time_since_epoch()).count() + fraction;
}

Request parse(std::string_view line, TraceParts parts) {
  auto const fields = split(line);
  if (fields.size() != 3) {
    throw LineError("expected 3 fields (" + std::string(header) + "), found " +
                    std::to_string(fields.size()));
  }
  Request request{parse_length("ContextTokens", fields[1]),
                  parse_length("GeneratedTokens", fields[2])};
  if (parts == TraceParts::all) request.arrival_us = parse_timestamp(fields[0]);
  return request;
}

}  // namespace

TraceFormat const azure_csv{"Azure CSV", header.data(), true,
                            [](std::string_view line) { return trim(line) == header; }, parse};

}  // namespace example
