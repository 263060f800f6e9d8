// The figures of a run, as a table for people and as JSON for programs.
#pragma once

#include <iosfwd>
#include <string>

#include "Options.hpp"
#include "replay/Results.hpp"
#include "sweep/Sweep.hpp"

namespace trace_replay {

/// \param rows_compared  cached rows that were read back; only with --store
void print_results(std::ostream& out, Options const& options, Workload const& workload,
                   Results const& results, std::uint64_t rows_compared);
void print_sweep(std::ostream& out, Options const& options, Sweep const& sweep);

/// All that depends on the machine is in the member `host`; the rest is the same in every run.
void write_results(std::ostream& out, Options const& options, Workload const& workload,
                   Results const& results, std::uint64_t rows_compared);
void write_sweep(std::ostream& out, Options const& options, Workload const& workload,
                 Sweep const& sweep);

/// Above tables and figures.
std::string title(Options const& options);

}  // namespace trace_replay
