// llama_generate: text from a trained model, with continuous batching over the paged cache.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>

#include "Options.hpp"
#include "Prompts.hpp"
#include "Report.hpp"
#include "common/DataFolder.hpp"
#include "common/OutputFile.hpp"
#include "common/ProgressBar.hpp"
#include "common/RunProgram.hpp"
#include "common/UsageError.hpp"
#include "model/Checkpoint.hpp"
#include "model/MakeModel.hpp"
#include "model/Tokenizer.hpp"
#include "serving/Scheduler.hpp"

namespace {

using namespace llama_generate;

std::uint32_t default_num_pages(Options const& options, ModelConfig const& config) {
  auto const page_size = static_cast<std::uint32_t>(options.page_size);
  auto const pages     = std::uint64_t(options.batch) * (config.context / page_size + 1);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(pages, 1u << 28));
}

/// Writes the text of the only request while it is made.
class TextStream {
 public:
  TextStream(Tokenizer const& tokenizer, Request const& request)
      : m_tokenizer(tokenizer), m_previous(request.prompt.back()) {
    std::cout << tokenizer.decode(request.prompt) << std::flush;
  }
  TextStream(TextStream const&)            = delete;
  TextStream& operator=(TextStream const&) = delete;
  ~TextStream() { std::cout << std::endl; }

  void add(std::uint32_t token) {
    std::cout << m_tokenizer.decode(m_previous, token) << std::flush;
    m_previous = token;
  }

 private:
  Tokenizer const& m_tokenizer;
  std::uint32_t m_previous;
};

void stream_text(Scheduler& scheduler, Tokenizer const& tokenizer, Request const& request) {
  TextStream text(tokenizer, request);
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
  if (options.model.empty()) options.model = example::data_path("model/stories260K.bin");
  if (options.tokenizer.empty()) options.tokenizer = example::data_path("model/tok512.bin");
  auto const checkpoint = read_checkpoint(options.model);
  auto const tokenizer  = read_tokenizer(options.tokenizer, checkpoint.config.vocab_size);
  auto const requests   = make_requests(options, tokenizer);
  example::OutputFile json(options.json);
  auto const num_pages = options.num_pages.value_or(default_num_pages(options, checkpoint.config));

  Kokkos::ScopeGuard const guard(kokkos_argc, kokkos_argv);
  auto const model = make_model({}, checkpoint, {options.cache_type, options.page_size, num_pages});
  Scheduler scheduler(*model, {num_pages, static_cast<std::uint32_t>(options.page_size),
                               options.batch, options.chunk, options.host_pages});
  for (auto const& request : requests) scheduler.submit(request);

  auto const start       = std::chrono::steady_clock::now();
  bool const is_streamed = requests.size() == 1;
  if (is_streamed) {
    stream_text(scheduler, tokenizer, requests[0]);
  } else {
    show_progress(scheduler, !options.quiet);
  }
  std::chrono::duration<double> const elapsed = std::chrono::steady_clock::now() - start;
  Run const result{options, requests, tokenizer, scheduler, elapsed.count()};
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
