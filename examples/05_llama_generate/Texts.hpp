// Texts as the user sees them: in words, or as token ids where there is no vocabulary.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/UsageError.hpp"
#include "model/Tokenizer.hpp"

namespace llama_generate {

class Texts {
 public:
  /// Token ids.
  Texts() = default;
  /// Words.
  explicit Texts(Tokenizer tokenizer) : m_tokenizer(std::move(tokenizer)) {}

  /// \throws UsageError  there is no vocabulary, or a byte of the text is not in it
  std::vector<std::uint32_t> encode(std::string const& text) const {
    if (!m_tokenizer) {
      throw example::UsageError("'" + text + "': texts need a --tokenizer, else give token ids");
    }
    return m_tokenizer->encode(text);
  }

  /// What a token adds to a text.
  std::string decode(std::uint32_t previous, std::uint32_t token) const {
    return m_tokenizer ? m_tokenizer->decode(previous, token) : " " + std::to_string(token);
  }

  /// A whole text.
  std::string decode(std::span<std::uint32_t const> tokens) const {
    if (m_tokenizer) return m_tokenizer->decode(tokens);
    std::string text;
    for (auto const token : tokens) text += (text.empty() ? "" : " ") + std::to_string(token);
    return text;
  }

 private:
  std::optional<Tokenizer> m_tokenizer;
};

}  // namespace llama_generate
