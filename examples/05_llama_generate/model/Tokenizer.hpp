// From text to token ids and back, with the vocabulary file of llama2.c.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace llama_generate {

/// Byte-pair encoding with scores, as SentencePiece has it: pieces are merged in the order of the
/// scores of what they become.
class Tokenizer {
 public:
  struct Piece {
    std::string text;
    float score;  ///< the highest is merged first
  };

  /// \throws UsageError  no pieces
  explicit Tokenizer(std::vector<Piece> pieces);

  /// Token ids of a text, BOS first. A text that is not empty gets a blank before it.
  /// \throws UsageError  a byte of the text is not in the vocabulary
  std::vector<std::uint32_t> encode(std::string_view text) const;

  /// What a token adds to a text.
  /// \param previous  the token before it: after BOS a leading blank is dropped
  /// \throws UsageError  the token is not in the vocabulary
  std::string decode(std::uint32_t previous, std::uint32_t token) const;

  /// The text of a sequence that begins with BOS. What only marks begin and end is left out.
  /// \throws UsageError  a token is not in the vocabulary
  std::string decode(std::span<std::uint32_t const> tokens) const;

  std::size_t vocab_size() const { return m_pieces.size(); }

 private:
  std::vector<std::uint32_t> split(std::string_view text) const;
  void merge(std::vector<std::uint32_t>& tokens) const;

  std::vector<Piece> m_pieces;
  std::unordered_map<std::string, std::uint32_t> m_ids;
};

/// Reads a vocabulary.
/// \param vocab_size  that of the model
/// \throws UsageError  the file cannot be read, or has not so many pieces
Tokenizer read_tokenizer(std::string const& path, std::uint32_t vocab_size);

}  // namespace llama_generate
