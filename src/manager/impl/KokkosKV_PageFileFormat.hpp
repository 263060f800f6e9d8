// The layout of a page file, and what is wrong with one that has it not.
#ifndef KOKKOSKV_PAGEFILEFORMAT_HPP
#define KOKKOSKV_PAGEFILEFORMAT_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <manager/KokkosKV_PageFile.hpp>
#include <manager/impl/KokkosKV_PageFileChecksum.hpp>
#include <manager/impl/KokkosKV_PageFileWords.hpp>

namespace KokkosKV::Impl {

/// Where the parts of a page file begin. Numbers have their lowest byte first; each part has a
/// checksum of its own, so that a scan need not read keys and values.
///
/// | at | bytes | what                                          |
/// |----|-------|-----------------------------------------------|
/// |  0 |     8 | magic number, reads `KKVPAGE` and a line feed |
/// |  8 |     4 | version of the layout                         |
/// | 12 |     4 | page size: tokens of a page                   |
/// | 16 |     8 | model tag                                     |
/// | 24 |    16 | key, lower half first                         |
/// | 40 |    16 | parent, lower half first                      |
/// | 56 |     8 | salt                                          |
/// | 64 |     8 | page bytes: bytes of keys and values          |
/// | 72 |     8 | checksum of the tokens                        |
/// | 80 |     8 | checksum of keys and values                   |
/// | 88 |     8 | checksum of the 88 bytes before it            |
/// | 96 |       | tokens, 4 bytes each                          |
/// |    |       | keys and values, as they lie in the pool      |
namespace PageFileLayout {
inline constexpr std::uint64_t magic   = 0x0A45474150564B4Bu;
inline constexpr std::uint32_t version = 1;

inline constexpr std::size_t at_version         = 8;
inline constexpr std::size_t at_page_size       = 12;
inline constexpr std::size_t at_model_tag       = 16;
inline constexpr std::size_t at_key             = 24;
inline constexpr std::size_t at_parent          = 40;
inline constexpr std::size_t at_salt            = 56;
inline constexpr std::size_t at_page_bytes      = 64;
inline constexpr std::size_t at_tokens_checksum = 72;
inline constexpr std::size_t at_bytes_checksum  = 80;
inline constexpr std::size_t at_checksum        = 88;
inline constexpr std::size_t at_tokens          = 96;

inline constexpr std::uint64_t header_seed = 1;
inline constexpr std::uint64_t tokens_seed = 2;
inline constexpr std::uint64_t bytes_seed  = 3;
}  // namespace PageFileLayout

/// All that a page file says before its keys and values.
struct PageFileHead {
  PageKey key;
  PageKey parent;
  std::uint64_t salt = 0;
  std::vector<std::uint32_t> tokens;
  std::uint64_t bytes_checksum = 0;
};

/// Why a file is refused.
struct PageFileFault {
  std::string reason;
  bool foreign = false;  ///< perhaps good for somebody else; the other ones are good for nobody
};

/// Bytes before keys and values.
inline std::size_t page_head_bytes(PageFileOptions const& options) {
  return PageFileLayout::at_tokens + sizeof(std::uint32_t) * std::size_t(options.page_size);
}

inline std::uint64_t page_file_bytes(PageFileOptions const& options) {
  return page_head_bytes(options) + options.page_bytes;
}

inline std::vector<std::byte> encode_page_head(StoredPage const& page,
                                               PageFileOptions const& options) {
  using namespace PageFileLayout;
  std::vector<std::byte> head(page_head_bytes(options));
  auto const put = [&](std::size_t at, auto word) { store_word(head.data() + at, word); };
  put(0, magic);
  put(at_version, version);
  put(at_page_size, options.page_size);
  put(at_model_tag, options.model_tag);
  put(at_key, page.key.low);
  put(at_key + 8, page.key.high);
  put(at_parent, page.parent.low);
  put(at_parent + 8, page.parent.high);
  put(at_salt, page.salt);
  put(at_page_bytes, options.page_bytes);
  for (std::size_t token = 0; token < page.tokens.size(); ++token) {
    put(at_tokens + sizeof(std::uint32_t) * token, page.tokens[token]);
  }
  std::span<std::byte const> const whole = head;
  put(at_tokens_checksum, page_checksum(whole.subspan(at_tokens), tokens_seed));
  put(at_bytes_checksum, page_checksum(page.bytes, bytes_seed));
  put(at_checksum, page_checksum(whole.first(at_checksum), header_seed));
  return head;
}

/// What is wrong with the first part of a file, which is of the same size for all pages.
/// \param head  as many bytes of it as there are, up to page_head_bytes()
/// \param key   what the file is named after
inline std::optional<PageFileFault> find_header_fault(std::span<std::byte const> head,
                                                      PageFileOptions const& options,
                                                      PageKey const& key) {
  using namespace PageFileLayout;
  auto const number  = [](auto value) { return std::to_string(value); };
  auto const word    = [&](std::size_t at) { return load_word<std::uint64_t>(head.data() + at); };
  auto const differs = [&](char const* what, std::uint64_t found, std::uint64_t expected) {
    return PageFileFault{
        std::string(what) + ": found " + number(found) + ", expected " + number(expected), true};
  };
  if (head.size() < at_tokens) {
    return PageFileFault{"the header is cut off after " + number(head.size()) + " bytes"};
  }
  if (word(0) != magic) return PageFileFault{"the file does not begin as page files do"};
  // Behind the number of another version nothing needs to lie where it does in this one.
  auto const its_version = load_word<std::uint32_t>(head.data() + at_version);
  if (its_version != version) return differs("version", its_version, version);
  if (word(at_checksum) != page_checksum(head.first(at_checksum), header_seed)) {
    return PageFileFault{"the header does not fit its checksum"};
  }
  if (word(at_model_tag) != options.model_tag) {
    return differs("model_tag", word(at_model_tag), options.model_tag);
  }
  auto const page_size = load_word<std::uint32_t>(head.data() + at_page_size);
  if (page_size != options.page_size) return differs("page_size", page_size, options.page_size);
  if (word(at_page_bytes) != options.page_bytes) {
    return differs("page_bytes", word(at_page_bytes), options.page_bytes);
  }
  PageKey const its_key{word(at_key), word(at_key + 8)};
  if (its_key != key) return PageFileFault{"the file holds another page: " + to_text(its_key)};
  return std::nullopt;
}

/// What is wrong with a file as far as it shows before keys and values.
/// \param size  of the whole file
/// \param to    gets what the head says if nothing is wrong
inline std::optional<PageFileFault> decode_page_head(std::span<std::byte const> head,
                                                     std::uint64_t size,
                                                     PageFileOptions const& options,
                                                     PageKey const& key, PageFileHead& to) {
  using namespace PageFileLayout;
  auto const word = [&](std::size_t at) { return load_word<std::uint64_t>(head.data() + at); };
  if (auto fault = find_header_fault(head, options, key)) return fault;
  if (size != page_file_bytes(options) || head.size() != page_head_bytes(options)) {
    return PageFileFault{"the file has " + std::to_string(size) + " bytes, expected " +
                         std::to_string(page_file_bytes(options))};
  }
  auto const tokens = head.subspan(at_tokens);
  if (word(at_tokens_checksum) != page_checksum(tokens, tokens_seed)) {
    return PageFileFault{"the tokens do not fit their checksum"};
  }
  to.key            = key;
  to.parent         = {word(at_parent), word(at_parent + 8)};
  to.salt           = word(at_salt);
  to.bytes_checksum = word(at_bytes_checksum);
  to.tokens.resize(options.page_size);
  for (std::size_t token = 0; token < to.tokens.size(); ++token) {
    to.tokens[token] = load_word<std::uint32_t>(tokens.data() + sizeof(std::uint32_t) * token);
  }
  return std::nullopt;
}

/// What is wrong with keys and values.
inline std::optional<PageFileFault> find_bytes_fault(std::span<std::byte const> bytes,
                                                     PageFileHead const& head) {
  if (page_checksum(bytes, PageFileLayout::bytes_seed) == head.bytes_checksum) return std::nullopt;
  return PageFileFault{"keys and values do not fit their checksum"};
}

}  // namespace KokkosKV::Impl

#endif
