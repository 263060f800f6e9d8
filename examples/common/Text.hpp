// How figures are written for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iomanip>
#include <ostream>
#include <string>

namespace example {

/// As printf does; at most 127 characters.
template <class... Values>
std::string format(char const* pattern, Values... values) {
  char text[128];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

/// Thousands set apart, since the figures have up to eleven digits.
inline std::string grouped(std::uint64_t number) {
  auto digits = std::to_string(number);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return digits;
}

/// A line of a table: what it is, the figure, and what there is to say about it.
inline void print_line(std::ostream& out, char const* name, std::string const& value,
                       std::string const& note = "") {
  out << "  " << std::left << std::setw(20) << name << std::right << std::setw(18) << value
      << (note.empty() ? "" : "  ") << note << '\n';
}

}  // namespace example
