// ragged_store: replays a request trace through the cache, verifies every element and measures the
// stores.
#include <KokkosKV_Version.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "Options.hpp"
#include "Report.hpp"
#include "SyntheticWorkload.hpp"
#include "UsageError.hpp"
#include "replay/Replay.hpp"
#include "trace/Trace.hpp"

namespace {

using namespace ragged_store;

constexpr int failed = 1, bad_usage = 2;

RunContext run_context(std::string const& workload) {
  Kokkos::DefaultExecutionSpace const exec;
  auto const version = std::to_string(KOKKOS_VERSION_MAJOR) + "." +
                       std::to_string(KOKKOS_VERSION_MINOR) + "." +
                       std::to_string(KOKKOS_VERSION_PATCH);
  return {workload, KOKKOSKV_VERSION_STRING, version, Kokkos::DefaultExecutionSpace::name(),
          exec.concurrency()};
}

Trace load_workload(Options const& options) {
  if (options.trace.empty()) {
    auto const count = options.num_requests.value_or(default_synthetic_requests);
    return {"synthetic", synthesise_workload(count, options.seed)};
  }
  return read_trace(options.trace,
                    options.num_requests.value_or(std::numeric_limits<std::size_t>::max()));
}

int run(Options const& options, int kokkos_argc, char** kokkos_argv) {
  auto const trace  = load_workload(options);
  auto const& shape = *std::ranges::find(model_shapes, options.shape, &ModelShape::name);
  // Opened first: a run of minutes must not end with a file that cannot be written.
  std::ofstream json;
  if (!options.json.empty()) {
    json.open(options.json);
    if (!json) throw UsageError(options.json + ": cannot be written");
  }

  Kokkos::ScopeGuard const guard(kokkos_argc, kokkos_argv);
  auto const context = run_context(options.trace.empty() ? trace.format : options.trace);
  auto const results = replay(options, shape, trace.requests);
  print_table(std::cout, options, shape, context, results);
  if (json.is_open()) {
    write_json(json, options, shape, context, results);
    json.close();
    if (!json) throw UsageError(options.json + ": writing failed");
  }
  std::cout << summary(results) << std::endl;
  return results.failure.empty() ? EXIT_SUCCESS : failed;
}

}  // namespace

int main(int argc, char** argv) {
  // Kokkos has options of its own; it is started only when ours are known to be good.
  std::vector<char*> ours, for_kokkos{argv[0]};
  for (int i = 0; i < argc; ++i) {
    bool const is_kokkos = std::string_view(argv[i]).starts_with("--kokkos-");
    (is_kokkos ? for_kokkos : ours).push_back(argv[i]);
  }
  Options options;
  if (auto const status = parse_options(static_cast<int>(ours.size()), ours.data(), options)) {
    return *status;
  }
  try {
    auto const kokkos_argc = static_cast<int>(for_kokkos.size());
    for_kokkos.push_back(nullptr);
    return run(options, kokkos_argc, for_kokkos.data());
  } catch (UsageError const& error) {
    std::cerr << error.what() << std::endl;
    return bad_usage;
  } catch (std::exception const& error) {
    std::cout << "demo: FAILED " << error.what() << std::endl;
    return failed;
  }
}
