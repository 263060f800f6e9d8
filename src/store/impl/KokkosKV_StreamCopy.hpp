// Bulk copy on hosts that bypasses the caches: the one place with instructions of a processor
// family.
#ifndef KOKKOSKV_IMPL_STREAMCOPY_HPP
#define KOKKOSKV_IMPL_STREAMCOPY_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__) && !defined(__CUDA_ARCH__) && !defined(__HIP_DEVICE_COMPILE__) && \
    !defined(__SYCL_DEVICE_ONLY__)
#define KOKKOSKV_IMPL_STREAMING_STORES
#include <emmintrin.h>
#endif

namespace KokkosKV::Impl {

/// Copies of at least this many bytes in one call bypass the caches: their target would displace
/// what the caches hold, and an ordinary store reads each line before it writes it.
inline constexpr std::size_t streaming_threshold = std::size_t(8) << 20;

#ifdef KOKKOSKV_IMPL_STREAMING_STORES

inline constexpr std::size_t cache_line   = 64;
inline constexpr std::size_t small_page   = 4096;
inline constexpr std::size_t stream_lanes = 4;

inline void stream_line(char* target, char const* source) {
  __m128i words[4];
  for (int i = 0; i < 4; ++i) {
    words[i] = _mm_loadu_si128(reinterpret_cast<__m128i const*>(source) + i);
  }
  for (int i = 0; i < 4; ++i) _mm_stream_si128(reinterpret_cast<__m128i*>(target) + i, words[i]);
}

/// Copies with streaming stores; not ordered with later stores before stream_fence().
inline void stream_copy(void* target, void const* source, std::size_t bytes) {
  auto* to         = static_cast<char*>(target);
  auto const* from = static_cast<char const*>(source);

  auto const misaligned = reinterpret_cast<std::uintptr_t>(to) % cache_line;
  auto const head       = misaligned == 0 ? 0 : cache_line - misaligned;
  if (bytes < head + cache_line) {
    std::memcpy(to, from, bytes);
    return;
  }
  std::memcpy(to, from, head);
  to += head;
  from += head;
  bytes -= head;

  // Four memory pages in turn: more open DRAM rows and prefetch streams than one sequential walk
  // has.
  constexpr std::size_t block = stream_lanes * small_page;
  for (; bytes >= block; bytes -= block, to += block, from += block) {
    for (std::size_t offset = 0; offset < small_page; offset += cache_line) {
      for (std::size_t lane = 0; lane < stream_lanes; ++lane) {
        auto const at = lane * small_page + offset;
        _mm_prefetch(from + at + 4 * cache_line, _MM_HINT_T0);
        stream_line(to + at, from + at);
      }
    }
  }
  for (; bytes >= cache_line; bytes -= cache_line, to += cache_line, from += cache_line) {
    stream_line(to, from);
  }
  std::memcpy(to, from, bytes);
}

/// Orders the streaming stores of this thread before whatever signals their completion.
inline void stream_fence() { _mm_sfence(); }

#else

inline void stream_copy(void* target, void const* source, std::size_t bytes) {
  std::memcpy(target, source, bytes);
}
inline void stream_fence() {}

#endif

/// Copies by streaming stores or through the caches.
inline void bulk_copy(bool streaming, void* target, void const* source, std::size_t bytes) {
  if (streaming) {
    stream_copy(target, source, bytes);
  } else {
    std::memcpy(target, source, bytes);
  }
}

}  // namespace KokkosKV::Impl

#endif
