// C++ source as tokens: comments are gone, literals are tokens of their own, directives lie apart.
#ifndef KOKKOSKV_TEST_AUDIT_TOKENS_HPP
#define KOKKOSKV_TEST_AUDIT_TOKENS_HPP

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace KokkosKVTest {

/// Literals keep their text, quotes included.
struct Token {
  enum class Kind { word, number, literal, punctuation };

  Kind kind = Kind::punctuation;
  std::string text;
  int line = 0;

  bool is(std::string_view wanted) const { return kind != Kind::literal && text == wanted; }
  bool is_word() const { return kind == Kind::word; }
};

/// A preprocessor line with its continuations; tokens begin behind the '#'.
struct Directive {
  std::vector<Token> tokens;
  int line = 0;
};

/// Half-open range of token numbers.
struct TokenRange {
  std::size_t begin = 0;
  std::size_t end   = 0;

  bool empty() const { return begin == end; }
  bool contains(std::size_t at) const { return begin <= at && at < end; }
};

/// Cuts a text into tokens and directives.
class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : m_text(text) { run(); }

  std::vector<Token> tokens;
  std::vector<Directive> directives;

 private:
  char peek(std::size_t ahead = 0) const {
    return m_at + ahead < m_text.size() ? m_text[m_at + ahead] : '\0';
  }
  bool starts(std::string_view prefix) const { return m_text.substr(m_at).starts_with(prefix); }
  static bool is_letter(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
  }
  static bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

  void run() {
    bool line_begins = true;
    while (m_at < m_text.size()) {
      if (starts("\\\n")) {
        take(2);
      } else if (peek() == '\n') {
        take(1);
        line_begins = true;
        m_directive = false;
      } else if (std::isspace(static_cast<unsigned char>(peek())) != 0) {
        take(1);
      } else if (starts("//")) {
        while (m_at < m_text.size() && peek() != '\n') take(starts("\\\n") ? 2 : 1);
      } else if (starts("/*")) {
        auto const end = m_text.find("*/", m_at + 2);
        take(end == std::string_view::npos ? m_text.size() - m_at : end + 2 - m_at);
      } else if (line_begins && peek() == '#') {
        directives.push_back({{}, m_line});
        m_directive = true;
        line_begins = false;
        take(1);
      } else {
        line_begins = false;
        read_token();
      }
    }
  }

  void read_token() {
    std::size_t length = 1;
    if (is_letter(peek())) {
      while (is_letter(peek(length)) || is_digit(peek(length))) ++length;
      auto const word = m_text.substr(m_at, length);
      if (peek(length) == '"' && (word == "R" || word == "u8R" || word == "LR")) {
        read_raw_literal(length);
      } else if ((peek(length) == '"' || peek(length) == '\'') &&
                 (word == "u8" || word == "u" || word == "U" || word == "L")) {
        read_literal(length);
      } else {
        push(Token::Kind::word, length);
      }
    } else if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) {
      push(Token::Kind::number, number_length());
    } else if (peek() == '"' || peek() == '\'') {
      read_literal(0);
    } else {
      push(Token::Kind::punctuation, punctuation_length());
    }
  }

  std::size_t number_length() const {
    std::size_t length = 1;
    for (;; ++length) {
      char const c = peek(length), before = peek(length - 1);
      bool const sign =
          (c == '+' || c == '-') &&
          (before == 'p' || before == 'P' || ((before == 'e' || before == 'E') && peek(1) != 'x'));
      bool const splitter =
          c == '\'' && (is_letter(peek(length + 1)) || is_digit(peek(length + 1)));
      if (!is_letter(c) && !is_digit(c) && c != '.' && !sign && !splitter) return length;
    }
  }

  /// '>>' stays two tokens, since it may end two template lists.
  std::size_t punctuation_length() const {
    static constexpr std::array<std::string_view, 25> longer = {
        "<=>", "<<=", "...", "->*", "::", "->", "<<", "<=", ">=", "==", "!=", "&&", "||",
        "+=",  "-=",  "*=",  "/=",  "%=", "&=", "|=", "^=", "++", "--", ".*", "##"};
    auto const found = std::find_if(longer.begin(), longer.end(),
                                    [&](std::string_view candidate) { return starts(candidate); });
    return found == longer.end() ? 1 : found->size();
  }

  /// A literal whose prefix has some characters.
  void read_literal(std::size_t prefix) {
    char const quote   = peek(prefix);
    std::size_t length = prefix + 1;
    while (m_at + length < m_text.size() && peek(length) != quote && peek(length) != '\n') {
      length += peek(length) == '\\' ? 2 : 1;
    }
    push(Token::Kind::literal, std::min(length + 1, m_text.size() - m_at));
  }

  void read_raw_literal(std::size_t prefix) {
    auto const open      = m_text.find('(', m_at);
    auto const delimiter = std::string(m_text.substr(m_at + prefix + 1, open - m_at - prefix - 1));
    auto const end       = m_text.find(")" + delimiter + "\"", m_at);
    push(Token::Kind::literal,
         end == std::string_view::npos ? m_text.size() - m_at : end + delimiter.size() + 2 - m_at);
  }

  void push(Token::Kind kind, std::size_t length) {
    auto& list = m_directive ? directives.back().tokens : tokens;
    list.push_back({kind, std::string(m_text.substr(m_at, length)), m_line});
    take(length);
  }

  void take(std::size_t length) {
    auto const taken = m_text.substr(m_at, length);
    m_line += static_cast<int>(std::count(taken.begin(), taken.end(), '\n'));
    m_at += length;
  }

  std::string_view m_text;
  std::size_t m_at = 0;
  int m_line       = 1;
  bool m_directive = false;
};

}  // namespace KokkosKVTest

#endif
