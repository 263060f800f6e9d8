// The command line.
#include "Options.hpp"

#include <CLI/CLI.hpp>
#include <set>

#include "model/CompiledModels.hpp"
#include "model/ModelShapes.hpp"

namespace llama_generate {
namespace {

constexpr char description[] =
    "Generates text with a Llama model (checkpoints of llama2.c) whose keys and values lie in "
    "pages. All prompts run together: requests join and leave the batch at every step, share the "
    "pages of equal beginnings, and give way to older ones where pages run out.";

constexpr char footer[] =
    "Without a prompt the model begins a text of its own. Of one prompt the text is written as it "
    "is made, of several when all are done.\n\n"
    "Where pages run out, the youngest sequence is preempted: it goes to host pages, or is "
    "computed again later. Its text stays the same.\n\n"
    "Options that begin with --kokkos- are passed on to Kokkos.";

std::set<int> page_sizes() {
  std::set<int> sizes;
  for (auto const& pages : compiled_pages) sizes.insert(pages.page_size);
  return sizes;
}

}  // namespace

std::optional<int> parse_options(int argc, char const* const* argv, Options& options) {
  CLI::App app{description};
  app.footer(footer);
  auto const at_least_one = CLI::Range(1u, 1u << 24);

  app.add_option("--model", options.model,
                 "checkpoint of llama2.c (default: stories260K.bin in the folder model of "
                 "$KOKKOSKV_DATA)");
  auto* const random =
      app.add_option("--random-weights", options.random_weights,
                     "no checkpoint, but random weights of this shape, to see how fast it is; "
                     "prompts and texts are token ids unless there is a --tokenizer")
          ->check(CLI::IsMember(model_shape_names()))
          ->excludes("--model");
  app.add_option("--weight-seed", options.weight_seed, "of the random weights")
      ->needs(random)
      ->capture_default_str();
  app.add_option("--weight-type", options.weight_type,
                 "what weights are rounded to (default: float; bf16 for random ones)")
      ->check(CLI::IsMember({"float", "bf16", "half"}));
  app.add_option("--tokenizer", options.tokenizer,
                 "vocabulary file of llama2.c (default: tok512.bin in the same folder)");
  app.add_option("--prompt", options.prompts, "a text to continue; may be given several times")
      ->allow_extra_args(false);
  app.add_option("--prompt-tokens", options.prompt_tokens,
                 "the same as token ids apart by blanks, BOS (1) included")
      ->allow_extra_args(false);
  app.add_option("--prompts", options.prompt_file, "a file with a prompt on each line");
  app.add_option("-n", options.max_new_tokens, "most new tokens of each text")
      ->check(at_least_one)
      ->capture_default_str();
  app.add_option("--batch", options.batch, "most sequences that run at once")
      ->check(CLI::Range(1u, 1u << 16))
      ->capture_default_str();
  app.add_option("--pages", options.num_pages,
                 "pages of the pool (default: enough for a full batch of the longest texts)")
      ->check(CLI::Range(1u, 1u << 28));
  app.add_option("--page-size", options.page_size, "tokens of a page")
      ->check(CLI::IsMember(page_sizes()))
      ->capture_default_str();
  app.add_option("--chunk", options.chunk, "most tokens of a prompt that are computed in a step")
      ->check(at_least_one)
      ->capture_default_str();
  app.add_option("--cache-type", options.cache_type,
                 "how keys and values are stored (default: float; bf16 for random weights)")
      ->check(CLI::IsMember({"float", "bf16", "half"}));
  app.add_option("--temperature", options.sampling.temperature,
                 "how much chance has a say; 0: the most likely token")
      ->check(CLI::Range(0.0f, 100.0f))
      ->capture_default_str();
  app.add_option("--top-p", options.sampling.top_p,
                 "draw only from the likeliest tokens that together have this probability")
      ->check(CLI::Range(0.0f, 1.0f))
      ->capture_default_str();
  app.add_option("--seed", options.sampling.seed,
                 "of the first prompt; the others have the numbers that follow")
      ->capture_default_str();
  app.add_option("--host-pages", options.host_pages,
                 "pages of host memory, for who is preempted and what is evicted")
      ->check(CLI::Range(0u, 1u << 28))
      ->capture_default_str();
  app.add_flag("--stats", options.stats, "say what it took");
  app.add_option("--json", options.json, "also write texts, tokens and figures to a file");
  app.add_flag("--quiet", options.quiet, "no progress bar");

  try {
    app.parse(argc, argv);
  } catch (CLI::ParseError const& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return std::nullopt;
}

}  // namespace llama_generate
