// The command line.
#include "Options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <map>
#include <string>

#include "store/StoredPageSizes.hpp"

namespace trace_replay {
namespace {

using example::block_tokens;

constexpr char description[] =
    "Replays a request trace through the page manager: which pages of the prompts are found in the "
    "cache, which are evicted, and how fast the manager is. No kernels run, except with --store.";

constexpr char footer[] =
    "Traces in Mooncake's format name the blocks of 512 tokens of each prompt. From them follow "
    "token ids: equal blocks have equal ones, all other tokens differ. In traces with lengths only "
    "(Azure) all prompts differ.\n\n"
    "Models:\n"
    "  instant  each prompt is computed and freed before the next request comes. A page that a "
    "prompt fills in part counts as a whole one. The manager gets but a few "
    "token ids of each page (--tokens-per-block): different blocks still have different ones, so "
    "hits "
    "are the same (those of reuse_rate within some thousandths: it remembers pages by their "
    "hashes). All 512 cost more, and give the host time of an engine.\n"
    "  timed    requests arrive by the trace's clock, wait for pages, and run in batches: prompts "
    "in pieces, then a token a step. A step of n rows takes step-time + n/rate. The manager gets "
    "every token, and finds full pages only. Where pages lack, the youngest sequence goes to "
    "host pages or is computed again later. The trace does not say which blocks answers become: "
    "they are never found.\n\n"
    "Options that begin with --kokkos- are passed on to Kokkos (with --store).";

/// Options that only one of the models has.
void check_model(CLI::App const& app, std::string const& model) {
  auto const refuse = [&](std::initializer_list<char const*> names, std::string const& other) {
    for (auto const* name : names) {
      if (app.count(name) > 0) throw CLI::ValidationError(name, "needs --model " + other);
    }
  };
  if (model == "instant") refuse({"--rate", "--step-time", "--max-batch", "--budget"}, "timed");
  if (model == "timed") refuse({"--tokens-per-block"}, "instant");
}

/// \param per_block  token ids that stand for a block; 0: two a page
PageShape page_shape(std::uint32_t tokens, std::uint32_t per_block, bool is_timed) {
  auto const pages = block_tokens / tokens;
  if (is_timed) return {tokens, tokens};
  if (per_block == 0) return {tokens, std::min(2u, tokens)};
  if (per_block % pages != 0 || block_tokens % per_block != 0) {
    throw CLI::ValidationError(
        "--tokens-per-block", std::to_string(per_block) + " must divide 512 and be a multiple of " +
                                  std::to_string(pages) + ", the pages of a block");
  }
  return {tokens, per_block / pages};
}

void check_timed(TimedModel const& timed) {
  if (timed.budget > timed.max_batch) return;
  throw CLI::ValidationError("--budget", "must be above --max-batch (" +
                                             std::to_string(timed.max_batch) +
                                             "), or prompts would wait for ever");
}

void check_stored(PageShape page) {
  std::string choices;
  for (auto const ids : stored_page_sizes) {
    if (ids == page.ids) return;
    choices += (choices.empty() ? "" : ",") + std::to_string(ids);
  }
  throw CLI::ValidationError("--store", "pages of " + std::to_string(page.ids) +
                                            " token ids are not compiled, only {" + choices +
                                            "} (see --page-size and --tokens-per-block)");
}

}  // namespace

std::optional<int> parse_options(int argc, char const* const* argv, Options& options) {
  CLI::App app{description};
  app.footer(footer);

  using KokkosKV::EvictionKind;
  std::map<std::string, EvictionKind> policies;
  for (auto const kind : {EvictionKind::reuse_rate, EvictionKind::lru, EvictionKind::lfu}) {
    policies[to_text(kind)] = kind;
  }
  std::string policy      = to_text(options.settings.kind);
  std::uint32_t page_size = block_tokens;
  std::uint32_t per_block = 0;
  std::uint32_t step_time = 20;
  auto& settings          = options.settings;
  TimedModel timed;
  auto const at_least_one = CLI::Range(1u, 1u << 24);
  std::vector<std::uint32_t> page_sizes;
  for (std::uint32_t size = 1; size <= block_tokens; size *= 2) page_sizes.push_back(size);

  app.add_option("--trace", options.trace,
                 "Mooncake JSONL or Azure CSV file (default: mooncake_conversation_trace.jsonl in "
                 "the folder traces of $KOKKOSKV_DATA)");
  app.add_option("--requests", options.num_requests, "replay only the first N requests")
      ->check(CLI::Range(std::size_t(1), std::size_t(1) << 30));
  auto* const pages = app.add_option("--pages", settings.num_pages, "pages of the pool")
                          ->check(CLI::Range(1u, 1u << 28))
                          ->capture_default_str();
  app.add_option("--page-size", page_size, "tokens of a page: a block, or a part of one")
      ->check(CLI::IsMember(page_sizes))
      ->capture_default_str();
  app.add_option("--tokens-per-block", per_block,
                 "token ids that stand for a block (instant; default: two a page)")
      ->check(CLI::Range(1u, block_tokens));
  auto* const kind = app.add_option("--policy", policy, "which cached page goes first")
                         ->check(CLI::IsMember(policies))
                         ->capture_default_str();
  app.add_option("--model", options.model, "how requests are served")
      ->check(CLI::IsMember({"instant", "timed"}))
      ->capture_default_str();
  app.add_option("--rate", timed.tokens_per_second, "tokens computed a second (timed)")
      ->check(CLI::Range(1u, 1u << 30))
      ->capture_default_str();
  app.add_option("--step-time", step_time, "milliseconds that each step takes beside that (timed)")
      ->check(CLI::Range(0u, 1u << 20))
      ->capture_default_str();
  app.add_option("--max-batch", timed.max_batch, "most sequences that run at once (timed)")
      ->check(CLI::Range(1u, 1u << 16))
      ->capture_default_str();
  app.add_option("--budget", timed.budget, "most tokens of a step (timed)")
      ->check(at_least_one)
      ->capture_default_str();
  auto* const host_pages =
      app.add_option("--host-pages", settings.tiers.host_pages,
                     "pages of host memory, for what is evicted and who is preempted")
          ->check(CLI::Range(1u, 1u << 28));
  auto* const file_tier =
      app.add_option("--file-tier", settings.tiers.file_folder,
                     "folder for what leaves the host pages; what it holds before is found too")
          ->needs(host_pages);
  auto* const file_capacity = app.add_option("--file-capacity", settings.tiers.file_capacity,
                                             "size of that folder, in bytes or as in 2GiB")
                                  ->transform(CLI::AsSizeValue(false))
                                  ->needs(file_tier);
  file_tier->needs(file_capacity);
  auto* const store =
      app.add_flag("--store", options.stores,
                   "also store keys and values of every token in real pages, and compare what is "
                   "found in the cache with what should be there");
  app.add_option("--json", options.json, "also write all figures and the options to a file");
  app.add_option("--plot", options.plot,
                 "draw the hit rate against the pages of the pool, for all policies, with gnuplot "
                 "to this PNG file")
      ->excludes(pages)
      ->excludes(kind)
      ->excludes(store)
      ->excludes(file_tier);
  app.add_flag("--quiet", options.quiet, "no progress bar");

  try {
    app.parse(argc, argv);
    check_model(app, options.model);
    settings.kind = policies.at(policy);
    settings.page = page_shape(page_size, per_block, options.model == "timed");
    timed.step_us = std::uint64_t(step_time) * 1000;
    if (options.model == "timed") settings.timed = timed;
    if (settings.timed) check_timed(timed);
    if (options.stores) check_stored(settings.page);
  } catch (CLI::ParseError const& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return std::nullopt;
}

}  // namespace trace_replay
