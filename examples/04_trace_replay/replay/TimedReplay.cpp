// Steps of the simulated engine.
#include "replay/TimedReplay.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "replay/Peaks.hpp"

namespace trace_replay {

using KokkosKV::StepLayout;

TimedReplay::TimedReplay(Workload const& workload, Settings const& settings,
                         KokkosKV::PageManager& manager, StepObserver* observer,
                         Progress const& progress)
    : m_workload(workload),
      m_page_size(settings.page.ids),
      m_has_host_pages(settings.tiers.host_pages > 0),
      m_model(*settings.timed),
      m_manager(manager),
      m_observer(observer),
      m_progress(progress),
      m_states(workload.size()) {}

Results TimedReplay::run() {
  while (m_results.requests < m_workload.size()) {
    receive_arrivals();
    if (m_running.empty() && m_waiting.empty()) {
      m_now = m_workload.request(m_next_arrival).arrival_us;
      continue;
    }
    auto const layout = prepare();
    account(layout);
    if (m_observer != nullptr) m_observer->step(m_manager, layout);
    m_manager.commit_step();
    complete();
  }
  summarise();
  return m_results;
}

void TimedReplay::receive_arrivals() {
  while (m_next_arrival < m_workload.size() &&
         m_workload.request(m_next_arrival).arrival_us <= m_now) {
    m_waiting.push_back(m_next_arrival++);
  }
}

/// \returns false  there is no room to bring it back
bool TimedReplay::start(std::size_t request) {
  auto& id = m_states[request].id;
  if (!id) {
    std::vector<std::uint32_t> ids;
    m_workload.append_prompt(request, {1, 1}, ids);
    id = m_manager.create(ids);
  } else if (m_manager.state(*id) != KokkosKV::SequenceState::resident &&
             !m_manager.swap_in(*id).fits()) {
    if (!m_running.empty()) return false;
    // Nothing will make more room: it is computed again.
    m_manager.release_pages(*id);
  }
  m_running.push_back({request, *id, static_cast<std::uint32_t>(m_manager.tokens(*id).size()),
                       m_manager.num_stored(*id)});
  return true;
}

/// Starts what waits while there is room in the batch and in the step.
void TimedReplay::admit() {
  if (m_is_full && !m_running.empty()) return;
  // A cached token of a prompt counts here like one that is computed: what is cached is known when
  // the step is prepared.
  auto rows = std::accumulate(
      m_running.begin(), m_running.end(), std::uint64_t(0),
      [](std::uint64_t sum, Running const& sequence) { return sum + sequence.left(); });
  while (!m_waiting.empty() && m_running.size() < m_model.max_batch && rows < m_model.budget) {
    m_is_full = !start(m_waiting.front());
    if (m_is_full) return;
    m_waiting.pop_front();
    rows += m_running.back().left();
  }
  m_timed.peak_batch = std::max(m_timed.peak_batch, static_cast<std::uint32_t>(m_running.size()));
}

/// Decoding first: a user waits for each of those tokens.
void TimedReplay::plan() {
  m_requests.clear();
  m_planned.clear();
  auto budget    = m_model.budget;
  auto const add = [&](std::size_t index) {
    auto const& sequence = m_running[index];
    auto const rows      = std::min(budget, sequence.left());
    if (rows == 0 && sequence.left() > 0) return;
    budget -= rows;
    m_requests.push_back({sequence.id, rows});
    m_planned.push_back(index);
  };
  for (std::size_t i = 0; i < m_running.size(); ++i) {
    if (m_running[i].left() <= 1) add(i);
  }
  for (std::size_t i = 0; i < m_running.size(); ++i) {
    if (m_running[i].left() > 1) add(i);
  }
}

StepLayout TimedReplay::prepare() {
  admit();
  for (;;) {
    plan();
    auto layout = m_manager.prepare_step(m_requests);
    if (layout.fits()) return layout;
    if (m_running.size() == 1) throw std::logic_error("a request that fits the pool was refused");
    give_up_youngest();
  }
}

void TimedReplay::give_up_youngest() {
  auto const& youngest = m_running.back();
  m_is_full            = true;
  m_timed.preemptions += !youngest.is_new;
  bool const is_out =
      m_has_host_pages && youngest.stored > 0 && m_manager.swap_out(youngest.id).fits();
  if (!is_out) m_manager.release_pages(youngest.id);
  m_waiting.push_front(youngest.request);
  m_running.pop_back();
}

void TimedReplay::account(StepLayout const& layout) {
  for (std::size_t i = 0; i < m_planned.size(); ++i) {
    auto& sequence = m_running[m_planned[i]];
    auto& state    = m_states[sequence.request];
    auto const end = layout.cache_lengths[i];
    // Only whole pages are found, and only at the begin of a page.
    auto const known =
        std::clamp(state.high_water / m_page_size * m_page_size, sequence.stored, end);
    m_timed.recovered_pages += (known - sequence.stored) / m_page_size;
    m_results.hit_pages += (end - known) / m_page_size;
    sequence.stored  = end + layout.row_offsets[i + 1] - layout.row_offsets[i];
    sequence.is_new  = false;
    state.high_water = std::max(state.high_water, sequence.stored);
  }
  auto const rows = layout.row_offsets.back();
  m_timed.rows += rows;
  ++m_timed.steps;
  m_now += static_cast<std::int64_t>(m_model.step_us +
                                     std::uint64_t(rows) * 1'000'000 / m_model.tokens_per_second);
  update_peaks(m_results, m_manager.page_counts());
}

/// Every sequence whose tokens are all stored has its next one.
void TimedReplay::complete() {
  for (auto const index : m_planned) {
    auto& sequence = m_running[index];
    auto& state    = m_states[sequence.request];
    if (sequence.left() > 0) continue;
    if (state.produced == 0) state.first_token = m_now;
    auto const token = m_workload.answer_token(sequence.request, state.produced);
    ++state.produced;
    if (state.produced >= m_workload.request(sequence.request).generated) {
      finish(sequence);
    } else {
      m_manager.append(sequence.id, {&token, 1});
      ++sequence.length;
    }
  }
  std::erase_if(m_running, [](Running const& sequence) { return sequence.is_done; });
}

void TimedReplay::finish(Running& sequence) {
  sequence.is_done = true;
  m_manager.free(sequence.id);
  if (m_observer != nullptr) m_observer->end(sequence.id);
  m_is_full = false;
  ++m_results.requests;
  if (m_progress) m_progress(m_results.requests);
}

void TimedReplay::summarise() {
  m_timed.seconds = static_cast<double>(m_now) * 1e-6;
  std::vector<std::int64_t> waits;
  for (std::size_t i = 0; i < m_states.size(); ++i) {
    waits.push_back(m_states[i].first_token - m_workload.request(i).arrival_us);
  }
  std::ranges::sort(waits);
  auto const seconds = [&](std::size_t rank) { return static_cast<double>(waits[rank]) * 1e-6; };
  m_timed.first_token_median = seconds((waits.size() - 1) / 2);
  m_timed.first_token_p99    = seconds((waits.size() - 1) * 99 / 100);
  m_timed.first_token_mean =
      static_cast<double>(std::accumulate(waits.begin(), waits.end(), std::int64_t(0))) * 1e-6 /
      static_cast<double>(waits.size());
  m_results.timed = m_timed;
}

}  // namespace trace_replay
