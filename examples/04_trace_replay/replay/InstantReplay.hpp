// The instant model: each request comes, is computed and goes before the next one comes.
#pragma once

#include "replay/Results.hpp"
#include "replay/Settings.hpp"
#include "replay/StepObserver.hpp"
#include "replay/Workload.hpp"

namespace trace_replay {

/// Serves the prompts alone, one after the other in the order of the trace.
Results replay_instantly(Workload const& workload, Settings const& settings,
                         KokkosKV::PageManager& manager, StepObserver* observer,
                         Progress const& progress);

}  // namespace trace_replay
