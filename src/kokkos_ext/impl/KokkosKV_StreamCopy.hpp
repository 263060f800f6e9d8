// Bulk copy on hosts that bypasses the caches: the one place with instructions of a processor
// family.
#ifndef KOKKOSKV_IMPL_STREAMCOPY_HPP
#define KOKKOSKV_IMPL_STREAMCOPY_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

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

/// Copies many ranges of bytes past the caches. The ranges are cut into pieces within one memory
/// page of the source, of which several are under way, a few lines of each in turn: that hides what
/// the beginning of a page costs (address translation, a DRAM row to open, a prefetch stream to
/// start), also where the ranges are scattered.
class StreamCopier {
 public:
  StreamCopier() {
    for (auto& lane : m_lanes) lane.bytes = 0;
  }

  /// Begins to copy a range; all is written after finish().
  void copy(void* target, void const* source, std::size_t bytes) {
    Piece rest{static_cast<char*>(target), static_cast<char const*>(source), bytes};
    auto const head = std::min(bytes, to_boundary(rest.target, line_bytes));
    std::memcpy(rest.target, rest.source, head);
    rest.advance(head);
    while (rest.bytes >= line_bytes) {
      auto const in_page = page_bytes - reinterpret_cast<std::uintptr_t>(rest.source) % page_bytes;
      auto const lines   = std::max<std::size_t>(1, std::min(rest.bytes, in_page) / line_bytes);
      enter({rest.target, rest.source, lines * line_bytes});
      rest.advance(lines * line_bytes);
    }
    std::memcpy(rest.target, rest.source, rest.bytes);
  }

  /// Completes all copies, and orders them before whatever signals their completion.
  void finish() {
    visit_lanes(true);
    _mm_sfence();
  }

 private:
  static constexpr std::size_t line_bytes  = 64;
  static constexpr std::size_t page_bytes  = 4096;
  static constexpr std::size_t num_lanes   = 12;
  static constexpr std::size_t max_waiting = 64;
  static constexpr std::size_t visit_lines = 4;
  static constexpr std::size_t visit_bytes = visit_lines * line_bytes;

  /// What is left of a piece, in whole lines; nothing where a lane is idle.
  struct Piece {
    char* target;
    char const* source;
    std::size_t bytes;

    void advance(std::size_t done) {
      target += done;
      source += done;
      bytes -= done;
    }
  };

  /// Bytes from an address to the next multiple of a power of two.
  static std::size_t to_boundary(char const* address, std::size_t multiple) {
    return (multiple - reinterpret_cast<std::uintptr_t>(address) % multiple) % multiple;
  }

  static void copy_line(char* target, char const* source) {
    auto const* const from = reinterpret_cast<__m128i const*>(source);
    auto* const to         = reinterpret_cast<__m128i*>(target);
    auto const first       = _mm_loadu_si128(from);
    auto const second      = _mm_loadu_si128(from + 1);
    auto const third       = _mm_loadu_si128(from + 2);
    auto const fourth      = _mm_loadu_si128(from + 3);
    _mm_stream_si128(to, first);
    _mm_stream_si128(to + 1, second);
    _mm_stream_si128(to + 2, third);
    _mm_stream_si128(to + 3, fourth);
  }

  /// Copies the lines of a visit, and prefetches those of the next one. Unrolled whatever the
  /// compiler's options are.
  template <std::size_t... Lines>
  static void copy_lines(std::index_sequence<Lines...>, Piece const& piece, char const* next) {
    ((_mm_prefetch(next + Lines * line_bytes, _MM_HINT_T0),
      copy_line(piece.target + Lines * line_bytes, piece.source + Lines * line_bytes)),
     ...);
  }

  static void copy_rest(Piece& piece) {
    for (; piece.bytes > 0; piece.advance(line_bytes)) copy_line(piece.target, piece.source);
  }

  void enter(Piece const& piece) {
    m_waiting[m_num_waiting++] = piece;
    if (m_num_waiting == max_waiting) visit_lanes(false);
  }

  /// Goes round the lanes until all waiting pieces have begun, or ended. An idle lane begins the
  /// next one, whose first lines the last visit to the piece before it has prefetched.
  void visit_lanes(bool to_the_end) {
    std::size_t begun = 0;
    bool busy         = true;
    while (begun < m_num_waiting || (to_the_end && busy)) {
      busy = false;
      for (auto& lane : m_lanes) {
        // A local copy, since the compiler must assume that a store of bytes changes members.
        Piece piece = lane;
        if (piece.bytes >= visit_bytes) {
          bool const ends = piece.bytes < 2 * visit_bytes && begun < m_num_waiting;
          copy_lines(std::make_index_sequence<visit_lines>{}, piece,
                     ends ? m_waiting[begun].source : piece.source + visit_bytes);
          piece.advance(visit_bytes);
        } else {
          copy_rest(piece);
        }
        if (piece.bytes == 0 && begun < m_num_waiting) piece = m_waiting[begun++];
        lane = piece;
        busy = busy || piece.bytes > 0;
      }
    }
    m_num_waiting = 0;
  }

  Piece m_lanes[num_lanes];
  Piece m_waiting[max_waiting];
  std::size_t m_num_waiting = 0;
};

#else

/// Portable form: ordinary copies.
class StreamCopier {
 public:
  void copy(void* target, void const* source, std::size_t bytes) {
    std::memcpy(target, source, bytes);
  }
  void finish() {}
};

#endif

/// Copies ranges of bytes through the caches or past them.
class BulkCopier {
 public:
  explicit BulkCopier(bool streaming) : m_streaming(streaming) {}

  void copy(void* target, void const* source, std::size_t bytes) {
    if (m_streaming) {
      m_stream.copy(target, source, bytes);
    } else {
      std::memcpy(target, source, bytes);
    }
  }

  /// To be called once after the last copy.
  void finish() {
    if (m_streaming) m_stream.finish();
  }

 private:
  bool m_streaming;
  StreamCopier m_stream;
};

}  // namespace KokkosKV::Impl

#endif
