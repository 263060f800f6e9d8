// A replay as the rest of the program sees it: requests and settings in, figures out.
#pragma once

#include "replay/Results.hpp"
#include "replay/Settings.hpp"
#include "replay/StepObserver.hpp"
#include "replay/Workload.hpp"

namespace trace_replay {

/// Replays all requests.
/// \param observer  told of every step; may be null
/// \param progress  told of every request that has been served; may be empty
/// \throws UsageError  a request needs more pages than there are
Results replay(Workload const& workload, Settings const& settings, StepObserver* observer = nullptr,
               Progress const& progress = {});

}  // namespace trace_replay
