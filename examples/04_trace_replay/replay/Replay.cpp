// Serves the requests by one of the models, and looks whether all was given back.
#include "replay/Replay.hpp"

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>

#include "common/UsageError.hpp"
#include "replay/InstantReplay.hpp"
#include "replay/TimedReplay.hpp"

namespace trace_replay {
namespace {

/// The instant model asks for exactly the pages that the trace names; the timed one runs like an
/// engine, which computes the last token of every prompt.
KokkosKV::PageManagerOptions manager_options(Settings const& settings) {
  return {.num_pages            = settings.num_pages,
          .page_size            = settings.page.ids,
          .eviction             = settings.kind,
          .recompute_last_token = settings.timed.has_value()};
}

KokkosKV::PageTiers make_tiers(Settings const& settings, StepObserver* observer) {
  auto const& tiers = settings.tiers;
  KokkosKV::PageTiers result;
  if (tiers.host_pages == 0) return result;
  result.transfer = observer != nullptr
                        ? observer->make_transfer(tiers.host_pages)
                        : std::make_shared<KokkosKV::NoPageTransfer>(tiers.host_pages);
  if (tiers.file_folder.empty()) return result;
  KokkosKV::PageFileOptions options;
  options.capacity_bytes = tiers.file_capacity;
  options.page_size      = settings.page.ids;
  options.page_bytes     = result.transfer->page_bytes();
  options.sync           = false;
  try {
    result.files = std::make_shared<KokkosKV::PageFileTier>(tiers.file_folder, options);
  } catch (std::exception const& error) {
    throw example::UsageError(std::string("--file-tier: ") + error.what());
  }
  return result;
}

/// A request that is larger than the pool could never run.
void check_requests(Workload const& workload, Settings const& settings) {
  for (std::size_t i = 0; i < workload.size(); ++i) {
    auto const pages = settings.timed ? pages_at_end(workload.request(i), settings.page.tokens)
                                      : workload.num_prompt_pages(i, settings.page.tokens);
    if (pages <= settings.num_pages) continue;
    throw example::UsageError("request " + std::to_string(i + 1) + " needs " +
                              std::to_string(pages) + " pages of " +
                              std::to_string(settings.page.tokens) + " tokens, the pool has " +
                              std::to_string(settings.num_pages) + " (see --pages)");
  }
}

void check_end(Results const& results, Workload const& workload, Settings const& settings) {
  auto const& pages = results.manager.pages;
  if (results.requests != workload.size()) throw std::logic_error("requests were lost");
  if (pages.used != 0 || pages.host_used != 0 || pages.free + pages.cached != settings.num_pages) {
    throw std::logic_error("pages were lost");
  }
}

}  // namespace

Results replay(Workload const& workload, Settings const& settings, StepObserver* observer,
               Progress const& progress) {
  check_requests(workload, settings);
  using clock      = std::chrono::steady_clock;
  auto const begin = clock::now();
  KokkosKV::PageManager manager(manager_options(settings), make_tiers(settings, observer));
  Results results;
  if (settings.timed) {
    results = TimedReplay(workload, settings, manager, observer, progress).run();
  } else {
    results = replay_instantly(workload, settings, manager, observer, progress);
  }
  results.manager = manager.read_statistics();
  for (std::size_t i = 0; i < workload.size(); ++i) {
    results.prompt_pages += workload.num_prompt_pages(i, settings.page.tokens);
  }
  results.host_seconds = std::chrono::duration<double>(clock::now() - begin).count();
  check_end(results, workload, settings);
  return results;
}

}  // namespace trace_replay
