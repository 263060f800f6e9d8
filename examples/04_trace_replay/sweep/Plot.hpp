// Draws a sweep with gnuplot.
#pragma once

#include <iosfwd>
#include <string>

#include "sweep/Sweep.hpp"

namespace trace_replay {

/// \throws UsageError  there is no gnuplot in PATH
void require_gnuplot();

/// What gnuplot is told.
/// \param title  above the figure
/// \param path   PNG file to write
void write_gnuplot(std::ostream& out, Sweep const& sweep, std::string const& title,
                   std::uint32_t page_tokens, std::string const& path);

/// Runs gnuplot.
/// \throws UsageError  it failed, or the file could not be written
void draw(Sweep const& sweep, std::string const& title, std::uint32_t page_tokens,
          std::string const& path);

}  // namespace trace_replay
