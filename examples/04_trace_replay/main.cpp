// trace_replay: replays a request trace through the page manager.
#include <Kokkos_Core.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "Options.hpp"
#include "Report.hpp"
#include "common/DataFolder.hpp"
#include "common/OutputFile.hpp"
#include "common/ProgressBar.hpp"
#include "common/RunProgram.hpp"
#include "common/Text.hpp"
#include "common/UsageError.hpp"
#include "common/trace/Trace.hpp"
#include "replay/Replay.hpp"
#include "store/StoredPages.hpp"
#include "sweep/Plot.hpp"
#include "sweep/Sweep.hpp"

namespace {

using namespace trace_replay;

/// The trace that is replayed where the user names none.
std::string default_trace() {
  auto path = example::data_path("traces/mooncake_conversation_trace.jsonl");
  if (std::filesystem::exists(path)) return path;
  throw example::UsageError("there is no " + path +
                            ": name a trace with --trace, or its folder with KOKKOSKV_DATA");
}

Workload load_workload(Options const& options) {
  auto const most = options.num_requests.value_or(std::numeric_limits<std::size_t>::max());
  return Workload(example::read_trace(options.trace, most, example::TraceParts::all).requests);
}

/// Told of what is done out of a total.
Progress make_progress(example::ProgressBar& bar, std::size_t total, std::string const& what) {
  return [&bar, total, what](std::size_t done) {
    bar.update(done, example::grouped(done) + " of " + example::grouped(total) + " " + what);
  };
}

int run_sweep(Options const& options, Workload const& workload, example::OutputFile& json) {
  require_gnuplot();
  auto const total = num_replays(sweep_capacities(workload, options.settings).size());
  Sweep result;
  {
    example::ProgressBar bar(total, !options.quiet);
    result = sweep(workload, options.settings, make_progress(bar, total, "replays"));
  }
  draw(result, "Hits of the prefix cache: " + title(options), options.settings.page.tokens,
       options.plot);
  print_sweep(std::cout, options, result);
  if (json.is_wanted()) write_sweep(json.stream(), options, workload, result);
  return EXIT_SUCCESS;
}

int run_once(Options const& options, Workload const& workload, example::OutputFile& json,
             StoredPages* stored) {
  Results results;
  {
    example::ProgressBar bar(workload.size(), !options.quiet);
    results =
        replay(workload, options.settings, stored, make_progress(bar, workload.size(), "requests"));
  }
  auto const rows_compared = stored == nullptr ? 0 : stored->rows_compared();
  print_results(std::cout, options, workload, results, rows_compared);
  if (json.is_wanted()) write_results(json.stream(), options, workload, results, rows_compared);
  return EXIT_SUCCESS;
}

int run(Options options, int kokkos_argc, char** kokkos_argv) {
  if (options.trace.empty()) options.trace = default_trace();
  auto const workload = load_workload(options);
  example::OutputFile json(options.json);
  int status;
  if (!options.plot.empty()) {
    status = run_sweep(options, workload, json);
  } else if (!options.stores) {
    status = run_once(options, workload, json, nullptr);
  } else {
    Kokkos::ScopeGuard const guard(kokkos_argc, kokkos_argv);
    auto const stored = make_stored_pages(options.settings.num_pages, options.settings.page.ids);
    status            = run_once(options, workload, json, stored.get());
  }
  if (json.is_wanted()) json.close();
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  return example::run_program<Options>("trace_replay", argc, argv, parse_options, run);
}
