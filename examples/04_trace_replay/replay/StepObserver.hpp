// Who is told of every step, as an engine would that launches it.
#pragma once

#include <cstdint>
#include <memory>

#include <manager/KokkosKV_PageManager.hpp>

namespace trace_replay {

class StepObserver {
 public:
  virtual ~StepObserver() = default;
  /// A step is prepared: now is the time to store its rows.
  virtual void step(KokkosKV::PageManager const& manager, KokkosKV::StepLayout const& layout) = 0;
  /// Moves pages between the pool and host pages.
  virtual std::shared_ptr<KokkosKV::PageTransfer> make_transfer(std::uint32_t num_host_pages) = 0;
  /// A sequence will not occur again.
  virtual void end(KokkosKV::SequenceId id) = 0;
};

}  // namespace trace_replay
