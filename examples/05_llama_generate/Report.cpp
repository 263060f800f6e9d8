// Lays out texts, the table of figures and the JSON document.
#include "Report.hpp"

#include <KokkosKV_Version.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "common/Text.hpp"

namespace llama_generate {
namespace {

using example::format;
using example::grouped;
using example::print_line;
using nlohmann::ordered_json;

std::vector<std::uint32_t> all_tokens(Run const& run, std::size_t id) {
  auto tokens           = run.requests[id].prompt;
  auto const& generated = run.scheduler.completion(id).tokens;
  tokens.insert(tokens.end(), generated.begin(), generated.end());
  return tokens;
}

char const* to_text(Finish finish) {
  switch (finish) {
    case Finish::none:
      return "none";
    case Finish::stop:
      return "stop";
    case Finish::length:
      return "length";
    case Finish::context:
      return "context";
  }
  return "";
}

}  // namespace

double Run::tokens_per_second() const {
  return static_cast<double>(scheduler.statistics().new_tokens) / seconds;
}

double Run::weight_bytes_per_second() const {
  return static_cast<double>(model.weight_bytes()) *
         static_cast<double>(scheduler.statistics().steps) / seconds;
}

void print_texts(std::ostream& out, Run const& run) {
  for (std::size_t id = 0; id < run.requests.size(); ++id) {
    out << "--- " << id + 1 << '\n' << run.texts.decode(all_tokens(run, id)) << '\n';
  }
}

void print_statistics(std::ostream& out, Run const& run) {
  auto const& counts = run.scheduler.statistics();
  auto const& pages  = run.scheduler.manager().statistics();
  auto const figure  = [&](char const* name, std::uint64_t value, std::string const& note = "") {
    print_line(out, name, grouped(value), note);
  };
  out << "llama_generate: " << run.requests.size() << " requests, "
      << run.scheduler.manager().options().num_pages << " pages of " << run.options.page_size
      << " tokens, cache " << run.options.cache_type << '\n';
  figure(
      "steps", counts.steps,
      format("%.1f rows each", static_cast<double>(counts.rows) /
                                   static_cast<double>(std::max<std::uint64_t>(counts.steps, 1))));
  figure("peak batch", counts.peak_batch);
  figure("new tokens", counts.new_tokens,
         format("%.0f a second, %.3f s", run.tokens_per_second(), run.seconds));
  figure("bytes of weights", run.model.weight_bytes(),
         format("once in each step: %.2f GB/s", run.weight_bytes_per_second() * 1e-9));
  figure("preemptions", counts.preemptions);
  figure("swapped out", pages.swapped_out, grouped(pages.swapped_in) + " came back");
  figure("prefix hits", pages.hit_pages + pages.hit_host_pages,
         "pages, " + grouped(pages.hit_host_pages) + " of them from host pages");
  figure("evictions", pages.evicted_pages, "pages");
  figure("copied pages", pages.copied_pages);
}

void write_json(std::ostream& out, Run const& run) {
  auto const& options = run.options;
  auto const& counts  = run.scheduler.statistics();
  ordered_json json;
  json["context"] = {{"kokkoskv_version", KOKKOSKV_VERSION_STRING}};
  json["options"] = {{"model", options.model},
                     {"random_weights", options.random_weights},
                     {"weight_seed", options.weight_seed},
                     {"weight_type", options.weight_type},
                     {"tokenizer", options.tokenizer},
                     {"max_new_tokens", options.max_new_tokens},
                     {"batch", options.batch},
                     {"pages", run.scheduler.manager().options().num_pages},
                     {"page_size", options.page_size},
                     {"chunk", options.chunk},
                     {"cache_type", options.cache_type},
                     {"temperature", options.sampling.temperature},
                     {"top_p", options.sampling.top_p},
                     {"seed", options.sampling.seed},
                     {"host_pages", options.host_pages}};
  json["results"] = {{"steps", counts.steps},
                     {"rows", counts.rows},
                     {"new_tokens", counts.new_tokens},
                     {"peak_batch", counts.peak_batch},
                     {"preemptions", counts.preemptions},
                     {"seconds", run.seconds},
                     {"tokens_per_second", run.tokens_per_second()},
                     {"weight_bytes", run.model.weight_bytes()},
                     {"weight_bytes_per_second", run.weight_bytes_per_second()}};
  json["manager"] = ordered_json::parse(to_json(run.scheduler.manager().read_statistics()));
  for (std::size_t id = 0; id < run.requests.size(); ++id) {
    auto const& completion = run.scheduler.completion(id);
    json["requests"].push_back({{"prompt_tokens", run.requests[id].prompt},
                                {"new_tokens", completion.tokens},
                                {"finish", to_text(completion.finish)},
                                {"text", run.texts.decode(all_tokens(run, id))}});
  }
  // A text may end within a character.
  out << json.dump(2, ' ', false, ordered_json::error_handler_t::replace) << '\n';
}

}  // namespace llama_generate
