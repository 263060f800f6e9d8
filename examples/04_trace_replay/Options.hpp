// What the user can choose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "replay/Settings.hpp"

namespace trace_replay {

struct Options {
  std::string trace;                        ///< empty: the Mooncake trace of the data folder
  std::optional<std::size_t> num_requests;  ///< first requests of the trace
  std::string model = "instant";
  Settings settings;
  bool stores = false;  ///< with real pages
  std::string json;     ///< empty: none
  std::string plot;     ///< empty: none
  bool quiet = false;
};

/// Parses the command line. Where the program must end at once (help, bad options), prints why and
/// returns the exit status instead.
std::optional<int> parse_options(int argc, char const* const* argv, Options& options);

}  // namespace trace_replay
