// The chained hash by which full pages are found again: of the page before and of the token ids.
#ifndef KOKKOSKV_PAGEHASH_HPP
#define KOKKOSKV_PAGEHASH_HPP

#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <manager/KokkosKV_PageKey.hpp>

namespace KokkosKV {

/// What sequences must have in common, beside their tokens, to share pages: keys and values depend
/// on the adapter and on what stands behind placeholder tokens (images), and tenants may not learn
/// from timing what others have asked.
struct PrefixDomain {
  std::string tenant  = {};  ///< whose prompts they are
  std::string adapter = {};  ///< what changes the model's weights
  std::string content = {};  ///< what stands behind placeholders

  /// Orders by one part after the other.
  friend auto operator<=>(PrefixDomain const&, PrefixDomain const&) = default;
};

/// Key of a page: of `tokens` after the page with key `parent`. A hash may collide: whoever finds a
/// page by its key compares what is hashed.
using PageHashFunction = PageKey (*)(PageKey parent, std::span<std::uint32_t const> tokens);

namespace Impl {

/// Bijection that spreads every bit over the word (finalizer of MurmurHash3, Appleby, 2011).
inline std::uint64_t spread_bits(std::uint64_t word) {
  word = (word ^ (word >> 33)) * 0xFF51AFD7ED558CCDu;
  word = (word ^ (word >> 33)) * 0xC4CEB9FE1A85EC53u;
  return word ^ (word >> 33);
}

/// Absorbs words in four lanes, which a processor multiplies side by side.
class WordHash {
 public:
  explicit WordHash(PageKey seed)
      : m_lanes{seed.low, seed.high, seed.low ^ factors[0], seed.high ^ factors[1]} {}

  void add(std::uint64_t word) {
    auto& lane = m_lanes[m_count % m_lanes.size()];
    lane       = (std::rotl(lane, 29) ^ word) * factors[m_count % m_lanes.size()];
    ++m_count;
  }

  PageKey result() const {
    auto const joined = [&](std::size_t first) {
      auto sum = spread_bits(m_count + first);
      for (std::size_t i = 0; i < m_lanes.size(); ++i) {
        sum = spread_bits(sum ^ m_lanes[(first + i) % m_lanes.size()]);
      }
      return sum;
    };
    return {joined(0), joined(2)};
  }

 private:
  /// Odd, so that no multiplication loses bits.
  static constexpr std::array<std::uint64_t, 4> factors{0x9E3779B97F4A7C15u, 0xC2B2AE3D27D4EB4Fu,
                                                        0x165667B19E3779F9u, 0xD6E8FEB86659FD93u};
  std::array<std::uint64_t, 4> m_lanes;
  std::uint64_t m_count = 0;
};

}  // namespace Impl

/// The usual PageHashFunction: 128 bits, fast, not meant to withstand attackers.
inline PageKey hash_page(PageKey parent, std::span<std::uint32_t const> tokens) {
  Impl::WordHash hash(parent);
  std::size_t i = 0;
  for (; i + 1 < tokens.size(); i += 2) hash.add(tokens[i] | std::uint64_t(tokens[i + 1]) << 32);
  if (i < tokens.size()) hash.add(tokens[i] | std::uint64_t(1) << 63);
  return hash.result();
}

/// The key that stands before the first page of a domain.
inline PageKey hash_domain(PrefixDomain const& domain) {
  Impl::WordHash hash({0, 0});
  for (std::string_view const part :
       {std::string_view(domain.tenant), std::string_view(domain.adapter),
        std::string_view(domain.content)}) {
    // With its length, so that no part runs into the next.
    hash.add(part.size());
    for (char const c : part) hash.add(static_cast<unsigned char>(c));
  }
  return hash.result();
}

}  // namespace KokkosKV

#endif
