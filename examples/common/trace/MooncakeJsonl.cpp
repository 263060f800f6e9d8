// Reads the Mooncake traces: a JSON object a line, with input_length,
// output_length, timestamp (milliseconds) and hash_ids (the blocks of the prompt).
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/trace/TraceFormat.hpp"

namespace example {
namespace {

nlohmann::json const& find(nlohmann::json const& object, char const* name) {
  auto const field = object.find(name);
  if (field == object.end()) throw LineError(std::string("no field ") + name);
  return *field;
}

void check_whole(nlohmann::json const& field, char const* name) {
  if (field.is_number_integer()) return;
  throw LineError(std::string(name) + " is not a whole number: " + field.dump());
}

std::uint32_t length(nlohmann::json const& object, char const* name) {
  auto const& field = find(object, name);
  check_whole(field, name);
  // Unsigned numbers past the signed range would wrap; any such length is too large all the same.
  if (field.is_number_unsigned() && field.get<std::uint64_t>() > std::uint64_t(max_length)) {
    return checked_length(name, max_length + 1);
  }
  return checked_length(name, field.get<std::int64_t>());
}

std::int64_t arrival_us(nlohmann::json const& object) {
  // A year of milliseconds: far from what a product with 1,000 could not hold.
  constexpr std::uint64_t latest = 366ull * 24 * 3600 * 1000;
  auto const& field              = find(object, "timestamp");
  check_whole(field, "timestamp");
  if (!field.is_number_unsigned()) throw LineError("timestamp is negative");
  auto const milliseconds = field.get<std::uint64_t>();
  if (milliseconds > latest) throw LineError("timestamp is above " + std::to_string(latest));
  return static_cast<std::int64_t>(milliseconds) * 1000;
}

std::vector<std::uint64_t> block_ids(nlohmann::json const& object, std::uint32_t context) {
  auto const& field = find(object, "hash_ids");
  if (!field.is_array()) throw LineError("hash_ids is not a list");
  std::vector<std::uint64_t> ids;
  for (auto const& id : field) {
    check_whole(id, "an entry of hash_ids");
    if (!id.is_number_unsigned()) throw LineError("an entry of hash_ids is negative");
    ids.push_back(id.get<std::uint64_t>());
  }
  auto const expected = (context + block_tokens - 1) / block_tokens;
  if (ids.size() != expected) {
    throw LineError("hash_ids has " + std::to_string(ids.size()) + " entries, expected " +
                    std::to_string(expected) + " for " + std::to_string(context) + " tokens");
  }
  return ids;
}

Request parse(std::string_view line, TraceParts parts) {
  auto const object = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (object.is_discarded()) throw LineError("not valid JSON");
  if (!object.is_object()) throw LineError("not a JSON object");
  Request request{length(object, "input_length"), length(object, "output_length")};
  if (parts == TraceParts::all) {
    request.arrival_us = arrival_us(object);
    request.block_ids  = block_ids(object, request.context);
  }
  return request;
}

}  // namespace

TraceFormat const mooncake_jsonl{"Mooncake JSONL", "{\"timestamp\": …", false,
                                 [](std::string_view line) { return line.starts_with('{'); },
                                 parse};

}  // namespace example
