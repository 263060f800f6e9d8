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

inline constexpr std::size_t cache_line        = 64;
inline constexpr std::size_t small_page        = 4096;
inline constexpr std::size_t prefetch_distance = 8 * cache_line;

inline void stream_line(char* target, char const* source) {
  __m128i words[4];
  for (int i = 0; i < 4; ++i) {
    words[i] = _mm_loadu_si128(reinterpret_cast<__m128i const*>(source) + i);
  }
  for (int i = 0; i < 4; ++i) _mm_stream_si128(reinterpret_cast<__m128i*>(target) + i, words[i]);
}

/// What is left of a copy.
struct StreamCursor {
  char* target;
  char const* source;
  std::size_t bytes;

  void advance(std::size_t done) {
    target += done;
    source += done;
    bytes -= done;
  }
};

/// Copies blocks of `Lanes` memory pages, all pages of a block in turn: that keeps more DRAM rows
/// open and more prefetch streams running than one sequential walk does.
template <std::size_t Lanes>
void stream_blocks(StreamCursor& cursor) {
  constexpr std::size_t block = Lanes * small_page;
  for (; cursor.bytes >= block; cursor.advance(block)) {
    for (std::size_t offset = 0; offset < small_page; offset += cache_line) {
      // The end of a page is followed by the page of the next block.
      auto const ahead = offset + prefetch_distance;
      auto const next  = ahead < small_page ? ahead : ahead + block - small_page;
      for (std::size_t page = 0; page < block; page += small_page) {
        _mm_prefetch(cursor.source + page + next, _MM_HINT_T0);
        stream_line(cursor.target + page + offset, cursor.source + page + offset);
      }
    }
  }
}

/// Copies with streaming stores; not ordered with later stores before stream_fence().
inline void stream_copy(void* target, void const* source, std::size_t bytes) {
  StreamCursor cursor{static_cast<char*>(target), static_cast<char const*>(source), bytes};
  auto const misaligned = reinterpret_cast<std::uintptr_t>(target) % cache_line;
  auto const head       = misaligned == 0 ? 0 : cache_line - misaligned;
  if (bytes >= head + cache_line) {
    std::memcpy(cursor.target, cursor.source, head);
    cursor.advance(head);
    stream_blocks<8>(cursor);
    stream_blocks<4>(cursor);
    for (; cursor.bytes >= cache_line; cursor.advance(cache_line)) {
      stream_line(cursor.target, cursor.source);
    }
  }
  std::memcpy(cursor.target, cursor.source, cursor.bytes);
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
