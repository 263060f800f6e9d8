// The checksum of page files: CRC-64 with the polynomial of ECMA-182, as in the xz format.
#ifndef KOKKOSKV_PAGEFILECHECKSUM_HPP
#define KOKKOSKV_PAGEFILECHECKSUM_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <manager/impl/KokkosKV_PageFileWords.hpp>

namespace KokkosKV::Impl {

/// Entry [n][b]: what byte b does to the register when n bytes of zeros follow it.
using ChecksumTables = std::array<std::array<std::uint64_t, 256>, 8>;

constexpr ChecksumTables make_checksum_tables() {
  constexpr std::uint64_t polynomial = 0xC96C5795D7870F42u;
  ChecksumTables tables{};
  for (std::size_t byte = 0; byte < 256; ++byte) {
    std::uint64_t value = byte;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ (value & 1u ? polynomial : 0);
    tables[0][byte] = value;
  }
  for (std::size_t zeros = 1; zeros < tables.size(); ++zeros) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      auto const shorter  = tables[zeros - 1][byte];
      tables[zeros][byte] = (shorter >> 8) ^ tables[0][shorter & 255u];
    }
  }
  return tables;
}

inline constexpr ChecksumTables checksum_tables = make_checksum_tables();

/// Every change of one bit, or within 64 neighbouring bits, gives another checksum; of any other
/// change one in 2^64 is missed. Eight bytes a step: their table entries do not wait for each
/// other.
/// \param seed  0 for the CRC of the standard; each part of a file has its own, so that no part
///              passes for another
inline std::uint64_t page_checksum(std::span<std::byte const> bytes, std::uint64_t seed) {
  auto const& tables = checksum_tables;
  auto value         = ~seed;
  std::size_t at     = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    auto const word = value ^ load_word<std::uint64_t>(bytes.data() + at);
    value           = tables[7][word & 255u] ^ tables[6][(word >> 8) & 255u] ^
            tables[5][(word >> 16) & 255u] ^ tables[4][(word >> 24) & 255u] ^
            tables[3][(word >> 32) & 255u] ^ tables[2][(word >> 40) & 255u] ^
            tables[1][(word >> 48) & 255u] ^ tables[0][word >> 56];
  }
  for (; at < bytes.size(); ++at) {
    value = (value >> 8) ^ tables[0][(value ^ std::to_integer<std::uint64_t>(bytes[at])) & 255u];
  }
  return ~value;
}

}  // namespace KokkosKV::Impl

#endif
