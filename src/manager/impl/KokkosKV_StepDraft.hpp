// What a step would take, found without changing anything.
#ifndef KOKKOSKV_IMPL_STEPDRAFT_HPP
#define KOKKOSKV_IMPL_STEPDRAFT_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <manager/KokkosKV_PageKey.hpp>
#include <manager/KokkosKV_StepRequest.hpp>
#include <manager/impl/KokkosKV_ManagedSequence.hpp>
#include <manager/impl/KokkosKV_PageKeys.hpp>
#include <manager/impl/KokkosKV_PageLedger.hpp>
#include <manager/impl/KokkosKV_PendingPages.hpp>
#include <manager/impl/KokkosKV_PrefixPoint.hpp>

namespace KokkosKV::Impl {

/// A sequence's part of a step.
struct StepDraft {
  SequenceId id;
  ManagedSequence* sequence;
  std::uint32_t num_stored;  ///< with what the cache gives
  std::uint32_t num_rows;
  /// Cached pages, and numbers from the size of the pool on for pages that the step fills.
  std::vector<std::uint32_t> new_pages;
  /// Leading pages that are published already. One that another sequence fills in this step may
  /// turn out to be a copy of a page that a third one publishes.
  std::size_t num_published;
  std::size_t num_promoted;  ///< pages that come from host pages
  bool copies_tail;          ///< others read the page that the first row goes to
  std::size_t old_num_pages;
  std::uint32_t old_num_stored;
  std::uint32_t copied_page;   ///< what the copy is of; held until the step is committed
  std::uint32_t partial_page;  ///< whose first tokens are the sequence's next ones; held likewise
};

/// Collects the parts of a step and counts the pages that it needs.
class StepDrafter {
 public:
  /// A host page whose contents a page of the step gets.
  struct Promotion {
    std::uint32_t host_page;
    std::uint32_t number;
  };

  explicit StepDrafter(PageLedger const& ledger) : m_ledger(ledger) {}

  /// Forgets the last step.
  void clear() {
    m_drafts.clear();
    m_promotions.clear();
    m_pending.clear();
    if (!m_revived.empty()) m_revived.clear();
    if (!m_left.empty()) m_left.clear();
    m_num_fresh  = 0;
    m_num_copies = 0;
  }

  void add(SequenceId id, ManagedSequence& sequence, std::uint32_t max_rows) {
    auto& draft       = m_drafts.emplace_back(StepDraft{id,
                                                  &sequence,
                                                  sequence.num_stored,
                                                  0,
                                                        {},
                                                  sequence.num_stored / page_size(),
                                                  0,
                                                  false,
                                                  sequence.pages.size(),
                                                  sequence.num_stored,
                                                  null_page,
                                                  null_page});
    auto const length = static_cast<std::uint32_t>(sequence.tokens.size());
    // Most parts of most steps add a row to a page that is there.
    bool const stays_in_page = sequence.num_stored % page_size() != 0 &&
                               std::min(max_rows, length - sequence.num_stored) <=
                                   page_size() - sequence.num_stored % page_size();
    bool const begins_page = sequence.num_stored % page_size() == 0;
    if (stays_in_page) {
      draft.num_rows = std::min(max_rows, length - draft.num_stored);
      copy_shared_tail(draft);
      return;
    }
    auto const start      = start_of(sequence);
    auto const first_page = sequence.num_stored / page_size();
    Chain chain{draft, start, first_page,
                PageKeys(m_ledger.pool.pool(), m_ledger.options.hash, start.key,
                         std::span<std::uint32_t const>(sequence.tokens)
                             .subspan(std::size_t(first_page) * page_size()))};
    if (begins_page) {
      take_cached(chain);
      take_part(chain);
    }
    draft.num_rows = std::min(max_rows, length - draft.num_stored);
    copy_shared_tail(draft);
    add_fresh(chain, begins_page);
  }

  /// Pages that are lacking.
  std::uint32_t missing_pages() const {
    auto const available = m_ledger.num_available() - m_revived.size();
    auto const needed    = m_num_fresh + m_num_copies;
    return needed <= available ? 0 : static_cast<std::uint32_t>(needed - available);
  }

  std::size_t num_fresh() const { return m_num_fresh; }
  std::vector<StepDraft>& drafts() { return m_drafts; }
  std::vector<StepDraft> const& drafts() const { return m_drafts; }
  std::vector<Promotion> const& promotions() const { return m_promotions; }

 private:
  struct Chain {
    StepDraft& draft;
    PrefixPoint at;
    std::size_t first_page;  ///< whose key is the first of `keys`
    PageKeys keys;
  };

  std::uint32_t page_size() const { return m_ledger.options.page_size; }
  bool is_real(std::uint32_t page) const { return page < m_ledger.options.num_pages; }

  PrefixPoint start_of(ManagedSequence const& sequence) const {
    auto const full = sequence.num_stored / page_size();
    if (full == 0) return PrefixPoint::root(m_ledger, sequence.domain);
    return PrefixPoint::after(m_ledger, sequence.pages[full - 1]);
  }
  /// Tokens that may come from the cache.
  std::size_t most_cached(ManagedSequence const& sequence) const {
    auto const length = sequence.tokens.size();
    return length - (m_ledger.options.recompute_last_token && length > 0);
  }

  /// Goes on with pages that are cached, or that an earlier part of the step fills, and then with
  /// those that are in host pages.
  void take_cached(Chain& chain) {
    auto& draft        = chain.draft;
    auto const& tokens = draft.sequence->tokens;
    auto const end     = most_cached(*draft.sequence);
    while (draft.num_stored + std::size_t(page_size()) <= end) {
      auto const part = std::span(tokens).subspan(draft.num_stored, page_size());
      auto const key  = chain.keys.at(draft.num_stored / page_size() - chain.first_page);
      if (!take_from_pool(chain, key, part) && !take_from_host(chain, key, part)) return;
      draft.num_stored += page_size();
    }
  }

  bool take_from_pool(Chain& chain, PageKey key, std::span<std::uint32_t const> part) {
    auto const page = m_ledger.index().find(chain.at.place, key, part);
    if (page != null_page) {
      revive(page);
      chain.draft.new_pages.push_back(page);
      ++chain.draft.num_published;
      chain.at = PrefixPoint::after(m_ledger, page);
    } else {
      auto const* const pending = m_pending.find(chain.at.place, key, part);
      if (pending == nullptr) return false;
      chain.draft.new_pages.push_back(pending->number);
      chain.at = chain.at.after_pending(pending->number, key, pending->host_page);
    }
    return true;
  }

  bool take_from_host(Chain& chain, PageKey key, std::span<std::uint32_t const> part) {
    auto const host_page = chain.at.find_host(m_ledger, key, part);
    if (host_page == null_page) return false;
    auto const number = next_number();
    m_promotions.push_back({host_page, number});
    m_pending.add({key, chain.at.place, part, number, host_page});
    chain.draft.new_pages.push_back(number);
    ++chain.draft.num_promoted;
    chain.at = chain.at.after_pending(number, key, host_page);
    return true;
  }

  /// Goes on with the first tokens of a page that others have.
  void take_part(Chain& chain) {
    auto& draft       = chain.draft;
    auto const& place = chain.at.place;
    if (!m_ledger.children.exist() || (place.parent != null_page && !is_real(place.parent))) return;
    auto const end = most_cached(*draft.sequence);
    auto const left =
        std::min<std::size_t>(end - std::min<std::size_t>(end, draft.num_stored), page_size() - 1);
    auto const part = m_ledger.children.longest_common(
        m_ledger.index(), place,
        std::span<std::uint32_t const>(draft.sequence->tokens).subspan(draft.num_stored, left));
    if (part.page == null_page) return;
    revive(part.page);
    draft.partial_page = part.page;
    draft.num_stored += part.num_tokens;
  }

  /// A cached page that the step uses cannot be evicted for it.
  void revive(std::uint32_t page) {
    if (m_ledger.pool.pool().is_cached(page)) m_revived.insert(page);
  }

  /// Nobody writes into a page that another sequence has, or that can be found. Of the sequences
  /// that write into the same page in one step, the last may keep it.
  void copy_shared_tail(StepDraft& draft) {
    if (draft.num_rows == 0 || draft.old_num_stored % page_size() == 0) return;
    auto const page       = draft.sequence->pages.back();
    auto const references = m_ledger.pool.pool().num_references(page);
    bool const published  = m_ledger.index().is_published(page);
    if (references == 1 && !published) return;
    auto& left        = m_left[page];
    draft.copies_tail = references - left > 1 || published;
    if (!draft.copies_tail) return;
    ++left;
    ++m_num_copies;
  }

  void add_fresh(Chain& chain, bool is_chained) {
    auto& draft           = chain.draft;
    auto const& sequence  = *draft.sequence;
    std::size_t const end = std::size_t(draft.num_stored) + draft.num_rows;
    for (auto i = draft.old_num_pages + draft.new_pages.size(); i * page_size() < end; ++i) {
      auto const number = next_number();
      draft.new_pages.push_back(number);
      // Only what begins at a known page and will be full can be found by others.
      is_chained = is_chained && (i + 1) * page_size() <= end;
      if (!is_chained) continue;
      auto const part = std::span(sequence.tokens).subspan(i * page_size(), page_size());
      auto const key  = chain.keys.at(i - chain.first_page);
      // The first that fills a page is the one that publishes it.
      if (m_pending.find(chain.at.place, key, part) == nullptr)
        m_pending.add({key, chain.at.place, part, number, null_page});
      chain.at = chain.at.after_pending(number, key, null_page);
    }
  }

  std::uint32_t next_number() {
    return static_cast<std::uint32_t>(m_ledger.options.num_pages + m_num_fresh++);
  }

  PageLedger const& m_ledger;
  std::vector<StepDraft> m_drafts;
  std::vector<Promotion> m_promotions;
  PendingPages m_pending;
  std::unordered_set<std::uint32_t> m_revived;
  /// How many sequences leave a page for a copy.
  std::unordered_map<std::uint32_t, std::uint32_t> m_left;
  std::size_t m_num_fresh  = 0;
  std::size_t m_num_copies = 0;
};

}  // namespace KokkosKV::Impl

#endif
