// llama_generate: text from a trained model, with continuous batching over the paged cache.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "Options.hpp"
#include "Prompts.hpp"
#include "Report.hpp"
#include "Texts.hpp"
#include "common/DataFolder.hpp"
#include "common/OutputFile.hpp"
#include "common/ProgressBar.hpp"
#include "common/RunProgram.hpp"
#include "common/UsageError.hpp"
#include "model/Checkpoint.hpp"
#include "model/MakeModel.hpp"
#include "model/ModelShapes.hpp"
#include "model/Tokenizer.hpp"
#include "serving/Scheduler.hpp"

namespace {

using namespace llama_generate;

/// Pages of a batch of the longest texts that may come.
std::uint32_t default_num_pages(Options const& options, ModelConfig const& config,
                                std::vector<Request> const& requests) {
  std::uint64_t longest = 0;
  for (auto const& request : requests) {
    longest = std::max(longest, std::uint64_t(request.prompt.size()) + request.max_new_tokens);
  }
  longest              = std::min<std::uint64_t>(longest, config.context);
  auto const batch     = std::min<std::uint64_t>(options.batch, requests.size());
  auto const page_size = static_cast<std::uint32_t>(options.page_size);
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(batch * (longest / page_size + 1), 1u << 28));
}

/// Whose sizes are known before its weights are made.
struct ModelSource {
  ModelConfig config;
  Checkpoint checkpoint;  ///< empty where weights are random
};

ModelSource read_source(Options const& options) {
  if (!options.random_weights.empty()) return {*find_model_shape(options.random_weights), {}};
  auto checkpoint = read_checkpoint(options.model);
  return {checkpoint.config, std::move(checkpoint)};
}

std::unique_ptr<LanguageModel> make(ModelSource const& source, Options const& options,
                                    std::uint32_t num_pages) {
  PoolOptions const pool{options.cache_type, options.page_size, num_pages};
  if (options.random_weights.empty()) {
    return make_model({}, source.checkpoint, pool, options.weight_type);
  }
  return make_random_model({}, source.config, options.weight_seed, pool, options.weight_type);
}

/// Fills in what was left open.
void complete(Options& options) {
  bool const is_random = !options.random_weights.empty();
  for (auto* const type : {&options.weight_type, &options.cache_type}) {
    if (type->empty()) *type = is_random ? "bf16" : "float";
  }
  if (is_random) return;
  if (options.model.empty()) options.model = example::data_path("model/stories260K.bin");
  if (options.tokenizer.empty()) options.tokenizer = example::data_path("model/tok512.bin");
}

/// Writes the text of the only request while it is made.
class TextStream {
 public:
  TextStream(Texts const& texts, Request const& request)
      : m_texts(texts), m_previous(request.prompt.back()) {
    std::cout << texts.decode(request.prompt) << std::flush;
  }
  TextStream(TextStream const&)            = delete;
  TextStream& operator=(TextStream const&) = delete;
  ~TextStream() { std::cout << std::endl; }

  void add(std::uint32_t token) {
    std::cout << m_texts.decode(m_previous, token) << std::flush;
    m_previous = token;
  }

 private:
  Texts const& m_texts;
  std::uint32_t m_previous;
};

void stream_text(Scheduler& scheduler, Texts const& texts, Request const& request) {
  TextStream text(texts, request);
  scheduler.set_token_callback([&](auto, std::uint32_t token) { text.add(token); });
  while (scheduler.step()) continue;
  scheduler.set_token_callback({});
}

void show_progress(Scheduler& scheduler, bool is_wanted) {
  auto const total = scheduler.num_requests();
  example::ProgressBar bar(total, is_wanted);
  while (scheduler.step()) {
    auto const done = scheduler.num_finished();
    bar.update(done, std::to_string(done) + " of " + std::to_string(total) + " texts");
  }
}

int run(Options options, int kokkos_argc, char** kokkos_argv) {
  complete(options);
  auto const source   = read_source(options);
  auto const& config  = source.config;
  auto const texts    = options.tokenizer.empty()
                            ? Texts()
                            : Texts(read_tokenizer(options.tokenizer, config.vocab_size));
  auto const requests = make_requests(options, texts);
  example::OutputFile json(options.json);
  auto const num_pages = options.num_pages.value_or(default_num_pages(options, config, requests));

  Kokkos::ScopeGuard const guard(kokkos_argc, kokkos_argv);
  auto const model = make(source, options, num_pages);
  Scheduler scheduler(*model, {num_pages, static_cast<std::uint32_t>(options.page_size),
                               options.batch, options.chunk, options.host_pages});
  for (auto const& request : requests) scheduler.submit(request);

  auto const start       = std::chrono::steady_clock::now();
  bool const is_streamed = requests.size() == 1;
  if (is_streamed) {
    stream_text(scheduler, texts, requests[0]);
  } else {
    show_progress(scheduler, !options.quiet);
  }
  std::chrono::duration<double> const elapsed = std::chrono::steady_clock::now() - start;
  Run const result{options, requests, texts, *model, scheduler, elapsed.count()};
  if (!is_streamed) print_texts(std::cout, result);
  if (options.stats) print_statistics(std::cout, result);
  if (json.is_wanted()) {
    write_json(json.stream(), result);
    json.close();
  }
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  return example::run_program<Options>("llama_generate", argc, argv, parse_options, run);
}
