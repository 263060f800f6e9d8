// Encoding by merges, decoding with raw bytes, and what vocabulary files are refused.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "ModelData.hpp"
#include "model/Tokenizer.hpp"

namespace llama_generate {
namespace {

using Tokens = std::vector<std::uint32_t>;
using test::refusal;

/// Unknown, BOS, EOS, the bytes, and then 259 on: pieces.
std::vector<Tokenizer::Piece> pieces() {
  std::vector<Tokenizer::Piece> result{{"<unk>", 0}, {"<s>", 0}, {"</s>", 0}};
  for (int byte = 0; byte < 256; ++byte) {
    char name[8];
    std::snprintf(name, sizeof name, "<0x%02X>", static_cast<unsigned>(byte));
    result.push_back({name, 0});
  }
  for (auto const& piece : std::vector<Tokenizer::Piece>{{" ", -9},
                                                         {"a", -8},
                                                         {"b", -7},
                                                         {"ab", -2},
                                                         {"ba", -1},
                                                         {"aba", -3},
                                                         {" a", -5},
                                                         {"é", -6}}) {
    result.push_back(piece);
  }
  return result;
}
constexpr std::uint32_t blank = 259, a = 260, b = 261, ab = 262, ba = 263, aba = 264, blank_a = 265,
                        e_acute = 266;
constexpr std::uint32_t byte(unsigned value) { return 3 + value; }

TEST(Tokenizer, begins_with_bos_and_a_blank) {
  Tokenizer const tokenizer(pieces());
  EXPECT_EQ(tokenizer.encode(""), Tokens({1}));
  EXPECT_EQ(tokenizer.encode("b"), Tokens({1, blank, b}));
  EXPECT_EQ(tokenizer.encode("a"), Tokens({1, blank_a}));
}

TEST(Tokenizer, merges_the_highest_score_first) {
  Tokenizer const tokenizer(pieces());
  // "ba" goes before "ab", and then "aba" before " a".
  EXPECT_EQ(tokenizer.encode("aba"), Tokens({1, blank, aba}));
  EXPECT_EQ(tokenizer.encode("aab"), Tokens({1, blank_a, ab}));
  // Of equal pairs the first one: b, ba, ba and not ba, b, ba.
  EXPECT_EQ(tokenizer.encode("bab"), Tokens({1, blank, ba, b}));
  EXPECT_EQ(tokenizer.encode("bb"), Tokens({1, blank, b, b}));
}

TEST(Tokenizer, unknown_characters_become_bytes) {
  Tokenizer const tokenizer(pieces());
  EXPECT_EQ(tokenizer.encode("é"), Tokens({1, blank, e_acute}));
  EXPECT_EQ(tokenizer.encode("€b"), Tokens({1, blank, byte(0xE2), byte(0x82), byte(0xAC), b}));
  // Half a character, and a stray byte.
  EXPECT_EQ(tokenizer.encode("\xE2\x82"), Tokens({1, blank, byte(0xE2), byte(0x82)}));
  EXPECT_EQ(tokenizer.encode("\xAC\n"), Tokens({1, blank, byte(0xAC), byte('\n')}));
}

TEST(Tokenizer, bytes_that_are_not_in_the_vocabulary) {
  Tokenizer const tokenizer({{"<unk>", 0}, {"<s>", 0}, {"</s>", 0}, {" ", 0}, {"a", 0}});
  EXPECT_EQ(tokenizer.encode("a"), Tokens({1, 3, 4}));
  EXPECT_EQ(refusal([&] { tokenizer.encode("aé"); }),
            "tokenizer: byte 0xC3 of 'é' is not in the vocabulary");
  EXPECT_EQ(refusal([] { Tokenizer({}); }), "tokenizer: no pieces");
}

TEST(Tokenizer, decodes_raw_bytes_and_drops_the_blank_after_bos) {
  Tokenizer const tokenizer(pieces());
  EXPECT_EQ(tokenizer.decode(Tokens{1, blank_a, blank_a, byte(0xE2), byte(0x82), byte(0xAC), aba}),
            "a a€aba");
  EXPECT_EQ(tokenizer.decode(Tokens{1, b, 2, 1, ab}), "bab");
  EXPECT_EQ(tokenizer.decode(1, blank), "");
  EXPECT_EQ(tokenizer.decode(a, blank), " ");
  EXPECT_EQ(refusal([&] { tokenizer.decode(1, 267); }),
            "tokenizer: token 267 is not in the vocabulary of 267");
}

/// A file with three pieces.
class TokenizerFile : public testing::Test {
 protected:
  void SetUp() override {
    m_path = testing::TempDir() + "llama_" +
             testing::UnitTest::GetInstance()->current_test_info()->name() + ".tok";
    put<std::int32_t>(4);
    for (std::string const text : {"ab", "", "cdef"}) {
      put(1.5f);
      put(static_cast<std::int32_t>(text.size()));
      m_bytes += text;
    }
  }
  void TearDown() override { std::filesystem::remove(m_path); }

  template <class T>
  void put(T value) {
    m_bytes.append(reinterpret_cast<char const*>(&value), sizeof value);
  }
  std::string refuse(std::string const& bytes, std::uint32_t vocab_size) {
    std::ofstream(m_path, std::ios::binary) << bytes;
    auto const message = refusal([&] { read_tokenizer(m_path, vocab_size); });
    return message.starts_with(m_path + ": ") ? message.substr(m_path.size() + 2) : message;
  }

  std::string m_path, m_bytes;
};

TEST_F(TokenizerFile, must_have_as_many_pieces_as_the_model) {
  EXPECT_EQ(refuse(m_bytes, 3), "accepted");
  EXPECT_EQ(read_tokenizer(m_path, 3).decode(0, 2), "cdef");
  EXPECT_EQ(refuse(m_bytes, 2), "has more pieces than the model's 2");
  EXPECT_EQ(refuse(m_bytes, 4), "ends, or is damaged, at piece 3 of the model's 4");
  EXPECT_EQ(refuse(m_bytes.substr(0, m_bytes.size() - 1), 3),
            "ends, or is damaged, at piece 2 of the model's 3");
  EXPECT_EQ(refuse("", 3), "cannot be read");
  std::string damaged = m_bytes;
  damaged[8]          = '\x7F';
  EXPECT_EQ(refuse(damaged, 3), "ends, or is damaged, at piece 0 of the model's 3");
}

TEST_F(TokenizerFile, that_is_missing) {
  EXPECT_EQ(refusal([] { read_tokenizer("/no/such/file", 3); }), "/no/such/file: cannot be read");
}

class RealTokenizer : public test::WithModel {};

TEST_F(RealTokenizer, knows_the_published_text) {
  auto const tokenizer = read_tokenizer(test::data_path("tok512.bin"), 512);
  auto const reference = test::read_reference();
  EXPECT_EQ(tokenizer.decode(reference.tokens), reference.text);
  EXPECT_EQ(tokenizer.encode("Once upon a time"), Tokens({1, 403, 407, 261, 378}));
}

TEST_F(RealTokenizer, gives_back_what_it_got) {
  auto const tokenizer = read_tokenizer(test::data_path("tok512.bin"), 512);
  for (std::string const text :
       {"Zoë said: \"3 × 4 = 12\"\n\tand\r\n😀.", " two  blanks", "<0x0A>"}) {
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
  }
}

}  // namespace
}  // namespace llama_generate
