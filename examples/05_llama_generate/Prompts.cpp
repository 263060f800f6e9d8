// Reads and encodes.
#include "Prompts.hpp"

#include <charconv>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include "common/UsageError.hpp"
#include "model/ModelConfig.hpp"

namespace llama_generate {
namespace {

std::vector<std::string> read_lines(std::string const& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (!line.empty()) lines.push_back(line);
  }
  if (!file.eof()) throw example::UsageError(path + ": cannot be read");
  if (lines.empty()) throw example::UsageError(path + ": no prompt in it");
  return lines;
}

std::vector<std::uint32_t> parse_tokens(std::string const& text) {
  std::vector<std::uint32_t> tokens;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    std::uint32_t token = 0;
    auto const end      = std::from_chars(word.data(), word.data() + word.size(), token);
    if (end.ec != std::errc() || end.ptr != word.data() + word.size()) {
      throw example::UsageError("--prompt-tokens: '" + word + "' is not a token id");
    }
    tokens.push_back(token);
  }
  return tokens;
}

}  // namespace

std::vector<Request> make_requests(Options const& options, Texts const& texts) {
  std::vector<Request> requests;
  auto const add = [&](std::vector<std::uint32_t> prompt) {
    auto sampling = options.sampling;
    sampling.seed += requests.size();
    requests.push_back({std::move(prompt), options.max_new_tokens, sampling});
  };
  for (auto const& text : options.prompts) add(texts.encode(text));
  for (auto const& tokens : options.prompt_tokens) add(parse_tokens(tokens));
  if (!options.prompt_file.empty()) {
    for (auto const& text : read_lines(options.prompt_file)) add(texts.encode(text));
  }
  if (requests.empty()) add({bos_token});
  return requests;
}

}  // namespace llama_generate
