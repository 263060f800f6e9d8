// What the user can choose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace ragged_store {

struct Options {
  std::string trace;                        ///< empty: synthetic workload
  std::optional<std::size_t> num_requests;  ///< first requests of the workload
  std::string shape       = "llama3-1b";
  std::string type        = "bf16";
  int page_size           = 16;
  double pool_gib         = 1.0;
  std::uint32_t max_batch = 256;
  std::uint32_t budget    = 8192;
  std::uint32_t chunk     = 2048;
  std::uint64_t seed      = 1;
  std::string json;  ///< empty: none
  bool quiet = false;
};

/// Parses the command line. Where the program must end at once (help, bad options), prints why and
/// returns the exit status instead.
std::optional<int> parse_options(int argc, char const* const* argv, Options& options);

}  // namespace ragged_store
