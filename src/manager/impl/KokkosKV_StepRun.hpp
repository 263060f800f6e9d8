// StepRun: a step from its preparation to its end.
#ifndef KOKKOSKV_IMPL_STEPRUN_HPP
#define KOKKOSKV_IMPL_STEPRUN_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <manager/KokkosKV_StepRequest.hpp>
#include <manager/impl/KokkosKV_PageLedger.hpp>
#include <manager/impl/KokkosKV_StepDraft.hpp>

namespace KokkosKV::Impl {

class StepRun {
 public:
  explicit StepRun(PageLedger& ledger) : m_ledger(ledger), m_drafter(ledger) {}

  bool is_prepared() const { return m_is_prepared; }
  /// The sequences of the step.
  std::vector<StepDraft> const& drafts() const { return m_drafter.drafts(); }

  StepLayout prepare(std::span<StepRequest const> requests,
                     std::span<ManagedSequence* const> sequences) {
    m_drafter.clear();
    for (std::size_t i = 0; i < requests.size(); ++i)
      m_drafter.add(requests[i].sequence, *sequences[i], requests[i].max_rows);
    StepLayout layout;
    layout.missing_pages = m_drafter.missing_pages();
    if (!layout.fits()) {
      ++m_ledger.log.counts.refused_steps;
      return layout;
    }
    reserve();
    lay_out(layout);
    apply(layout);
    try {
      move_contents();
    } catch (...) {
      take_back();
      throw;
    }
    m_is_prepared = true;
    ++m_ledger.log.counts.prepared_steps;
    return layout;
  }

  void commit() {
    auto& pool   = m_ledger.pool;
    auto& counts = m_ledger.log.counts;
    counts.hit_host_pages += m_drafter.promotions().size();
    for (auto& draft : m_drafter.drafts()) {
      auto& sequence = *draft.sequence;
      counts.hit_pages += static_cast<std::uint64_t>(
          std::ranges::count_if(draft.new_pages, [&](auto page) { return is_real(page); }));
      if (draft.copied_page != null_page) {
        pool.release(draft.copied_page);
        ++counts.copied_pages;
      }
      if (draft.partial_page != null_page) {
        pool.release(draft.partial_page);
        ++counts.partial_hits;
      }
      sequence.num_stored = draft.num_stored + draft.num_rows;
      auto const num_new  = m_ledger.publish(sequence, draft.num_published);
      counts.computed_pages += num_new - std::min(num_new, draft.num_promoted);
      m_ledger.raise(sequence, draft.old_num_stored / m_ledger.options.page_size);
      sequence.is_in_step = false;
    }
    m_is_prepared = false;
  }

  void abandon() {
    take_back();
    m_is_prepared = false;
  }

 private:
  /// What may throw for lack of memory comes before what changes.
  void reserve() {
    m_fresh_pages.clear();
    m_fresh_pages.reserve(m_drafter.num_fresh());
    for (auto const& draft : m_drafter.drafts()) {
      if (!draft.new_pages.empty())
        draft.sequence->pages.reserve(grown(draft.sequence->pages.capacity(), num_pages(draft)));
    }
  }
  static std::size_t num_pages(StepDraft const& draft) {
    return draft.old_num_pages + draft.new_pages.size();
  }
  /// Twice as much where it is not enough, so that the pages of a long text are not copied for
  /// each.
  static std::size_t grown(std::size_t capacity, std::size_t needed) {
    return needed <= capacity ? capacity : std::max(needed, 2 * capacity);
  }

  void lay_out(StepLayout& layout) const {
    auto const& drafts = m_drafter.drafts();
    auto const count   = drafts.size();
    layout.sequences.resize(count);
    layout.cache_lengths.resize(count);
    layout.row_offsets.resize(count + 1);
    std::size_t num_copies = 0;
    for (std::size_t i = 0; i < count; ++i) {
      auto const& draft         = drafts[i];
      layout.sequences[i]       = draft.id;
      layout.cache_lengths[i]   = draft.num_stored;
      layout.row_offsets[i + 1] = layout.row_offsets[i] + draft.num_rows;
      layout.max_prompt_length  = std::max(layout.max_prompt_length, draft.num_rows);
      layout.max_cache_length   = std::max(layout.max_cache_length, draft.num_stored);
      layout.max_pages = std::max(layout.max_pages, static_cast<std::uint32_t>(num_pages(draft)));
      num_copies += (draft.copies_tail ? 1u : 0u) + (draft.partial_page != null_page ? 1u : 0u);
    }
    layout.copies.reserve(num_copies);
  }

  /// Cached pages first, so that none of them is evicted for another; then new ones.
  void apply(StepLayout& layout) {
    hold_cached();
    touch_cached();
    for (auto& draft : m_drafter.drafts()) {
      auto& sequence = *draft.sequence;
      if (draft.copies_tail) copy_tail(draft, layout);
      for (auto const page : draft.new_pages)
        sequence.pages.push_back(is_real(page) ? page : actual_page(page));
      if (draft.partial_page != null_page) {
        auto const page = sequence.pages[draft.num_stored / m_ledger.options.page_size];
        layout.copies.push_back({draft.partial_page, page});
      }
      sequence.num_stored = draft.num_stored;
      sequence.is_in_step = true;
    }
  }

  bool is_real(std::uint32_t page) const { return page < m_ledger.options.num_pages; }

  void hold_cached() {
    for (auto const& promotion : m_drafter.promotions())
      m_ledger.host.tree().retain(promotion.host_page);
    for (auto const& draft : m_drafter.drafts()) {
      for (auto const page : draft.new_pages) {
        if (is_real(page)) m_ledger.pool.retain(page);
      }
      if (draft.partial_page != null_page) m_ledger.pool.retain(draft.partial_page);
    }
  }

  void touch_cached() {
    for (auto const& draft : m_drafter.drafts()) {
      for (auto page = draft.new_pages.rbegin(); page != draft.new_pages.rend(); ++page) {
        if (is_real(*page)) m_ledger.pool.touch(*page);
      }
    }
  }

  void copy_tail(StepDraft& draft, StepLayout& layout) {
    auto& sequence    = *draft.sequence;
    draft.copied_page = sequence.pages.back();
    auto const page   = m_ledger.take_page();
    layout.copies.push_back({draft.copied_page, page});
    sequence.pages.back() = page;
    ++sequence.table_version;
  }

  /// The page behind a number of a page that the step fills; taken when it is first met.
  std::uint32_t actual_page(std::uint32_t number) {
    auto const index = number - m_ledger.options.num_pages;
    if (index < m_fresh_pages.size()) {
      m_ledger.pool.retain(m_fresh_pages[index]);
      return m_fresh_pages[index];
    }
    m_fresh_pages.push_back(m_ledger.take_page());
    return m_fresh_pages.back();
  }

  /// Out of evicted pages before anything is written to them.
  void move_contents() {
    m_ledger.host.try_launch();
    auto const& promotions = m_drafter.promotions();
    if (promotions.empty()) return;
    try {
      m_uploads.clear();
      for (auto const& [host_page, number] : promotions)
        m_uploads.push_back({host_page, m_fresh_pages[number - m_ledger.options.num_pages]});
      m_ledger.host.transfer().upload(m_uploads);
    } catch (...) {
      release_promoted();
      throw;
    }
    release_promoted();
  }
  /// Last to first, as always.
  void release_promoted() {
    auto const& promotions = m_drafter.promotions();
    for (auto promotion = promotions.rbegin(); promotion != promotions.rend(); ++promotion)
      m_ledger.host.tree().release(promotion->host_page);
  }

  void take_back() {
    auto& drafts = m_drafter.drafts();
    for (auto draft = drafts.rbegin(); draft != drafts.rend(); ++draft) {
      auto& sequence = *draft->sequence;
      m_ledger.pool.release(sequence.pages, draft->old_num_pages);
      if (draft->copied_page != null_page) {
        m_ledger.pool.release(sequence.pages.back());
        sequence.pages.back() = draft->copied_page;
      }
      if (draft->partial_page != null_page) m_ledger.pool.release(draft->partial_page);
      sequence.num_stored = draft->old_num_stored;
      sequence.is_in_step = false;
      ++sequence.table_version;
    }
  }

  PageLedger& m_ledger;
  StepDrafter m_drafter;
  std::vector<std::uint32_t> m_fresh_pages;
  std::vector<PageCopy> m_uploads;
  bool m_is_prepared = false;
};

}  // namespace KokkosKV::Impl

#endif
