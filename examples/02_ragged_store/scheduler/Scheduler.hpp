// Decides what each step stores, as the scheduler of an inference engine would: continuous batching
// with chunked prefill. Host code that knows nothing of the cache but pages and lengths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/trace/Request.hpp"
#include "scheduler/FreePages.hpp"

namespace ragged_store {

struct SchedulerLimits {
  std::uint32_t num_pages;  ///< of the pool
  std::uint32_t page_size;  ///< tokens of a page
  std::uint32_t max_batch;  ///< sequences that run at once
  std::uint32_t budget;     ///< tokens of a step
  std::uint32_t chunk;      ///< prompt tokens of one request in a step
};

/// New tokens of one sequence in a step.
struct StepPiece {
  std::uint32_t slot;         ///< row of the batch
  std::uint32_t request;      ///< index in the workload
  std::uint32_t first_token;  ///< tokens in the cache before the step
  std::uint32_t tokens;
};

struct Step {
  std::vector<StepPiece> pieces;        ///< by ascending slot
  std::vector<std::uint32_t> admitted;  ///< slots whose pages are new since the step before
  std::uint32_t tokens = 0;
};

/// A request keeps its slot and its pages from admission until release().
class Scheduler {
 public:
  Scheduler(std::span<example::Request const> requests, SchedulerLimits const& limits,
            std::uint64_t seed);

  /// Says which request could never run because it is larger than the pool; nothing if all can.
  static std::optional<std::string> find_unservable(std::span<example::Request const> requests,
                                                    SchedulerLimits const& limits);

  /// True when every request has been released.
  bool is_done() const { return m_finished == m_requests.size(); }
  /// Requests that are done.
  std::size_t finished() const { return m_finished; }

  /// Admits what fits and plans the next step: one token for each sequence that decodes, then
  /// prompts in order of arrival. Empty only when everything left had no tokens at all.
  Step next_step();

  /// Marks the step's tokens as cached; returns the slots whose requests are complete.
  std::vector<std::uint32_t> complete(Step const& step);

  /// Gives the pages and the slot of a complete request back.
  void release(std::uint32_t slot);

  std::uint32_t request(std::uint32_t slot) const { return m_slots[slot].request; }
  std::uint32_t cached(std::uint32_t slot) const { return m_slots[slot].cached; }
  std::span<std::uint32_t const> pages(std::uint32_t slot) const { return m_slots[slot].pages; }
  FreePages const& free_pages() const { return m_free_pages; }

 private:
  struct Slot {
    std::uint32_t request = 0;
    std::uint32_t cached  = 0;
    std::vector<std::uint32_t> pages;
  };

  void admit(Step& step);

  std::span<example::Request const> m_requests;
  SchedulerLimits m_limits;
  FreePages m_free_pages;
  std::vector<Slot> m_slots;
  std::vector<std::uint32_t> m_free_slots;
  std::vector<std::uint32_t> m_running;  ///< slots by order of arrival
  std::size_t m_next_arrival = 0;
  std::size_t m_finished     = 0;
};

/// Pages that hold all tokens of a request.
inline std::uint64_t pages_needed(example::Request const& request, std::uint32_t page_size) {
  return (request.tokens() + page_size - 1) / page_size;
}

}  // namespace ragged_store
