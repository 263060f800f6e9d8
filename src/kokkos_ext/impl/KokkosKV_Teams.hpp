// How the work of a kernel is cut into teams, on hosts and on devices.
#ifndef KOKKOSKV_IMPL_TEAMS_HPP
#define KOKKOSKV_IMPL_TEAMS_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <climits>
#include <cstddef>

namespace KokkosKV::Impl {

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

/// Teams for a number of items; `items_per_team` grows where a league, which Kokkos counts as an
/// int, could not hold them.
inline int league_size(std::size_t items, std::size_t& items_per_team) {
  auto const num_teams = [&] { return (items + items_per_team - 1) / items_per_team; };
  while (num_teams() > static_cast<std::size_t>(INT_MAX)) items_per_team *= 2;
  return static_cast<int>(num_teams());
}

/// Threads of a team, and lanes of a thread.
struct TeamShape {
  int team_size     = 1;
  int vector_length = 1;
};

/// Shape for threads that share `parts` among their lanes.
/// \param team_threads  lanes included
template <class ExecSpace, class Kernel>
TeamShape device_team_shape(ExecSpace const& exec, int parts, int team_threads,
                            Kernel const& kernel) {
  using policy_type = Kokkos::TeamPolicy<ExecSpace>;
  int const lanes   = static_cast<int>(std::bit_ceil(static_cast<unsigned>(parts)));
  int const length  = std::min({lanes, policy_type::vector_length_max(), 32});
  policy_type const probe(exec, 1, 1, length);
  int const largest = probe.team_size_max(kernel, Kokkos::ParallelForTag{});
  return {std::min(team_threads / length, largest), length};
}

}  // namespace KokkosKV::Impl

#endif
