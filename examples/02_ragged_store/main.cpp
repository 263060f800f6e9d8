// ragged_store: replays a request trace through the cache, verifies every element and measures the
// stores.
#include <KokkosKV_Version.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <string>

#include "Options.hpp"
#include "Report.hpp"
#include "SyntheticWorkload.hpp"
#include "common/OutputFile.hpp"
#include "common/RunProgram.hpp"
#include "common/trace/Trace.hpp"
#include "replay/Replay.hpp"

namespace {

using namespace ragged_store;

RunContext run_context(std::string const& workload) {
  Kokkos::DefaultExecutionSpace const exec;
  auto const version = std::to_string(KOKKOS_VERSION_MAJOR) + "." +
                       std::to_string(KOKKOS_VERSION_MINOR) + "." +
                       std::to_string(KOKKOS_VERSION_PATCH);
  return {workload, KOKKOSKV_VERSION_STRING, version, Kokkos::DefaultExecutionSpace::name(),
          exec.concurrency()};
}

example::Trace load_workload(Options const& options) {
  if (options.trace.empty()) {
    auto const count = options.num_requests.value_or(default_synthetic_requests);
    return {"synthetic", synthesise_workload(count, options.seed)};
  }
  return example::read_trace(
      options.trace, options.num_requests.value_or(std::numeric_limits<std::size_t>::max()));
}

int run(Options const& options, int kokkos_argc, char** kokkos_argv) {
  auto const trace  = load_workload(options);
  auto const& shape = *std::ranges::find(model_shapes, options.shape, &ModelShape::name);
  example::OutputFile json(options.json);

  Kokkos::ScopeGuard const guard(kokkos_argc, kokkos_argv);
  auto const context = run_context(options.trace.empty() ? trace.format : options.trace);
  auto const results = replay(options, shape, trace.requests);
  print_table(std::cout, options, shape, context, results);
  if (json.is_wanted()) {
    write_json(json.stream(), options, shape, context, results);
    json.close();
  }
  std::cout << summary(results) << std::endl;
  return results.failure.empty() ? EXIT_SUCCESS : example::exit_failed;
}

}  // namespace

int main(int argc, char** argv) {
  return example::run_program<Options>("demo", argc, argv, parse_options, run);
}
