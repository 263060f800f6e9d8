// PageKey: the 128-bit hash that names the contents of a page.
#ifndef KOKKOSKV_PAGEKEY_HPP
#define KOKKOSKV_PAGEKEY_HPP

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace KokkosKV {

/// Hash of a page's tokens and of all tokens before them. All zeros means 'no page'.
struct PageKey {
  std::uint64_t low  = 0;  ///< the lower 64 bits
  std::uint64_t high = 0;  ///< the upper 64 bits

  /// Equal keys name equal pages.
  friend constexpr bool operator==(PageKey const&, PageKey const&) = default;
  /// Some total order, for sorted containers.
  friend constexpr std::strong_ordering operator<=>(PageKey const&, PageKey const&) = default;
};

/// The key of no page: the parent of a first page.
inline constexpr PageKey null_page_key{};

/// The key as 32 hexadecimal digits in lower case, the upper 64 bits first.
inline std::string to_text(PageKey const& key) {
  auto const digit = [](std::uint64_t value) { return "0123456789abcdef"[value & 15u]; };
  std::string text(32, '0');
  for (std::size_t at = 0; at < 16; ++at) {
    text[15 - at] = digit(key.high >> (4 * at));
    text[31 - at] = digit(key.low >> (4 * at));
  }
  return text;
}

}  // namespace KokkosKV

/// \cond
/// Keys are hashes already: their halves need no more mixing.
template <>
struct std::hash<KokkosKV::PageKey> {
  /// The hash for unordered containers.
  std::size_t operator()(KokkosKV::PageKey const& key) const noexcept {
    return static_cast<std::size_t>(key.low ^ key.high);
  }
};
/// \endcond

#endif
