// A header as the rules see it: tokens with line numbers, declarations, bodies of device code.
#ifndef KOKKOSKV_TEST_AUDIT_SOURCETEXT_HPP
#define KOKKOSKV_TEST_AUDIT_SOURCETEXT_HPP

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "Declarations.hpp"

namespace KokkosKVTest {

/// Code that runs on devices: the body of an annotated function, or of KOKKOS_LAMBDA.
struct DeviceBody {
  TokenRange head;
  TokenRange body;
  std::size_t parent = Declaration::none;  ///< class that it belongs to
};

struct Lambda {
  TokenRange captures;
  TokenRange body;
};

class SourceText {
 public:
  /// \param path  as it is printed, relative to the repository
  SourceText(std::string path, std::string const& text) : m_path(std::move(path)) {
    Tokenizer tokenizer(text);
    m_tokens     = std::move(tokenizer.tokens);
    m_directives = std::move(tokenizer.directives);
    DeclarationScanner scanner(m_tokens);
    scanner.scan_scope({0, m_tokens.size()}, Declaration::none);
    m_declarations = std::move(scanner.declarations);
    find_device_bodies();
  }

  static SourceText read(std::filesystem::path const& root, std::filesystem::path const& file) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) throw std::runtime_error("cannot read " + file.string());
    std::stringstream text;
    text << stream.rdbuf();
    return {file.lexically_relative(root).generic_string(), text.str()};
  }

  std::string const& path() const { return m_path; }
  std::vector<Token> const& tokens() const { return m_tokens; }
  std::vector<Directive> const& directives() const { return m_directives; }
  std::vector<Declaration> const& declarations() const { return m_declarations; }
  std::vector<DeviceBody> const& device_bodies() const { return m_device_bodies; }

  /// The token at a place; an empty one outside the file.
  Token const& token(std::size_t at) const {
    static Token const nothing;
    return at < m_tokens.size() ? m_tokens[at] : nothing;
  }
  /// The token some places before another.
  Token const& before(std::size_t at, std::size_t distance = 1) const {
    return token(at >= distance ? at - distance : m_tokens.size());
  }

  bool has(TokenRange range, std::string_view text) const {
    for (auto at = range.begin; at < range.end; ++at) {
      if (m_tokens[at].is(text)) return true;
    }
    return false;
  }

  /// Whether a declaration is a function of device code.
  bool is_annotated(Declaration const& declaration) const {
    auto const at = [&](std::size_t number) {
      return m_tokens.begin() + static_cast<std::ptrdiff_t>(number);
    };
    return declaration.kind == Declaration::Kind::function &&
           std::any_of(at(declaration.head.begin), at(declaration.head.end),
                       is_function_annotation);
  }

  /// All lambdas with captures that begin in a range.
  std::vector<Lambda> lambdas(TokenRange range) const {
    std::vector<Lambda> result;
    for (auto at = range.begin; at < range.end; ++at) {
      if (!begins_lambda(at)) continue;
      auto const close = closing(m_tokens, at);
      result.push_back({{at + 1, close}, function_body(close + 1)});
    }
    return result;
  }

 private:
  /// Tells a lambda from subscripts, arrays, attributes and structured bindings.
  bool begins_lambda(std::size_t at) const {
    if (!token(at).is("[") || token(at + 1).is("[")) return false;
    auto const& last = before(at);
    if (last.is_word()) return is_one_of(last, {"return", "co_return", "else", "do", "throw"});
    if (last.kind != Token::Kind::punctuation) return false;
    if (last.is("&") || last.is("&&")) return !is_one_of(before(at, 2), {"auto", "const"});
    return !is_one_of(last, {")", "]", ">", "*", "[", "..."});
  }

  /// The braces behind parameters and whatever follows them.
  TokenRange function_body(std::size_t at) const {
    while (at < m_tokens.size() && !is_one_of(token(at), {"{", ";"})) {
      if (is_one_of(token(at), {"(", "["})) at = closing(m_tokens, at);
      if (token(at).is("<")) at = closing_angle(m_tokens, at);
      ++at;
    }
    return token(at).is("{") ? TokenRange{at + 1, closing(m_tokens, at)} : TokenRange{};
  }

  void find_device_bodies() {
    std::vector<bool> known(m_tokens.size());
    add_annotated(m_declarations, known);
    // Classes within functions.
    for (std::size_t at = 0; at < m_tokens.size(); ++at) {
      if (is_function_annotation(m_tokens[at]) && !known[at]) {
        DeclarationScanner scanner(m_tokens);
        scanner.scan_one(at, m_tokens.size(), Declaration::none);
        add_annotated(scanner.declarations, known);
      }
      if (is_one_of(m_tokens[at], {"KOKKOS_LAMBDA", "KOKKOS_CLASS_LAMBDA"})) {
        m_device_bodies.push_back({{at, at}, function_body(at + 1), Declaration::none});
      }
    }
  }

  void add_annotated(std::vector<Declaration> const& declarations, std::vector<bool>& known) {
    for (auto const& declaration : declarations) {
      if (declaration.kind != Declaration::Kind::function) continue;
      bool annotated = false;
      for (auto at = declaration.head.begin; at < declaration.head.end; ++at) {
        if (!is_function_annotation(m_tokens[at])) continue;
        known[at] = true;
        annotated = true;
      }
      if (annotated && declaration.has_body) {
        m_device_bodies.push_back({declaration.head, declaration.body, declaration.parent});
      }
    }
  }

  std::string m_path;
  std::vector<Token> m_tokens;
  std::vector<Directive> m_directives;
  std::vector<Declaration> m_declarations;
  std::vector<DeviceBody> m_device_bodies;
};

}  // namespace KokkosKVTest

#endif
