// The pieces <0x00> to <0xFF> follow unknown, BOS and EOS, and stand for single bytes.
#include "model/Tokenizer.hpp"

#include <charconv>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "common/Text.hpp"
#include "common/UsageError.hpp"
#include "model/ModelConfig.hpp"

namespace llama_generate {
namespace {

constexpr std::uint32_t first_byte_token = 3;

/// Bytes of the character that begins with `lead`; a stray byte is one of its own.
std::size_t character_length(char lead) {
  auto const bits = static_cast<unsigned char>(lead);
  if (bits >= 0xF0) return 4;
  if (bits >= 0xE0) return 3;
  return bits >= 0xC0 ? 2 : 1;
}

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// The byte that a piece such as <0x0A> stands for.
std::optional<char> raw_byte(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || piece.back() != '>') return std::nullopt;
  unsigned value    = 0;
  auto const digits = piece.substr(3, 2);
  auto const end    = std::from_chars(digits.data(), digits.data() + 2, value, 16);
  if (end.ptr != digits.data() + 2) return std::nullopt;
  return static_cast<char>(value);
}

}  // namespace

Tokenizer::Tokenizer(std::vector<Piece> pieces) : m_pieces(std::move(pieces)) {
  if (m_pieces.empty()) throw example::UsageError("tokenizer: no pieces");
  for (std::uint32_t id = 0; id < m_pieces.size(); ++id) m_ids.emplace(m_pieces[id].text, id);
}

std::vector<std::uint32_t> Tokenizer::encode(std::string_view text) const {
  std::vector<std::uint32_t> tokens;
  if (!text.empty()) tokens = split(" " + std::string(text));
  merge(tokens);
  tokens.insert(tokens.begin(), bos_token);
  return tokens;
}

/// Characters, or their bytes where a character is not in the vocabulary.
std::vector<std::uint32_t> Tokenizer::split(std::string_view text) const {
  std::vector<std::uint32_t> tokens;
  while (!text.empty()) {
    std::size_t length = 1;
    auto const longest = character_length(text[0]);
    while (length < longest && length < text.size() && continues_character(text[length])) ++length;
    std::string const character(text.substr(0, length));
    text.remove_prefix(length);
    if (auto const known = m_ids.find(character); known != m_ids.end()) {
      tokens.push_back(known->second);
      continue;
    }
    for (char const byte : character) {
      auto const value = static_cast<unsigned char>(byte);
      auto const id    = first_byte_token + value;
      if (id >= m_pieces.size() || raw_byte(m_pieces[id].text) != byte) {
        throw example::UsageError("tokenizer: byte " + example::format("0x%02X", value) + " of '" +
                                  character + "' is not in the vocabulary");
      }
      tokens.push_back(id);
    }
  }
  return tokens;
}

/// Merges the pair whose piece has the highest score, the first of them where several have it, as
/// long as there is one.
void Tokenizer::merge(std::vector<std::uint32_t>& tokens) const {
  while (true) {
    float best_score       = -std::numeric_limits<float>::infinity();
    std::size_t best_place = 0;
    std::uint32_t best_id  = 0;
    bool found             = false;
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      auto const pair = m_ids.find(m_pieces[tokens[i]].text + m_pieces[tokens[i + 1]].text);
      if (pair == m_ids.end()) continue;
      auto const score = m_pieces[pair->second].score;
      if (found && !(score > best_score)) continue;
      found      = true;
      best_score = score;
      best_place = i;
      best_id    = pair->second;
    }
    if (!found) return;
    tokens[best_place] = best_id;
    tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(best_place) + 1);
  }
}

std::string Tokenizer::decode(std::uint32_t previous, std::uint32_t token) const {
  if (token >= m_pieces.size()) {
    throw example::UsageError("tokenizer: token " + std::to_string(token) +
                              " is not in the vocabulary of " + std::to_string(m_pieces.size()));
  }
  std::string_view piece = m_pieces[token].text;
  if (auto const byte = raw_byte(piece)) return std::string(1, *byte);
  if (previous == bos_token && piece.starts_with(' ')) piece.remove_prefix(1);
  return std::string(piece);
}

std::string Tokenizer::decode(std::span<std::uint32_t const> tokens) const {
  std::string text;
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    if (tokens[i] == bos_token || tokens[i] == eos_token) continue;
    text += decode(tokens[i - 1], tokens[i]);
  }
  return text;
}

Tokenizer read_tokenizer(std::string const& path, std::uint32_t vocab_size) {
  auto const refuse = [&](std::string const& why) { throw example::UsageError(path + ": " + why); };
  std::ifstream file(path, std::ios::binary);
  auto const read = [&](auto& number) {
    return bool(file.read(reinterpret_cast<char*>(&number), sizeof number));
  };
  std::int32_t longest = 0;
  if (!read(longest)) refuse("cannot be read");
  std::vector<Tokenizer::Piece> pieces(vocab_size);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    std::int32_t length = 0;
    bool is_good        = read(pieces[i].score) && read(length) && length >= 0 && length <= longest;
    if (is_good) {
      pieces[i].text.resize(static_cast<std::size_t>(length));
      is_good = bool(file.read(pieces[i].text.data(), length));
    }
    if (!is_good) {
      refuse("ends, or is damaged, at piece " + std::to_string(i) + " of the model's " +
             std::to_string(vocab_size));
    }
  }
  if (file.peek() != std::ifstream::traits_type::eof()) {
    refuse("has more pieces than the model's " + std::to_string(vocab_size));
  }
  return Tokenizer(std::move(pieces));
}

}  // namespace llama_generate
