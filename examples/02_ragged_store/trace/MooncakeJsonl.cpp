// Reads the Mooncake traces: a JSON object a line, with input_length and output_length.
#include <nlohmann/json.hpp>
#include <string>

#include "trace/TraceFormat.hpp"

namespace ragged_store {
namespace {

std::uint32_t length(nlohmann::json const& object, char const* name) {
  auto const field = object.find(name);
  if (field == object.end()) throw LineError(std::string("no field ") + name);
  if (!field->is_number_integer()) {
    throw LineError(std::string(name) + " is not a whole number: " + field->dump());
  }
  // Unsigned numbers past the signed range would wrap; any such length is too large all the same.
  if (field->is_number_unsigned() && field->get<std::uint64_t>() > std::uint64_t(max_length)) {
    return checked_length(name, max_length + 1);
  }
  return checked_length(name, field->get<std::int64_t>());
}

Request parse(std::string_view line) {
  auto const object = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (object.is_discarded()) throw LineError("not valid JSON");
  if (!object.is_object()) throw LineError("not a JSON object");
  return {length(object, "input_length"), length(object, "output_length")};
}

}  // namespace

TraceFormat const mooncake_jsonl{"Mooncake JSONL", "{\"timestamp\": …", false,
                                 [](std::string_view line) { return line.starts_with('{'); },
                                 parse};

}  // namespace ragged_store
