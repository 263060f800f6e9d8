// The names of page files.
#ifndef KOKKOSKV_PAGEFILENAME_HPP
#define KOKKOSKV_PAGEFILENAME_HPP

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <manager/KokkosKV_PageKey.hpp>

namespace KokkosKV::Impl {

/// `TAG-KEY.page`, with 16 and 32 hexadecimal digits. The tag is part of it so that models that
/// share a folder do not replace each other's pages of the same text.
struct PageFileName {
  static constexpr std::string_view page_suffix    = ".page";
  static constexpr std::string_view partial_suffix = ".page.partial";

  std::uint64_t model_tag = 0;
  PageKey key;
  bool partial = false;  ///< not yet whole: it gets the other suffix when it is

  std::string text() const {
    auto const tag = to_text(PageKey{model_tag, 0}).substr(16);
    return tag + '-' + to_text(key) + std::string(partial ? partial_suffix : page_suffix);
  }

  /// Nothing for files that are not ours.
  static std::optional<PageFileName> parse(std::string_view text) {
    constexpr std::size_t digits = 16 + 1 + 32;
    if (text.size() <= digits) return std::nullopt;
    PageFileName name;
    name.partial      = text.substr(digits) == partial_suffix;
    auto const number = [&](std::size_t first, std::uint64_t& to) {
      std::from_chars(text.data() + first, text.data() + first + 16, to, 16);
    };
    number(0, name.model_tag);
    number(17, name.key.high);
    number(33, name.key.low);
    // Only what would be written like this is ours: no other letters, separators or suffixes.
    return name.text() == text ? std::optional(name) : std::nullopt;
  }
};

}  // namespace KokkosKV::Impl

#endif
