// The timed model: an engine with continuous batching, on a clock of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "replay/Results.hpp"
#include "replay/Settings.hpp"
#include "replay/StepObserver.hpp"
#include "replay/Workload.hpp"

namespace trace_replay {

/// Pages of a request when it ends: its last token is never computed.
inline std::uint64_t pages_at_end(example::Request const& request, std::uint32_t page_tokens) {
  auto const stored = request.tokens() - (request.generated > 0);
  return (stored + page_tokens - 1) / page_tokens;
}

/// Requests wait in the order of their arrival. Each step has one row of every sequence that
/// decodes, then rows of prompts as the budget allows. Where pages lack for a step, the youngest
/// sequence gives its up, and waits at the front of the queue: where there is room in host pages it
/// is swapped out, else it is computed again, as far as its pages are not found in the cache then.
///
/// Running sequences stay in the order of their arrival: nobody overtakes at the queue, and whoever
/// returns to it was the youngest.
class TimedReplay {
 public:
  TimedReplay(Workload const& workload, Settings const& settings, KokkosKV::PageManager& manager,
              StepObserver* observer, Progress const& progress);

  /// All requests; once.
  Results run();

 private:
  /// What is known of a request while it waits, runs or waits again.
  struct State {
    std::optional<KokkosKV::SequenceId> id;  ///< of the manager, once the request has run
    std::uint32_t produced   = 0;            ///< answer tokens
    std::uint32_t high_water = 0;            ///< most tokens that were ever stored
    std::int64_t first_token = 0;            ///< when it came, in microseconds
  };
  struct Running {
    std::size_t request;
    KokkosKV::SequenceId id;
    std::uint32_t length;  ///< tokens so far
    std::uint32_t stored;  ///< of them
    bool is_new  = true;   ///< not in any step yet
    bool is_done = false;

    std::uint32_t left() const { return length - stored; }
  };

  void receive_arrivals();
  bool start(std::size_t request);
  void admit();
  void plan();
  KokkosKV::StepLayout prepare();
  void give_up_youngest();
  void account(KokkosKV::StepLayout const& layout);
  void complete();
  void finish(Running& sequence);
  void summarise();

  Workload const& m_workload;
  std::uint32_t m_page_size;
  bool m_has_host_pages;
  TimedModel m_model;
  KokkosKV::PageManager& m_manager;
  StepObserver* m_observer;
  Progress const& m_progress;

  std::int64_t m_now         = 0;  ///< microseconds
  std::size_t m_next_arrival = 0;
  std::deque<std::size_t> m_waiting;
  std::vector<Running> m_running;
  std::vector<State> m_states;
  std::vector<KokkosKV::StepRequest> m_requests;  ///< of the step
  std::vector<std::size_t> m_planned;             ///< their indices in m_running
  bool m_is_full = false;                         ///< pages lacked, and none have come free since
  Results m_results;
  TimedResults m_timed;
};

}  // namespace trace_replay
