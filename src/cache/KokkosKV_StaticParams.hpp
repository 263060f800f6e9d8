// What a paged cache fixes at compile time, and the value that stands for "no page" in a lookup
// table.
#ifndef KOKKOSKV_STATICPARAMS_HPP
#define KOKKOSKV_STATICPARAMS_HPP

#include <cstdint>

namespace KokkosKV {

/// Shape of one token's keys or values. A structural type, so that it can be a template argument:
/// `generic_get_paged_cache<KVCacheStaticParams{8, 128}, 16>(…)`.
struct KVCacheStaticParams {
  int num_heads;        ///< key/value heads (not query heads)
  int head_size;        ///< elements of one head
  bool is_mla = false;  ///< one latent per token that serves as key; there is no value cache

  /// Equal in every member.
  friend constexpr bool operator==(KVCacheStaticParams const&,
                                   KVCacheStaticParams const&) = default;
};

/// Lookup table entry that means "no page": loads through it give zeros, stores are dropped.
inline constexpr std::uint32_t null_page = 0xFFFFFFFFu;

}  // namespace KokkosKV

#endif
