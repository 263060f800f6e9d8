// The conversation trace of Mooncake through the page manager, on one core. `roofline` is the
// number of blocks a second over the million that the manager is meant to serve.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "../Benchmarks.hpp"
#include "../PairedTiming.hpp"
#include "ManagerSetup.hpp"

namespace KokkosKV::Perf {
namespace {

constexpr double required_blocks_per_second = 1e6;
/// A block of the trace is known by a number alone: two tokens hold it.
constexpr std::uint32_t tokens_per_block = 2;

/// $KOKKOSKV_DATA or, by default, what lies beside the checkout.
std::filesystem::path trace_path() {
  char const* const given = std::getenv("KOKKOSKV_DATA");
  auto const folder       = given != nullptr && *given != '\0'
                                ? std::filesystem::path(given)
                                : std::filesystem::path(KOKKOSKV_SOURCE_DIR) / ".." / "shared" / "data";
  return folder / "traces" / "mooncake_conversation_trace.jsonl";
}

/// Tokens of each request; one request a line, whose `hash_ids` number its blocks.
std::vector<std::vector<std::uint32_t>> read_trace(std::filesystem::path const& path,
                                                   std::size_t most_requests) {
  std::vector<std::vector<std::uint32_t>> requests;
  std::ifstream in(path);
  for (std::string line; requests.size() < most_requests && std::getline(in, line);) {
    auto const object = nlohmann::json::parse(line);
    auto& tokens      = requests.emplace_back();
    for (auto const& number : object.at("hash_ids")) {
      auto const block = number.get<std::uint64_t>();
      tokens.push_back(static_cast<std::uint32_t>(block));
      tokens.push_back(static_cast<std::uint32_t>(block >> 32));
    }
  }
  return requests;
}

void trace(benchmark::State& state, EvictionKind kind, std::uint32_t num_pages,
           std::size_t most_requests) {
  auto const path = trace_path();
  if (!std::filesystem::exists(path)) {
    state.SkipWithMessage(path.string() + " is missing (KOKKOSKV_DATA names the data folder)");
    return;
  }
  auto const requests = read_trace(path, most_requests);
  std::size_t tokens = 0, hits = 0;
  for (auto const& request : requests) tokens += request.size();

  std::vector<double> times;
  for ([[maybe_unused]] auto _ : state) {
    PageManager manager({.num_pages            = num_pages,
                         .page_size            = tokens_per_block,
                         .eviction             = kind,
                         .recompute_last_token = false});
    hits = 0;
    times.push_back(seconds([&] {
      for (auto const& request : requests) hits += serve(manager, request);
    }));
    state.SetIterationTime(times.back());
  }
  auto const blocks                   = static_cast<double>(tokens / tokens_per_block);
  auto const rate                     = blocks / median(times);
  state.counters["blocks_per_second"] = rate;
  state.counters["roofline"]          = rate / required_blocks_per_second;
  state.counters["median_us"]         = 1e6 / rate;
  state.counters["hit_rate"]          = static_cast<double>(hits) / static_cast<double>(tokens);
}

}  // namespace

void register_manager_trace_benchmarks(Scale scale) {
  bool const is_full     = scale == Scale::full;
  std::size_t const most = is_full ? ~std::size_t(0) : 100;
  for (auto const kind : eviction_kinds) {
    for (std::uint32_t const num_pages : {1000, 10000, 50000}) {
      benchmark::RegisterBenchmark(
          "manager/trace/" + to_text(kind) + "/pages:" + std::to_string(num_pages),
          [=](benchmark::State& state) { trace(state, kind, num_pages, most); })
          ->UseManualTime()
          ->Iterations(is_full ? 7 : 1);
    }
  }
}

}  // namespace KokkosKV::Perf
