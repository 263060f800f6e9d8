// The figures of a run, as a table for people and as JSON for programs.
#pragma once

#include <iosfwd>
#include <string>

#include "Options.hpp"
#include "replay/Replay.hpp"

namespace ragged_store {

/// What the figures were measured on.
struct RunContext {
  std::string workload;  ///< trace file or "synthetic"
  std::string library_version;
  std::string kokkos_version;
  std::string backend;
  int threads = 0;
};

/// The last line, and whether it is a good one.
std::string summary(ReplayResults const& results);

void print_table(std::ostream& out, Options const& options, ModelShape const& shape,
                 RunContext const& context, ReplayResults const& results);

void write_json(std::ostream& out, Options const& options, ModelShape const& shape,
                RunContext const& context, ReplayResults const& results);

}  // namespace ragged_store
