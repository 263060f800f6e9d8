// One step a request.
#include "replay/InstantReplay.hpp"

#include <stdexcept>
#include <vector>

#include "replay/Peaks.hpp"

namespace trace_replay {

Results replay_instantly(Workload const& workload, Settings const& settings,
                         KokkosKV::PageManager& manager, StepObserver* observer,
                         Progress const& progress) {
  Results results;
  std::vector<std::uint32_t> ids;
  for (std::size_t i = 0; i < workload.size(); ++i) {
    ids.clear();
    workload.append_prompt(i, settings.page, ids);
    KokkosKV::StepRequest const request{manager.create(ids)};
    auto const layout = manager.prepare_step({&request, 1});
    if (!layout.fits()) throw std::logic_error("a request that fits the pool was refused");
    results.hit_pages += layout.cache_lengths[0] / settings.page.ids;
    if (observer != nullptr) observer->step(manager, layout);
    update_peaks(results, manager.page_counts());
    manager.commit_step();
    manager.free(request.sequence);
    if (observer != nullptr) observer->end(request.sequence);
    ++results.requests;
    if (progress) progress(results.requests);
  }
  return results;
}

}  // namespace trace_replay
