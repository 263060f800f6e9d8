// Lays out the table and the JSON document.
#include "Report.hpp"

#include <nlohmann/json.hpp>
#include <ostream>

#include "common/Text.hpp"

namespace ragged_store {
namespace {

using example::format;
using example::grouped;

double gigabytes(double bytes) { return bytes * 1e-9; }

}  // namespace

std::string summary(ReplayResults const& results) {
  if (!results.failure.empty()) return "demo: FAILED " + results.failure;
  return "demo: OK " + grouped(results.requests) + " requests, " + grouped(results.tokens) +
         " tokens, " + grouped(results.elements_verified) + " elements verified";
}

void print_table(std::ostream& out, Options const& options, ModelShape const& shape,
                 RunContext const& context, ReplayResults const& results) {
  auto const line = [&out](char const* name, std::string const& value,
                           std::string const& note = "") {
    example::print_line(out, name, value, note);
  };
  auto const bytes = static_cast<double>(results.bytes_stored);
  out << "ragged_store: " << context.workload << ", " << shape.name << " (" << shape.num_layers
      << " layers, " << (shape.params.is_mla ? "latent" : "K and V") << " of "
      << shape.params.num_heads << " x " << shape.params.head_size << ", " << options.type
      << "), pages of " << options.page_size << ", " << context.backend << " x " << context.threads
      << '\n';
  line("requests", grouped(results.requests));
  line("steps", grouped(results.steps));
  line("tokens", grouped(results.tokens));
  line("bytes stored", format("%.3f GB", gigabytes(bytes)), "written to the cache");
  line("stores", format("%.2f GB/s", gigabytes(results.store_rate())), "written bytes a second");
  line("parallel memcpy", format("%.0f %%", 100 * results.memcpy_share()),
       "share reached, on equal numbers of written bytes");
  line("pages peak/total", grouped(results.pages_peak) + "/" + grouped(results.pages_total));
  line("elements verified", grouped(results.elements_verified),
       results.elements_verified == results.elements_stored ? "all that were stored" : "");
  line("seconds", format("%.2f", results.total_seconds),
       format("values %.2f, stores %.2f, verification %.2f", results.fill_seconds,
              results.store_seconds, results.verify_seconds));
}

void write_json(std::ostream& out, Options const& options, ModelShape const& shape,
                RunContext const& context, ReplayResults const& results) {
  nlohmann::ordered_json document;
  document["ok"]      = results.failure.empty();
  document["failure"] = results.failure;
  document["context"] = {{"kokkoskv_version", context.library_version},
                         {"kokkos_version", context.kokkos_version},
                         {"backend", context.backend},
                         {"threads", context.threads}};
  document["options"] = {
      {"workload", context.workload},
      {"requests", options.num_requests ? nlohmann::json(*options.num_requests) : nlohmann::json()},
      {"shape", shape.name},
      {"num_layers", shape.num_layers},
      {"kv_dim", shape.kv_dim()},
      {"num_heads", shape.params.num_heads},
      {"head_size", shape.params.head_size},
      {"type", options.type},
      {"page_size", options.page_size},
      {"pool_gib", options.pool_gib},
      {"max_batch", options.max_batch},
      {"budget", options.budget},
      {"chunk", options.chunk},
      {"seed", options.seed}};
  document["results"] = {{"requests", results.requests},
                         {"steps", results.steps},
                         {"tokens", results.tokens},
                         {"bytes_stored", results.bytes_stored},
                         {"store_bytes_per_second", results.store_rate()},
                         {"memcpy_share", results.memcpy_share()},
                         {"memcpy_samples", results.sampled_stores},
                         {"pages_peak", results.pages_peak},
                         {"pages_total", results.pages_total},
                         {"elements_stored", results.elements_stored},
                         {"elements_verified", results.elements_verified},
                         {"fill_seconds", results.fill_seconds},
                         {"store_seconds", results.store_seconds},
                         {"verify_seconds", results.verify_seconds},
                         {"total_seconds", results.total_seconds}};
  out << document.dump(2) << '\n';
}

}  // namespace ragged_store
