// What the main functions of the larger examples share: Kokkos' own options set apart, and
// exceptions turned into exit statuses.
#pragma once

#include <exception>
#include <iostream>
#include <string_view>
#include <vector>

#include "common/UsageError.hpp"

namespace example {

inline constexpr int exit_failed = 1, exit_bad_usage = 2;

/// Kokkos has options of its own; it is started only when ours are known to be good.
/// \param name   stands before the message of a failure
/// \param parse  `std::optional<int>(int argc, char const* const* argv, Options&)`: the status to
///               exit with at once, if any
/// \param run    `int(Options const&, int kokkos_argc, char** kokkos_argv)`: the status
template <class Options, class Parse, class Run>
int run_program(char const* name, int argc, char** argv, Parse parse, Run run) {
  std::vector<char*> ours, for_kokkos{argv[0]};
  for (int i = 0; i < argc; ++i) {
    bool const is_kokkos = std::string_view(argv[i]).starts_with("--kokkos-");
    (is_kokkos ? for_kokkos : ours).push_back(argv[i]);
  }
  Options options;
  if (auto const status = parse(static_cast<int>(ours.size()), ours.data(), options)) {
    return *status;
  }
  try {
    auto const kokkos_argc = static_cast<int>(for_kokkos.size());
    for_kokkos.push_back(nullptr);
    return run(options, kokkos_argc, for_kokkos.data());
  } catch (UsageError const& error) {
    std::cerr << error.what() << std::endl;
    return exit_bad_usage;
  } catch (std::exception const& error) {
    std::cout << name << ": FAILED " << error.what() << std::endl;
    return exit_failed;
  }
}

}  // namespace example
