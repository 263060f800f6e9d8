// Admission, planning and completion of steps.
#include "scheduler/Scheduler.hpp"

#include <algorithm>
#include <numeric>

namespace ragged_store {

Scheduler::Scheduler(std::span<example::Request const> requests, SchedulerLimits const& limits,
                     std::uint64_t seed)
    : m_requests(requests),
      m_limits(limits),
      m_free_pages(limits.num_pages, seed),
      m_slots(limits.max_batch),
      m_free_slots(limits.max_batch) {
  // The lowest slot is taken first.
  std::iota(m_free_slots.rbegin(), m_free_slots.rend(), 0u);
}

std::optional<std::string> Scheduler::find_unservable(std::span<example::Request const> requests,
                                                      SchedulerLimits const& limits) {
  for (std::size_t i = 0; i < requests.size(); ++i) {
    auto const pages = pages_needed(requests[i], limits.page_size);
    if (pages > limits.num_pages) {
      return "request " + std::to_string(i + 1) + " (" + std::to_string(requests[i].context) +
             " + " + std::to_string(requests[i].generated) + " tokens) needs " +
             std::to_string(pages) + " pages of " + std::to_string(limits.page_size) +
             " tokens, the pool has " + std::to_string(limits.num_pages);
    }
  }
  return std::nullopt;
}

// In order of arrival: a large request is not overtaken by smaller ones, so none starves.
void Scheduler::admit(Step& step) {
  for (; m_next_arrival < m_requests.size(); ++m_next_arrival) {
    auto const& request = m_requests[m_next_arrival];
    auto const pages    = pages_needed(request, m_limits.page_size);
    if (pages == 0) {
      ++m_finished;
      continue;
    }
    if (m_free_slots.empty() || pages > m_free_pages.available()) return;
    auto const slot = m_free_slots.back();
    m_free_slots.pop_back();
    m_slots[slot] = {static_cast<std::uint32_t>(m_next_arrival), 0, m_free_pages.take(pages)};
    m_running.push_back(slot);
    step.admitted.push_back(slot);
  }
}

Step Scheduler::next_step() {
  Step step;
  admit(step);
  auto const plan = [&](std::uint32_t slot, std::uint32_t wanted) {
    auto const tokens = std::min(wanted, m_limits.budget - step.tokens);
    if (tokens == 0) return;
    step.pieces.push_back({slot, m_slots[slot].request, m_slots[slot].cached, tokens});
    step.tokens += tokens;
  };
  auto const prompt_left = [&](std::uint32_t slot) {
    auto const context = m_requests[m_slots[slot].request].context;
    return context - std::min(context, m_slots[slot].cached);
  };
  // Decoding goes first: a user waits for each of those tokens.
  for (auto const slot : m_running) {
    if (prompt_left(slot) == 0) plan(slot, 1);
  }
  for (auto const slot : m_running) {
    plan(slot, std::min(prompt_left(slot), m_limits.chunk));
  }
  std::ranges::sort(step.pieces, {}, &StepPiece::slot);
  return step;
}

std::vector<std::uint32_t> Scheduler::complete(Step const& step) {
  std::vector<std::uint32_t> complete;
  for (auto const& piece : step.pieces) {
    auto& slot = m_slots[piece.slot];
    slot.cached += piece.tokens;
    if (slot.cached == m_requests[slot.request].tokens()) complete.push_back(piece.slot);
  }
  return complete;
}

void Scheduler::release(std::uint32_t slot) {
  m_free_pages.give_back(m_slots[slot].pages);
  m_slots[slot] = {};
  m_free_slots.push_back(slot);
  std::erase(m_running, slot);
  ++m_finished;
}

}  // namespace ragged_store
