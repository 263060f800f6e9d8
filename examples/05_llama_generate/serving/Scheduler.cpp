// A step: let sequences in, find pages for all of them, compute, sample.
#include "serving/Scheduler.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "common/UsageError.hpp"

namespace llama_generate {
namespace {

KokkosKV::PageTiers make_tiers(LanguageModel& model, std::uint32_t host_pages) {
  if (host_pages == 0) return {};
  return {model.make_transfer(host_pages), nullptr};
}

}  // namespace

Scheduler::Scheduler(LanguageModel& model, SchedulerOptions const& options)
    : m_model(model),
      m_options(options),
      m_manager({.num_pages = options.num_pages, .page_size = options.page_size},
                make_tiers(model, options.host_pages)) {}

Scheduler::RequestId Scheduler::submit(Request request) {
  check(request);
  auto const most = count_new_tokens(request);
  Sampler const sampler(request.sampling);
  m_jobs.push_back({std::move(request), {}, sampler, most});
  m_waiting.push_back(m_jobs.size() - 1);
  return m_waiting.back();
}

bool Scheduler::step() {
  admit();
  if (m_running.empty()) return false;
  auto const layout = prepare();
  compute(layout);
  ++m_statistics.steps;
  m_statistics.rows += layout.row_offsets.back();
  m_statistics.peak_batch = std::max<std::uint64_t>(m_statistics.peak_batch, m_running.size());
  if (!m_wanted.empty()) sample(m_model.logits());
  return true;
}

std::size_t Scheduler::pages_of(std::size_t num_tokens) const {
  return (num_tokens + m_options.page_size - 1) / m_options.page_size;
}

/// The last token's keys and values are never needed: it may stand right behind the context.
std::uint32_t Scheduler::count_new_tokens(Request const& request) const {
  auto const room =
      m_model.config().context + 1 - static_cast<std::uint32_t>(request.prompt.size());
  return std::min(request.max_new_tokens, room);
}

void Scheduler::check(Request const& request) const {
  auto const& config = m_model.config();
  auto const name    = "request " + std::to_string(m_jobs.size() + 1) + ": ";
  if (request.prompt.empty()) throw example::UsageError(name + "the prompt has no token");
  if (request.max_new_tokens == 0) throw example::UsageError(name + "no new tokens are wanted");
  if (request.prompt.size() > config.context) {
    throw example::UsageError(name + "the prompt has " + std::to_string(request.prompt.size()) +
                              " tokens, the model's context " + std::to_string(config.context));
  }
  for (auto const token : request.prompt) {
    if (token < config.vocab_size) continue;
    throw example::UsageError(name + "token " + std::to_string(token) +
                              " is not in the vocabulary of " + std::to_string(config.vocab_size));
  }
  // With room for the copy of a page that ends with the last token.
  auto const needed = pages_of(request.prompt.size() + count_new_tokens(request));
  if (needed > m_options.num_pages) {
    throw example::UsageError(name + "needs " + std::to_string(needed) + " pages of " +
                              std::to_string(m_options.page_size) + " tokens, the pool has " +
                              std::to_string(m_options.num_pages) + " (see --pages)");
  }
}

/// Lets those in that wait, while they seem to have room beside those that run. Where that turns
/// out wrong, prepare() sends the youngest away again.
void Scheduler::admit() {
  auto const counts = m_manager.page_counts();
  // Each running sequence may go on to another page.
  std::size_t taken = m_running.size();
  while (!m_waiting.empty() && m_running.size() < m_options.max_batch) {
    auto& job         = m_jobs[m_waiting.front()];
    auto const needed = count_needed_pages(job);
    if (!m_running.empty() && taken + needed > counts.free + counts.cached) return;
    if (!resume(job)) return;
    taken += needed;
    m_running.push_back(m_waiting.front());
    m_waiting.pop_front();
  }
}

/// Pages that a sequence takes when it comes in, and one to go on.
std::size_t Scheduler::count_needed_pages(Job const& job) const {
  if (job.sequence && m_manager.state(*job.sequence) != KokkosKV::SequenceState::resident) {
    return pages_of(m_manager.num_stored(*job.sequence)) + 1;
  }
  auto const tokens = job.sequence ? m_manager.tokens(*job.sequence)
                                   : std::span<std::uint32_t const>(job.request.prompt);
  auto const cached = m_manager.count_cached_tokens(tokens) / m_options.page_size;
  return pages_of(tokens.size() + 1) - cached;
}

/// \return false where there was no room after all
bool Scheduler::resume(Job& job) {
  if (!job.sequence) {
    job.sequence = m_manager.create(job.request.prompt);
    return true;
  }
  if (m_manager.state(*job.sequence) == KokkosKV::SequenceState::resident) return true;
  return m_manager.swap_in(*job.sequence).fits();
}

KokkosKV::StepLayout Scheduler::prepare() {
  std::vector<KokkosKV::StepRequest> requests;
  while (true) {
    requests.clear();
    for (auto const id : m_running) requests.push_back({*m_jobs[id].sequence, m_options.chunk});
    auto layout = m_manager.prepare_step(requests);
    if (layout.fits()) return layout;
    if (m_running.size() == 1) throw std::logic_error("no pages for a sequence that was accepted");
    preempt_youngest();
  }
}

void Scheduler::preempt_youngest() {
  auto const id = m_running.back();
  m_running.pop_back();
  m_waiting.push_front(id);
  auto const sequence = *m_jobs[id].sequence;
  // Who came in for this step has nothing to give up.
  if (m_manager.pages(sequence).empty()) return;
  ++m_statistics.preemptions;
  if (m_options.host_pages > 0 && m_manager.swap_out(sequence).fits()) return;
  m_manager.release_pages(sequence);
}

void Scheduler::compute(KokkosKV::StepLayout const& layout) {
  m_wanted.clear();
  for (std::uint32_t i = 0; i < layout.sequences.size(); ++i) {
    auto const end = layout.cache_lengths[i] + layout.row_offsets[i + 1] - layout.row_offsets[i];
    if (end == m_manager.tokens(layout.sequences[i]).size()) m_wanted.push_back(i);
  }
  try {
    m_model.launch(m_manager, layout, m_wanted);
  } catch (...) {
    m_manager.abandon_step();
    throw;
  }
  m_manager.commit_step();
}

void Scheduler::sample(std::span<float const> logits) {
  auto const vocab = m_model.config().vocab_size;
  for (std::size_t i = 0; i < m_wanted.size(); ++i) {
    auto const id = m_running[m_wanted[i]];
    add_token(id, m_jobs[id].sampler.sample(logits.subspan(i * vocab, vocab)));
  }
  std::erase_if(m_running, [&](auto id) { return m_jobs[id].completion.finish != Finish::none; });
}

void Scheduler::add_token(RequestId id, std::uint32_t token) {
  auto& job = m_jobs[id];
  if (token == bos_token || token == eos_token) return finish(job, Finish::stop);
  job.completion.tokens.push_back(token);
  ++m_statistics.new_tokens;
  if (m_on_token) m_on_token(id, token);
  if (job.completion.tokens.size() < job.max_new_tokens) {
    m_manager.append(*job.sequence, std::span(&token, 1));
    return;
  }
  finish(job, job.max_new_tokens < job.request.max_new_tokens ? Finish::context : Finish::length);
}

void Scheduler::finish(Job& job, Finish how) {
  job.completion.finish = how;
  m_manager.free(*job.sequence);
  job.sequence.reset();
  ++m_num_finished;
}

}  // namespace llama_generate
