// Lays out the tables and the JSON documents.
#include "Report.hpp"

#include <KokkosKV_Version.hpp>
#include <filesystem>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <ostream>

#include "common/Text.hpp"

namespace trace_replay {
namespace {

using example::format;
using example::grouped;
using example::print_line;
using nlohmann::ordered_json;

std::string percent(double share) { return format("%.2f %%", 100 * share); }

void print_timed(std::ostream& out, TimedResults const& timed) {
  print_line(out, "simulated time", format("%.1f s", timed.seconds));
  print_line(out, "steps", grouped(timed.steps));
  print_line(out, "rows computed", grouped(timed.rows));
  print_line(out, "peak batch", grouped(timed.peak_batch));
  print_line(out, "preemptions", grouped(timed.preemptions),
             grouped(timed.recovered_pages) + " of their pages were still cached");
  print_line(
      out, "first token after", format("%.2f s", timed.first_token_mean),
      format("mean; median %.2f s, 99 %% %.2f s", timed.first_token_median, timed.first_token_p99));
}

/// What both documents begin with.
ordered_json document(Options const& options, Workload const& workload) {
  auto const& settings = options.settings;
  ordered_json result;
  result["context"] = {{"kokkoskv_version", KOKKOSKV_VERSION_STRING}};
  result["trace"]   = {{"file", options.trace},
                       {"requests", workload.size()},
                       {"blocks", workload.num_blocks()},
                       {"distinct_blocks", workload.num_distinct_blocks()}};
  result["options"] = {{"model", options.model},
                       {"page_size", settings.page.tokens},
                       {"token_ids_per_page", settings.page.ids},
                       {"store", options.stores},
                       {"host_pages", settings.tiers.host_pages},
                       {"file_tier", settings.tiers.file_folder},
                       {"file_capacity", settings.tiers.file_capacity}};
  if (settings.timed) {
    result["options"]["rate"]         = settings.timed->tokens_per_second;
    result["options"]["step_time_us"] = settings.timed->step_us;
    result["options"]["max_batch"]    = settings.timed->max_batch;
    result["options"]["budget"]       = settings.timed->budget;
  }
  return result;
}

double blocks_per_second(Workload const& workload, Results const& results) {
  return static_cast<double>(workload.num_blocks()) / results.host_seconds;
}

}  // namespace

std::string title(Options const& options) {
  return std::filesystem::path(options.trace).filename().string() + ", " + options.model +
         (options.num_requests ? ", first " + grouped(*options.num_requests) + " requests" : "");
}

void print_results(std::ostream& out, Options const& options, Workload const& workload,
                   Results const& results, std::uint64_t rows_compared) {
  auto const& settings = options.settings;
  out << "trace_replay: " << title(options) << ", " << grouped(settings.num_pages) << " pages of "
      << settings.page.tokens << ", " << to_text(settings.kind) << '\n';
  print_line(out, "requests", grouped(results.requests));
  print_line(out, "blocks", grouped(workload.num_blocks()),
             grouped(workload.num_distinct_blocks()) + " different ones, of 512 tokens");
  print_line(out, "prompt pages", grouped(results.prompt_pages));
  auto const& events = results.manager.events;
  print_line(out, "hits", grouped(results.hit_pages),
             settings.tiers.host_pages == 0
                 ? "pages"
                 : "pages; " + grouped(events.hit_host_pages) + " came from host pages, " +
                       grouped(events.hit_file_pages) + " of these from files");
  print_line(out, "hit rate", percent(results.hit_rate()));
  print_line(out, "evictions", grouped(events.evicted_pages), "pages");
  print_line(out, "peak pages", grouped(results.peak_pages),
             grouped(results.peak_used_pages) + " of them of running sequences");
  if (results.timed) print_timed(out, *results.timed);
  if (results.timed && settings.tiers.host_pages > 0) {
    print_line(out, "swapped out", grouped(events.swapped_out),
               grouped(events.swapped_in) + " sequences came back");
  }
  if (options.stores) print_line(out, "rows compared", grouped(rows_compared), "all as stored");
  print_line(out, "host time", format("%.2f s", results.host_seconds),
             grouped(static_cast<std::uint64_t>(blocks_per_second(workload, results))) +
                 " blocks a second" + (options.stores ? ", with stores and comparison" : ""));
}

void print_sweep(std::ostream& out, Options const& options, Sweep const& sweep) {
  out << "trace_replay: hit rates, " << title(options) << ", pages of "
      << options.settings.page.tokens << '\n'
      << std::setw(14) << "pages";
  for (auto const& curve : sweep.curves) out << std::setw(14) << curve.policy;
  for (std::size_t i = 0; i < sweep.capacities.size(); ++i) {
    out << '\n' << std::setw(14) << grouped(sweep.capacities[i]);
    for (auto const& curve : sweep.curves) out << std::setw(14) << percent(curve.hit_rates[i]);
  }
  out << '\n'
      << std::setw(14) << "unbounded" << std::setw(14) << percent(sweep.unbounded_hit_rate) << '\n';
}

void write_results(std::ostream& out, Options const& options, Workload const& workload,
                   Results const& results, std::uint64_t rows_compared) {
  auto json                 = document(options, workload);
  json["options"]["pages"]  = options.settings.num_pages;
  json["options"]["policy"] = to_text(options.settings.kind);
  json["results"]           = {
      {"requests", results.requests},         {"blocks", workload.num_blocks()},
      {"prompt_pages", results.prompt_pages}, {"hits", results.hit_pages},
      {"hit_rate", results.hit_rate()},       {"evictions", results.manager.events.evicted_pages},
      {"peak_pages", results.peak_pages},     {"peak_used_pages", results.peak_used_pages}};
  if (options.stores) json["results"]["rows_compared"] = rows_compared;
  json["manager"] = ordered_json::parse(to_json(results.manager));
  if (results.timed) {
    auto const& timed = *results.timed;
    json["timed"]     = {{"seconds", timed.seconds},
                         {"steps", timed.steps},
                         {"rows", timed.rows},
                         {"peak_batch", timed.peak_batch},
                         {"preemptions", timed.preemptions},
                         {"recovered_pages", timed.recovered_pages},
                         {"first_token_mean_seconds", timed.first_token_mean},
                         {"first_token_median_seconds", timed.first_token_median},
                         {"first_token_p99_seconds", timed.first_token_p99}};
  }
  json["host"] = {{"seconds", results.host_seconds},
                  {"blocks_per_second", blocks_per_second(workload, results)}};
  out << json.dump(2) << '\n';
}

void write_sweep(std::ostream& out, Options const& options, Workload const& workload,
                 Sweep const& sweep) {
  auto json     = document(options, workload);
  json["sweep"] = {{"pages", sweep.capacities}, {"unbounded_hit_rate", sweep.unbounded_hit_rate}};
  for (auto const& curve : sweep.curves) json["sweep"]["hit_rates"][curve.policy] = curve.hit_rates;
  out << json.dump(2) << '\n';
}

}  // namespace trace_replay
