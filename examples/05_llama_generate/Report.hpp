// What is told at the end: texts, figures, and both as JSON.
#pragma once

#include <iosfwd>
#include <vector>

#include "Options.hpp"
#include "model/Tokenizer.hpp"
#include "serving/Request.hpp"
#include "serving/Scheduler.hpp"

namespace llama_generate {

struct Run {
  Options const& options;
  std::vector<Request> const& requests;
  Tokenizer const& tokenizer;
  Scheduler const& scheduler;
  double seconds;

  double tokens_per_second() const;
};

/// Prompt and continuation of each request.
void print_texts(std::ostream& out, Run const& run);
void print_statistics(std::ostream& out, Run const& run);
void write_json(std::ostream& out, Run const& run);

}  // namespace llama_generate
