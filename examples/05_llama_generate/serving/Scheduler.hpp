// Continuous batching (Yu et al., Orca, 2022) over a page manager: in each step all running
// sequences go on together, whether they read their prompts or generate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <manager/KokkosKV_PageManager.hpp>

#include "model/LanguageModel.hpp"
#include "serving/Request.hpp"
#include "serving/Sampler.hpp"

namespace llama_generate {

struct SchedulerOptions {
  std::uint32_t num_pages  = 0;   ///< of the model's pool
  std::uint32_t page_size  = 0;   ///< tokens
  std::uint32_t max_batch  = 16;  ///< sequences that run at once
  std::uint32_t chunk      = 64;  ///< most rows of a sequence in a step
  std::uint32_t host_pages = 0;   ///< for what is preempted and evicted; 0: none
};

struct SchedulerStatistics {
  std::uint64_t steps       = 0;
  std::uint64_t rows        = 0;  ///< computed in all steps
  std::uint64_t new_tokens  = 0;  ///< generated
  std::uint64_t preemptions = 0;  ///< sequences that had to give up their pages
  std::uint64_t peak_batch  = 0;  ///< most sequences of a step
};

/// Requests are served in the order in which they come. Where pages run out, the youngest running
/// sequence gives up its own: they go to host pages, or, where there are too few, are computed
/// again. It goes on as soon as there is room, before any younger one begins.
class Scheduler {
 public:
  using RequestId = std::size_t;  ///< counted from 0
  /// Told of each new token, in the order of its sequence.
  using TokenCallback = std::function<void(RequestId, std::uint32_t token)>;

  /// \param model  must outlive the scheduler
  Scheduler(LanguageModel& model, SchedulerOptions const& options);

  /// At any time, also between steps.
  /// \throws UsageError  the prompt is empty, longer than the context, or has a token that the
  ///                     model does not know; or the pool could not hold the sequence
  RequestId submit(Request request);

  /// Computes a step.
  /// \return false where nothing is left to do
  bool step();

  Completion const& completion(RequestId id) const { return m_jobs[id].completion; }
  std::size_t num_requests() const { return m_jobs.size(); }
  std::size_t num_finished() const { return m_num_finished; }
  SchedulerStatistics const& statistics() const { return m_statistics; }
  KokkosKV::PageManager const& manager() const { return m_manager; }

  void set_token_callback(TokenCallback callback) { m_on_token = std::move(callback); }

 private:
  struct Job {
    Request request;
    Completion completion;
    Sampler sampler;
    std::uint32_t max_new_tokens;  ///< as the context allows
    std::optional<KokkosKV::SequenceId> sequence = {};
  };

  std::size_t pages_of(std::size_t num_tokens) const;
  std::uint32_t count_new_tokens(Request const& request) const;
  void check(Request const& request) const;
  void admit();
  std::size_t count_needed_pages(Job const& job) const;
  bool resume(Job& job);
  KokkosKV::StepLayout prepare();
  void preempt_youngest();
  void compute(KokkosKV::StepLayout const& layout);
  void sample(std::span<float const> logits);
  void add_token(RequestId id, std::uint32_t token);
  void finish(Job& job, Finish how);

  LanguageModel& m_model;
  SchedulerOptions m_options;
  KokkosKV::PageManager m_manager;
  std::vector<Job> m_jobs;
  // Both by age: who is preempted is older than all who wait, and younger than all who run.
  std::deque<RequestId> m_waiting;
  std::vector<RequestId> m_running;
  std::vector<std::uint32_t> m_wanted;  ///< of the step: places of those that get a token
  std::size_t m_num_finished = 0;
  SchedulerStatistics m_statistics;
  TokenCallback m_on_token;
};

}  // namespace llama_generate
