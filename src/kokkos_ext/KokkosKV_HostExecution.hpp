// Tells host execution spaces from devices at compile time, and how work is cut for host threads.
#ifndef KOKKOSKV_HOSTEXECUTION_HPP
#define KOKKOSKV_HOSTEXECUTION_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace KokkosKV::Impl {

/// True when kernels of ExecSpace run on host threads (their own memory is the host's).
template <class ExecSpace>
inline constexpr bool is_host_execution_v =
    std::is_same_v<typename ExecSpace::memory_space, Kokkos::HostSpace>;

/// Bytes that a team of a host moves: long enough to amortise its start, short enough to spread.
inline constexpr std::size_t host_chunk_bytes = std::size_t(4) << 20;
/// Chunks that each host thread gets at least, where there are that many items.
inline constexpr std::size_t host_chunks_per_thread = 8;

/// Items (rows, parts of pages) of a host chunk.
template <class ExecSpace>
std::size_t host_chunk_length(ExecSpace const& exec, std::size_t item_bytes, std::size_t items) {
  auto const by_size = host_chunk_bytes / item_bytes;
  auto const by_count =
      items / (host_chunks_per_thread * static_cast<std::size_t>(exec.concurrency()));
  return std::max<std::size_t>(1, std::min(by_size, by_count));
}

}  // namespace KokkosKV::Impl

#endif
