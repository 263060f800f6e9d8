// Tokens a second of a trained model: one text alone, and a batch of 64, where `roofline` is the
// throughput of the batch over twelve times that of one text, measured in turn; and decoding with
// random weights of a larger shape.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "../Benchmarks.hpp"
#include "../PairedTiming.hpp"
#include "../attention/AttentionReferences.hpp"
#include "../store/StoreSetup.hpp"
#include "KernelTimes.hpp"
#include "common/DataFolder.hpp"
#include "model/Checkpoint.hpp"
#include "model/MakeModel.hpp"
#include "model/ModelShapes.hpp"
#include "serving/Scheduler.hpp"

namespace KokkosKV::Perf {
namespace {

using namespace llama_generate;

constexpr std::uint32_t page_size         = 16;
constexpr std::uint32_t num_pages         = 64 * (512 / page_size + 1);
constexpr double required_gain_of_a_batch = 12;

/// Texts that begin with different tokens, and end where the model ends them.
class Texts {
 public:
  Texts(LanguageModel& model, std::uint32_t batch, std::uint32_t num_tokens)
      : m_model(model), m_batch(batch), m_num_tokens(num_tokens) {}

  void run() {
    Scheduler scheduler(m_model, {num_pages, page_size, m_batch});
    for (std::uint32_t i = 0; i < m_batch; ++i)
      scheduler.submit({{bos_token, first_word + i}, m_num_tokens});
    while (scheduler.step()) continue;
    m_statistics = scheduler.statistics();
  }
  SchedulerStatistics const& statistics() const { return m_statistics; }

 private:
  /// The first token that is more than a byte; all that follow are in the vocabulary too.
  static constexpr std::uint32_t first_word = 403;

  LanguageModel& m_model;
  std::uint32_t m_batch;
  std::uint32_t m_num_tokens;
  SchedulerStatistics m_statistics;
};

/// The share that each part has of a run, as counters.
void count_shares(benchmark::State& state, Texts& texts) {
  KernelTimes times;
  auto const total = seconds([&] { times = measure_kernels([&] { texts.run(); }); });
  double attention = 0, products = 0, stores = 0, other = 0;
  for (auto const& [label, time] : times) {
    auto const has = [&](char const* part) { return label.find(part) != std::string::npos; };
    auto& share    = has("attention")               ? attention
                     : has("::project")             ? products
                     : has("kv_cache_store_ragged") ? stores
                                                    : other;
    share += time;
  }
  state.counters["share_attention"]     = attention / total;
  state.counters["share_products"]      = products / total;
  state.counters["share_stores"]        = stores / total;
  state.counters["share_other_kernels"] = other / total;
  state.counters["share_host"]          = 1 - (attention + products + stores + other) / total;
}

void generate(benchmark::State& state, std::uint32_t batch, std::uint32_t num_tokens) {
  std::filesystem::path const path = example::data_path("model/stories260K.bin");
  if (!std::filesystem::exists(path)) {
    state.SkipWithMessage(path.string() + " is missing (KOKKOSKV_DATA names the data folder)");
    return;
  }
  auto const model = make_model({}, read_checkpoint(path.string()),
                                {"float", static_cast<int>(page_size), num_pages});
  Texts alone(*model, 1, num_tokens), together(*model, batch, num_tokens);
  auto const rate = [](Texts& texts) {
    auto const time = seconds([&] { texts.run(); });
    return static_cast<double>(texts.statistics().new_tokens) / time;
  };
  alone.run();
  together.run();
  std::vector<double> rates, gains;
  for ([[maybe_unused]] auto _ : state) {
    auto const of_one = rate(alone);
    rates.push_back(rate(together));
    gains.push_back(rates.back() / of_one);
    state.SetIterationTime(static_cast<double>(together.statistics().new_tokens) / rates.back());
  }
  auto const tokens_per_second        = median(rates);
  state.counters["tokens_per_second"] = tokens_per_second;
  state.counters["median_us"]         = 1e6 / tokens_per_second;
  state.counters["rows_per_step"]     = static_cast<double>(together.statistics().rows) /
                                    static_cast<double>(together.statistics().steps);
  if (batch > 1) state.counters["roofline"] = median(gains) / required_gain_of_a_batch;
  count_shares(state, together);
}

/// A text of a model with random weights, which is read whole for each token, against reading as
/// much from memory.
void decode(benchmark::State& state, std::string const& shape, int steps) {
  auto const config = find_model_shape(shape);
  auto const model =
      make_random_model({}, *config, 1, {"bf16", static_cast<int>(page_size), num_pages}, "bf16");
  Scheduler scheduler(*model, {num_pages, page_size, 1});
  scheduler.submit({{bos_token}, std::min(config->context, page_size * num_pages / 2)});
  // A part of the weights' size, so that both fit in small machines.
  constexpr std::size_t granule = 1024;
  auto const read_bytes = std::min(model->weight_bytes(), std::size_t(1) << 30) / granule * granule;
  auto const memory     = make_data<Kokkos::View<char*>>("memory", read_bytes);
  Kokkos::deep_copy(memory, 1);
  auto const bytes = static_cast<double>(model->weight_bytes()) * steps;
  PairedWork const amount{
      .bytes = bytes, .times_reference = bytes / static_cast<double>(read_bytes), .steps = steps};
  measure_pairs(
      state, amount,
      [&](int) {
        benchmark::DoNotOptimize(
            parallel_read(Kokkos::DefaultExecutionSpace{}, memory.data(), read_bytes));
      },
      [&](int) {
        for (int step = 0; step < steps; ++step) scheduler.step();
      });
}

}  // namespace

void register_model_benchmarks(Scale scale) {
  bool const is_full = scale == Scale::full;
  for (std::uint32_t const batch : {1u, 64u}) {
    benchmark::RegisterBenchmark(
        "model/generate/batch:" + std::to_string(batch),
        [=](benchmark::State& state) { generate(state, batch, is_full ? 256 : 8); })
        ->UseManualTime()
        ->Iterations(is_full ? 9 : 1);
  }
  std::string const shape = is_full ? "llama3-1b" : "stories260k";
  benchmark::RegisterBenchmark(
      "model/decode/" + shape,
      [=](benchmark::State& state) { decode(state, shape, is_full ? 4 : 1); })
      ->UseManualTime()
      ->Iterations(is_full ? 9 : 1);
}

}  // namespace KokkosKV::Perf
