// What is told at the end: texts, figures, and both as JSON.
#pragma once

#include <iosfwd>
#include <vector>

#include "Options.hpp"
#include "Texts.hpp"
#include "model/LanguageModel.hpp"
#include "serving/Request.hpp"
#include "serving/Scheduler.hpp"

namespace llama_generate {

struct Run {
  Options const& options;
  std::vector<Request> const& requests;
  Texts const& texts;
  LanguageModel const& model;
  Scheduler const& scheduler;
  double seconds;

  double tokens_per_second() const;
  /// Bytes of weights a second, read once in each step.
  double weight_bytes_per_second() const;
};

/// Prompt and continuation of each request.
void print_texts(std::ostream& out, Run const& run);
void print_statistics(std::ostream& out, Run const& run);
void write_json(std::ostream& out, Run const& run);

}  // namespace llama_generate
