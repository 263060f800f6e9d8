// What a step would take, found without changing anything.
#ifndef KOKKOSKV_IMPL_STEPDRAFT_HPP
#define KOKKOSKV_IMPL_STEPDRAFT_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <manager/KokkosKV_PageKey.hpp>
#include <manager/KokkosKV_StepRequest.hpp>
#include <manager/impl/KokkosKV_PageIndex.hpp>
#include <manager/impl/KokkosKV_PagePool.hpp>
#include <manager/impl/KokkosKV_PrefixDomains.hpp>

namespace KokkosKV::Impl {

/// A sequence and its pages. Between steps the pages are those of the stored tokens, and each full
/// one is published.
struct ManagedSequence {
  std::vector<std::uint32_t> tokens;
  std::vector<std::uint32_t> pages;
  std::uint32_t num_stored    = 0;
  std::uint32_t domain        = 0;
  std::uint32_t table_version = 0;
  bool is_in_step             = false;
};

/// A sequence's part of a step.
struct StepDraft {
  SequenceId id;
  ManagedSequence* sequence;
  std::uint32_t num_stored;  ///< with what the cache gives
  std::uint32_t num_rows;
  /// Cached pages, and numbers from the size of the pool on for pages that the step fills.
  std::vector<std::uint32_t> new_pages;
  std::size_t num_published;  ///< leading pages that are published already
  bool copies_tail;           ///< others read the page that the first row goes to
  std::size_t old_num_pages;
  std::uint32_t old_num_stored;
  std::uint32_t copied_page = null_page;  ///< what the copy is of; held until the step is committed
};

/// Collects the parts of a step and counts the pages that it needs.
template <class Options>
class StepDrafter {
 public:
  StepDrafter(PagePool const& pool, PrefixDomains const& domains, Options const& options)
      : m_pool(pool), m_domains(domains), m_options(options) {}

  void add(SequenceId id, ManagedSequence& sequence, std::uint32_t max_rows) {
    StepDraft draft{id,
                    &sequence,
                    sequence.num_stored,
                    0,
                    {},
                    sequence.num_stored / page_size(),
                    false,
                    sequence.pages.size(),
                    sequence.num_stored};
    Chain chain{draft, start_of(sequence)};
    if (sequence.num_stored % page_size() == 0) take_cached(chain);
    auto const length = static_cast<std::uint32_t>(sequence.tokens.size());
    draft.num_rows    = std::min(max_rows, length - draft.num_stored);
    copy_shared_tail(draft);
    add_fresh(chain);
    m_drafts.push_back(std::move(draft));
  }

  /// Pages that are lacking.
  std::uint32_t missing_pages() const {
    auto const available = std::size_t(m_pool.num_free()) + m_pool.num_cached() - m_revived.size();
    auto const needed    = m_num_fresh + m_num_copies;
    return needed <= available ? 0 : static_cast<std::uint32_t>(needed - available);
  }

  std::size_t num_fresh() const { return m_num_fresh; }
  std::vector<StepDraft> take() { return std::move(m_drafts); }

 private:
  /// A page of the step that will be full, for others in the same step.
  struct Pending {
    PageIndex::Place place;
    std::span<std::uint32_t const> tokens;
    std::uint32_t number;
  };
  /// Where the next page of a sequence stands.
  struct Position {
    PageIndex::Place place;
    PageKey key;
  };
  struct Chain {
    StepDraft& draft;
    Position at;
  };

  std::uint32_t page_size() const { return m_options.page_size; }

  Position start_of(ManagedSequence const& sequence) const {
    auto const full = sequence.num_stored / page_size();
    if (full == 0) return {{null_page, sequence.domain}, m_domains.key(sequence.domain)};
    auto const parent = sequence.pages[full - 1];
    return {{parent, sequence.domain}, m_pool.index().key(parent)};
  }

  /// Goes on with pages that are cached, or that an earlier part of the step fills.
  void take_cached(Chain& chain) {
    auto& draft           = chain.draft;
    auto const& tokens    = draft.sequence->tokens;
    std::size_t const end = tokens.size() - (m_options.recompute_last_token && !tokens.empty());
    while (draft.num_stored + std::size_t(page_size()) <= end) {
      auto const part = std::span(tokens).subspan(draft.num_stored, page_size());
      auto const key  = m_options.hash(chain.at.key, part);
      auto page       = m_pool.index().find(chain.at.place, key, part);
      if (page == null_page) page = find_pending(chain.at.place, key, part);
      if (page == null_page) return;
      if (page < m_pool.num_pages() && m_pool.is_cached(page)) m_revived.insert(page);
      draft.new_pages.push_back(page);
      draft.num_stored += page_size();
      ++draft.num_published;
      chain.at = {{page, draft.sequence->domain}, key};
    }
  }

  std::uint32_t find_pending(PageIndex::Place place, PageKey key,
                             std::span<std::uint32_t const> tokens) const {
    auto const [begin, end] = m_pending.equal_range(key);
    for (auto page = begin; page != end; ++page) {
      auto const& pending = page->second;
      if (pending.place == place && std::ranges::equal(pending.tokens, tokens))
        return pending.number;
    }
    return null_page;
  }

  /// Nobody writes into a page that another sequence has, or that can be found. Of the sequences
  /// that write into the same page in one step, the last may keep it.
  void copy_shared_tail(StepDraft& draft) {
    if (draft.num_rows == 0 || draft.num_stored % page_size() == 0) return;
    auto const page   = draft.sequence->pages.back();
    auto const others = m_pool.num_references(page) - m_left[page];
    draft.copies_tail = others > 1 || m_pool.index().is_published(page);
    if (!draft.copies_tail) return;
    ++m_left[page];
    ++m_num_copies;
  }

  void add_fresh(Chain& chain) {
    auto& draft           = chain.draft;
    auto const& sequence  = *draft.sequence;
    std::size_t const end = std::size_t(draft.num_stored) + draft.num_rows;
    bool is_chained       = draft.num_stored % page_size() == 0;
    for (auto i = draft.old_num_pages + draft.new_pages.size(); i * page_size() < end; ++i) {
      auto const number = static_cast<std::uint32_t>(m_pool.num_pages() + m_num_fresh++);
      draft.new_pages.push_back(number);
      // Only what begins at a known page and will be full can be found by others.
      is_chained = is_chained && (i + 1) * page_size() <= end;
      if (!is_chained) continue;
      auto const part = std::span(sequence.tokens).subspan(i * page_size(), page_size());
      auto const key  = m_options.hash(chain.at.key, part);
      // The first that fills a page is the one that publishes it.
      if (find_pending(chain.at.place, key, part) == null_page)
        m_pending.emplace(key, Pending{chain.at.place, part, number});
      chain.at = {{number, sequence.domain}, key};
    }
  }

  PagePool const& m_pool;
  PrefixDomains const& m_domains;
  Options const& m_options;
  std::vector<StepDraft> m_drafts;
  std::unordered_multimap<PageKey, Pending> m_pending;
  /// Cached pages that the step uses, and that can therefore not be evicted for it.
  std::unordered_set<std::uint32_t> m_revived;
  /// How many sequences leave a page for a copy.
  std::unordered_map<std::uint32_t, std::uint32_t> m_left;
  std::size_t m_num_fresh  = 0;
  std::size_t m_num_copies = 0;
};

}  // namespace KokkosKV::Impl

#endif
