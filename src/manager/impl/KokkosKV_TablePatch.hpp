// The kernel that brings a lookup table up to date.
#ifndef KOKKOSKV_IMPL_TABLEPATCH_HPP
#define KOKKOSKV_IMPL_TABLEPATCH_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <cache/KokkosKV_StaticParams.hpp>
#include <kokkos_ext/KokkosKV_HostExecution.hpp>

namespace KokkosKV::Impl {

/// Neighbouring entries of a table that change: pages first, null_page behind them. Four words of
/// the staging memory.
struct TableRun {
  static constexpr std::size_t num_words = 4;

  std::uint32_t first;      ///< entry of the table
  std::uint32_t length;     ///< entries
  std::uint32_t num_pages;  ///< of them with a page
  std::uint32_t source;     ///< word where the pages begin

  void write(std::uint32_t* words) const {
    words[0] = first;
    words[1] = length;
    words[2] = num_pages;
    words[3] = source;
  }
  KOKKOS_FUNCTION static TableRun read(std::uint32_t const* words) {
    return {words[0], words[1], words[2], words[3]};
  }
};

/// Writes the runs of a load, and the load's number where the host sees it.
struct TablePatch {
  std::uint32_t const* words;
  std::size_t first_run;  ///< word where the runs begin
  std::size_t num_runs;
  std::uint32_t* table;
  std::uint64_t* mark;
  std::uint64_t number;

  KOKKOS_FUNCTION TableRun run(std::size_t index) const {
    return TableRun::read(words + first_run + index * TableRun::num_words);
  }
  KOKKOS_FUNCTION void write(TableRun const& run, std::uint32_t index) const {
    table[run.first + index] = index < run.num_pages ? words[run.source + index] : null_page;
  }
  /// The words were copied before the kernel began, so that any thread may tell it at once.
  KOKKOS_FUNCTION void tell() const { *mark = number; }

  /// Hosts: a run at a time.
  KOKKOS_FUNCTION void operator()(std::size_t index) const {
    if (index == 0) tell();
    if (index >= num_runs) return;
    auto const patched = run(index);
    for (std::uint32_t i = 0; i < patched.length; ++i) write(patched, i);
  }

  /// Devices: a team a run.
  template <class Member>
    requires requires(Member const& member) { member.league_rank(); }
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto const index = static_cast<std::size_t>(member.league_rank());
    if (index == 0 && member.team_rank() == 0) tell();
    if (index >= num_runs) return;
    auto const patched    = run(index);
    auto const& patch     = *this;
    auto const write_page = [&](std::uint32_t i) { patch.write(patched, i); };
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, patched.length), write_page);
  }
};

/// Threads of a device's team: a run is one entry in most steps.
inline constexpr int patch_team_threads = 64;

template <class ExecSpace>
void launch_patch(ExecSpace const& exec, TablePatch const& patch) {
  constexpr char const* label = "KokkosKV::StepBatcher::patch_table";
  // One item tells the number where no entry changes.
  auto const items = std::max<std::size_t>(patch.num_runs, 1);
  if constexpr (is_host_execution_v<ExecSpace>) {
    Kokkos::parallel_for(
        label, Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::size_t>>(exec, 0, items),
        patch);
  } else {
    Kokkos::parallel_for(
        label, Kokkos::TeamPolicy<ExecSpace>(exec, static_cast<int>(items), patch_team_threads, 1),
        patch);
  }
}

}  // namespace KokkosKV::Impl

#endif
