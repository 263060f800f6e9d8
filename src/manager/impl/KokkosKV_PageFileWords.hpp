// Words in bytes, the lowest byte first on every machine.
#ifndef KOKKOSKV_PAGEFILEWORDS_HPP
#define KOKKOSKV_PAGEFILEWORDS_HPP

#include <concepts>
#include <cstddef>

namespace KokkosKV::Impl {

/// Compilers make one load of it.
template <std::unsigned_integral Word>
constexpr Word load_word(std::byte const* from) {
  Word word = 0;
  for (std::size_t at = 0; at < sizeof(Word); ++at) {
    word |= static_cast<Word>(std::to_integer<Word>(from[at]) << (8 * at));
  }
  return word;
}

template <std::unsigned_integral Word>
constexpr void store_word(std::byte* to, Word word) {
  for (std::size_t at = 0; at < sizeof(Word); ++at) {
    to[at] = static_cast<std::byte>((word >> (8 * at)) & 255u);
  }
}

}  // namespace KokkosKV::Impl

#endif
