// The declarations of namespaces and classes, found in tokens: no compiler, but enough for headers
// in a uniform style.
#ifndef KOKKOSKV_TEST_AUDIT_DECLARATIONS_HPP
#define KOKKOSKV_TEST_AUDIT_DECLARATIONS_HPP

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "Tokens.hpp"

namespace KokkosKVTest {

inline bool is_one_of(Token const& token, std::initializer_list<std::string_view> list) {
  return std::any_of(list.begin(), list.end(), [&](auto text) { return token.is(text); });
}

/// Annotations of functions that run on devices.
inline bool is_function_annotation(Token const& token) {
  return is_one_of(token, {"KOKKOS_FUNCTION", "KOKKOS_INLINE_FUNCTION",
                           "KOKKOS_FORCEINLINE_FUNCTION", "KOKKOS_DEFAULTED_FUNCTION"});
}

/// The bracket that closes the one at `open`; the last token where none does.
inline std::size_t closing(std::vector<Token> const& tokens, std::size_t open) {
  int depth = 0;
  for (auto at = open; at < tokens.size(); ++at) {
    if (is_one_of(tokens[at], {"(", "[", "{"})) ++depth;
    if (is_one_of(tokens[at], {")", "]", "}"}) && --depth == 0) return at;
  }
  return tokens.size() - 1;
}

/// The '>' of a template list that begins at `open`; `open` itself where it is a comparison.
inline std::size_t closing_angle(std::vector<Token> const& tokens, std::size_t open) {
  int depth = 0;
  for (auto at = open; at < tokens.size(); ++at) {
    if (is_one_of(tokens[at], {"(", "[", "{"})) {
      at = closing(tokens, at);
    } else if (tokens[at].is("<")) {
      ++depth;
    } else if (tokens[at].is(">")) {
      if (--depth == 0) return at;
    } else if (is_one_of(tokens[at], {";", ")", "]", "}"})) {
      break;
    }
  }
  return open;
}

struct Declaration {
  enum class Kind { scope, type, function, variable };

  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  Kind kind = Kind::variable;
  std::string name;
  int line = 0;
  TokenRange head;  ///< all but the body
  TokenRange body;  ///< a constructor's includes the initialisers of members
  bool has_body      = false;
  std::size_t parent = none;  ///< class that it belongs to; none in namespaces
};

/// Lists declarations in the order in which they begin; those in functions are not looked for.
class DeclarationScanner {
 public:
  explicit DeclarationScanner(std::vector<Token> const& tokens) : m_tokens(tokens) {}

  std::vector<Declaration> declarations;

  void scan_scope(TokenRange range, std::size_t parent) {
    for (auto at = range.begin; at < range.end;) {
      bool const access = is_one_of(token(at), {"public", "protected", "private"});
      if (token(at).is(";") || token(at).is("}")) {
        ++at;
      } else if (access && token(at + 1).is(":")) {
        at += 2;
      } else {
        at = scan_one(at, range.end, parent);
      }
    }
  }

  /// Reads the declaration that begins at `begin`; returns where the next one does.
  std::size_t scan_one(std::size_t begin, std::size_t end, std::size_t parent) {
    Head head;
    for (auto at = begin; at < end; ++at) {
      auto const& here = token(at);
      if (here.is(";")) {
        finish({begin, at}, head, parent);
        return at + 1;
      }
      if (here.is("{")) {
        auto const close = closing(m_tokens, at);
        if (!opens_body(begin, at, head)) {
          head.initialised = true;
          at               = close;
          continue;
        }
        if (!head.type) {
          enter_body({begin, at}, {at + 1, close}, head, parent);
          return close + 1;
        }
        add({begin, at}, {at + 1, close}, Declaration::Kind::type, head.name, parent);
        if (!head.enumeration) scan_scope({at + 1, close}, declarations.size() - 1);
        head.type_ended = at;
        at              = close;
      } else {
        at = read_head(begin, at, head);
      }
    }
    return end;
  }

 private:
  /// What is known of a declaration so far.
  struct Head {
    bool scope = false, type = false, enumeration = false, function = false;
    bool initialised         = false;  ///< behind '=' or '{'
    std::size_t name         = 0;      ///< token of the name, of functions and types
    std::size_t initialisers = 0;      ///< ':' of a constructor
    std::size_t type_ended   = 0;
  };

  Token const& token(std::size_t at) const {
    static Token const nothing;
    return at < m_tokens.size() ? m_tokens[at] : nothing;
  }

  /// Takes in what stands at `at`; returns the last token that is done with.
  std::size_t read_head(std::size_t begin, std::size_t at, Head& head) const {
    auto const& here = token(at);
    if (head.type_ended != 0) return at;
    if (here.is("=") || head.initialised) {
      head.initialised = true;
      return is_one_of(here, {"(", "["}) ? closing(m_tokens, at) : at;
    }
    if (here.is("<")) return closing_angle(m_tokens, at);
    if (here.is("[")) return closing(m_tokens, at);
    if (here.is("operator") && !head.function) {
      auto open = at + 1;
      if (token(open).is("(")) open += 2;
      while (open < m_tokens.size() && !token(open).is("(")) ++open;
      head.function = true;
      head.name     = at;
      return closing(m_tokens, open);
    }
    if (here.is("requires") && token(at + 1).is("requires")) {
      auto open = at + 2;
      if (token(open).is("(")) open = closing(m_tokens, open) + 1;
      return closing(m_tokens, open);
    }
    if (is_one_of(here, {"requires", "alignas", "noexcept", "decltype", "explicit"}) &&
        token(at + 1).is("(")) {
      return closing(m_tokens, at + 1);
    }
    if (here.is("namespace")) head.scope = true;
    if (is_one_of(here, {"class", "struct", "union", "enum"}) && !head.function) {
      head.type        = true;
      head.enumeration = head.enumeration || here.is("enum");
    } else if (head.type && here.is_word() && head.name == 0 && !here.is("final")) {
      head.name = at;
    }
    if (here.is("(")) {
      if (is_parameter_list(begin, at, head)) {
        head.function = true;
        head.name     = at - 1;
      }
      return closing(m_tokens, at);
    }
    if (here.is(":") && head.function && head.initialisers == 0) {
      head.initialisers = at;
      return last_initialiser(at);
    }
    return at;
  }

  bool is_parameter_list(std::size_t begin, std::size_t open, Head const& head) const {
    if (head.type || head.function || open == begin) return false;
    auto const& first = token(open + 1);
    bool const value  = first.kind == Token::Kind::literal || first.kind == Token::Kind::number;
    bool const nested = first.is("*") || first.is("&");
    return (token(open - 1).is_word() || token(open - 1).is(">")) && !value && !nested;
  }

  /// From the ':' of a constructor to the last token of its last initialiser.
  std::size_t last_initialiser(std::size_t colon) const {
    auto at = colon + 1;
    while (at < m_tokens.size()) {
      while (at < m_tokens.size() && !is_one_of(token(at), {"(", "{"})) {
        at = token(at).is("<") ? closing_angle(m_tokens, at) + 1 : at + 1;
      }
      at = closing(m_tokens, at);
      if (token(at + 1).is("...")) ++at;
      if (!token(at + 1).is(",")) return at;
      at += 2;
    }
    return at;
  }

  bool opens_body(std::size_t begin, std::size_t at, Head const& head) const {
    if (head.initialised || head.type_ended != 0) return false;
    bool const linkage = token(begin).is("extern") && at == begin + 2;
    return head.scope || head.type || head.function || linkage;
  }

  void enter_body(TokenRange head_range, TokenRange body, Head const& head, std::size_t parent) {
    if (head.function) {
      if (head.initialisers != 0) body.begin = head.initialisers;
      add(head_range, body, Declaration::Kind::function, head.name, parent);
    } else {
      add(head_range, body, Declaration::Kind::scope, 0, parent);
      scan_scope(body, parent);
    }
  }

  /// A declaration without a body.
  void finish(TokenRange range, Head const& head, std::size_t parent) {
    auto first = range.begin;
    while (token(first).is("template") && token(first + 1).is("<")) {
      first = closing_angle(m_tokens, first + 1) + 1;
    }
    if (is_one_of(token(first), {"using", "typedef", "friend", "static_assert", "concept",
                                 "namespace", "template"})) {
      return;
    }
    if (head.function) {
      add(range, {}, Declaration::Kind::function, head.name, parent);
    } else if (!head.type) {
      add_variables(range, range.begin, parent);
    } else if (head.type_ended != 0) {
      add_variables(range, closing(m_tokens, head.type_ended) + 1, parent);
    }
  }

  /// Every declarator of a list; the first name is looked for from `at`.
  void add_variables(TokenRange range, std::size_t at, std::size_t parent) {
    std::size_t name = 0;
    bool value       = false;
    for (; at <= range.end; ++at) {
      auto const& here = token(at);
      if (at == range.end || (here.is(",") && name != 0)) {
        if (name != 0) add(range, {}, Declaration::Kind::variable, name, parent);
        name  = 0;
        value = false;
        continue;
      }
      if (here.is("(") && name != 0 && !value && is_one_of(token(at + 1), {"*", "&"})) {
        name  = at + 2;
        value = true;
      }
      if (is_one_of(here, {"=", "{", ":", "("})) value = true;
      if (here.is_word() && !value) name = at;
      if (is_one_of(here, {"(", "[", "{"})) at = closing(m_tokens, at);
      if (here.is("<")) at = closing_angle(m_tokens, at);
    }
  }

  void add(TokenRange head, TokenRange body, Declaration::Kind kind, std::size_t name,
           std::size_t parent) {
    bool const has_body = body.begin != 0;
    declarations.push_back({kind, name == 0 ? std::string() : token(name).text,
                            token(name == 0 ? head.begin : name).line, head, body, has_body,
                            parent});
  }

  std::vector<Token> const& m_tokens;
};

}  // namespace KokkosKVTest

#endif
