// The command line.
#include "Options.hpp"

#include <CLI/CLI.hpp>
#include <iterator>
#include <string>
#include <vector>

#include "replay/ModelShapes.hpp"

namespace ragged_store {

namespace {

/// Not every page size is compiled for every type.
void check_page_size(Options const& options) {
  std::string choices;
  for (auto const& page : page_sizes) {
    if (!is_compiled(page, options.type)) continue;
    if (page.tokens == options.page_size) return;
    choices += (choices.empty() ? "" : ",") + std::to_string(page.tokens);
  }
  throw CLI::ValidationError("--page-size", std::to_string(options.page_size) + " not in {" +
                                                choices + "} for --type " + options.type);
}

}  // namespace

std::optional<int> parse_options(int argc, char const* const* argv, Options& options) {
  CLI::App app{
      "Replays a request trace through a paged KV cache: stores keys and values of every layer "
      "step by "
      "step, reads every element back, and measures the stores against a parallel memcpy."};
  app.footer("Options that begin with --kokkos- are passed on to Kokkos.");

  std::vector<std::string> shapes;
  for (auto const& shape : model_shapes) shapes.emplace_back(shape.name);
  std::vector<std::string> const types(std::begin(type_names), std::end(type_names));
  std::vector<int> pages;
  for (auto const& page : page_sizes) pages.push_back(page.tokens);
  auto const at_least_one = CLI::Range(1u, 1u << 24);

  app.add_option("--trace", options.trace,
                 "Azure CSV or Mooncake JSONL file (default: a synthetic workload)");
  app.add_option("--requests", options.num_requests, "replay only the first N requests")
      ->check(CLI::Range(std::size_t(1), std::size_t(1) << 30));
  app.add_option("--shape", options.shape, "model whose keys and values are stored")
      ->check(CLI::IsMember(shapes))
      ->capture_default_str();
  app.add_option("--type", options.type, "storage type of the cache")
      ->check(CLI::IsMember(types))
      ->capture_default_str();
  app.add_option("--page-size", options.page_size, "tokens of a page")
      ->check(CLI::IsMember(pages))
      ->capture_default_str();
  app.add_option("--pool-gib", options.pool_gib, "size of the pool in GiB")
      ->check(CLI::Range(1e-4, 1e4))
      ->capture_default_str();
  app.add_option("--budget", options.budget, "most tokens of a step")
      ->check(at_least_one)
      ->capture_default_str();
  app.add_option("--chunk", options.chunk, "most prompt tokens of one request in a step")
      ->check(at_least_one)
      ->capture_default_str();
  app.add_option("--max-batch", options.max_batch, "most requests that run at once")
      ->check(CLI::Range(1u, 1u << 16))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "of the synthetic lengths and of the order of free pages")
      ->capture_default_str();
  app.add_option("--json", options.json, "also write all figures and the configuration to a file");
  app.add_flag("--quiet", options.quiet, "no progress bar");

  try {
    app.parse(argc, argv);
    check_page_size(options);
  } catch (CLI::ParseError const& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return std::nullopt;
}

}  // namespace ragged_store
