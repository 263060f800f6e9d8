// prefetch(): asks for memory that will be needed soon.
#ifndef KOKKOSKV_IMPL_PREFETCH_HPP
#define KOKKOSKV_IMPL_PREFETCH_HPP

namespace KokkosKV::Impl {

/// Starts to bring the line of the processor's cache with this address; a hint, which any address
/// may be given.
inline void prefetch([[maybe_unused]] void const* address) {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(address);
#endif
}

}  // namespace KokkosKV::Impl

#endif
