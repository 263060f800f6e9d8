// PageManager: the owner of the pages of a pool.
#ifndef KOKKOSKV_PAGEMANAGER_HPP
#define KOKKOSKV_PAGEMANAGER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <cache/KokkosKV_Errors.hpp>
#include <manager/KokkosKV_EvictionPolicies.hpp>
#include <manager/KokkosKV_PageHash.hpp>
#include <manager/KokkosKV_StepRequest.hpp>
#include <manager/impl/KokkosKV_PageIndex.hpp>
#include <manager/impl/KokkosKV_PagePool.hpp>
#include <manager/impl/KokkosKV_PrefixDomains.hpp>
#include <manager/impl/KokkosKV_StepDraft.hpp>

namespace KokkosKV {

/// A sequence is not known, was freed, or is not in the state that the call needs.
class SequenceError : public ArgumentError {
  using ArgumentError::ArgumentError;
};

/// How a PageManager works.
struct PageManagerOptions {
  std::uint32_t num_pages = 0;  ///< of the pool, at most 0xFFFFFFFE
  std::uint32_t page_size = 0;  ///< tokens of a page
  /// Which cached page goes first.
  EvictionKind eviction = EvictionKind::reuse_rate;
  /// Leads to pages by their tokens.
  PageHashFunction hash = &hash_page;
  /// The last token of a sequence is computed even where all its pages are cached: who wants to
  /// know the token that follows needs its output.
  bool recompute_last_token = true;
};

/// Where the pages are.
struct PageCounts {
  std::uint32_t free;    ///< without contents
  std::uint32_t cached;  ///< with contents, of no sequence; may be evicted
  std::uint32_t used;    ///< of sequences
};

/// What has happened so far.
struct PageStatistics {
  std::uint64_t hit_pages      = 0;  ///< taken from the cache instead of being computed
  std::uint64_t computed_pages = 0;  ///< full pages that were computed and published
  std::uint64_t evicted_pages  = 0;  ///< cached ones that made room
  std::uint64_t copied_pages   = 0;  ///< before a sequence wrote into what others read
  std::uint64_t prepared_steps = 0;  ///< also those that were abandoned
  std::uint64_t refused_steps  = 0;  ///< for lack of pages
};

/// Turns sequences of tokens into pages, and never loses one: who calls names sequences and their
/// tokens, and gets, step by step, the lengths, offsets and tables that the cache and attention
/// take. Full pages are shared by all sequences that begin with the same tokens (as in vLLM: Kwon
/// et al., Efficient Memory Management for Large Language Model Serving with PagedAttention, 2023).
///
/// A step goes: prepare_step(); the copies, stores and attention of the step are launched;
/// commit_step(). From then on its full pages are found by others. All work on pages must be
/// launched in the order of the steps (one execution space instance, or instances that wait for one
/// another); it need not have finished: the next step may be prepared while one runs. Where a step
/// could not be launched, abandon_step() takes all back that prepare_step() did.
///
/// One thread at a time may call members.
class PageManager {
 public:
  /// \throws ShapeError  num_pages or page_size is 0 or too large
  explicit PageManager(PageManagerOptions const& options)
      : PageManager(options, make_eviction_policy(options.eviction)) {}

  /// With a policy of the caller's own.
  PageManager(PageManagerOptions const& options, std::unique_ptr<EvictionPolicy> policy)
      : m_options(checked(options)),
        m_pool(options.num_pages, options.page_size, std::move(policy)) {}

  /// Begins a sequence.
  /// \param tokens  ids of its first tokens, may be none
  /// \param domain  what it must have in common with others to share pages
  /// \throws ShapeError  more than 2^32 - 1 tokens
  SequenceId create(std::span<std::uint32_t const> tokens, PrefixDomain const& domain = {}) {
    check_length("create", "tokens.size()", 0, tokens.size());
    Sequence sequence;
    sequence.tokens.assign(tokens.begin(), tokens.end());
    auto const id = m_next_id;
    // Nothing after this line throws.
    auto const place = m_sequences.try_emplace(id).first;
    try {
      sequence.domain = m_domains.retain(domain);
    } catch (...) {
      m_sequences.erase(place);
      throw;
    }
    place->second = std::move(sequence);
    ++m_next_id;
    return id;
  }

  /// Appends tokens to a sequence.
  /// \throws SequenceError  no such sequence
  /// \throws ShapeError     more than 2^32 - 1 tokens
  void append(SequenceId id, std::span<std::uint32_t const> tokens) {
    auto& sequence = find("append", id);
    check_length("append", "tokens.size()", sequence.tokens.size(), tokens.size());
    sequence.tokens.insert(sequence.tokens.end(), tokens.begin(), tokens.end());
  }

  /// A new sequence with the same tokens, which shares all pages.
  /// \throws SequenceError  no such sequence, or it has no tokens, or is in a step that is not
  ///                        committed
  SequenceId fork(SequenceId id) {
    auto const& parent = find_idle("fork", id);
    if (parent.tokens.empty())
      throw SequenceError("fork", name_of(id), "no tokens", "at least one token");
    Sequence child                                  = parent;
    auto const child_id                             = m_next_id;
    m_sequences.try_emplace(child_id).first->second = std::move(child);
    ++m_next_id;
    m_domains.retain(parent.domain);
    for (auto const page : parent.pages) m_pool.retain(page);
    return child_id;
  }

  /// Forgets the tokens from `num_tokens` on.
  /// \throws SequenceError  no such sequence, or it is in a step that is not committed
  /// \throws ShapeError     it has fewer tokens
  void truncate(SequenceId id, std::size_t num_tokens) {
    auto& sequence = find_idle("truncate", id);
    if (num_tokens > sequence.tokens.size()) {
      throw ShapeError(
          "truncate", "num_tokens", std::to_string(num_tokens),
          "at most " + std::to_string(sequence.tokens.size()) + ", the tokens of " + name_of(id));
    }
    sequence.tokens.resize(num_tokens);
    sequence.num_stored = std::min(sequence.num_stored, static_cast<std::uint32_t>(num_tokens));
    release_pages(sequence, pages_of(sequence.num_stored));
    ++sequence.table_version;
  }

  /// Ends a sequence. Its full pages stay cached.
  /// \throws SequenceError  no such sequence, or it is in a step that is not committed
  void free(SequenceId id) {
    auto& sequence = find_idle("free", id);
    release_pages(sequence, 0);
    m_domains.release(sequence.domain);
    m_sequences.erase(id);
  }

  /// Tokens that a sequence of these tokens would find in the cache now.
  std::size_t count_cached_tokens(std::span<std::uint32_t const> tokens,
                                  PrefixDomain const& domain = {}) const {
    auto const number = m_domains.find(domain);
    if (number == Impl::PrefixDomains::no_domain) return 0;
    std::size_t result = 0;
    auto key           = m_domains.key(number);
    auto parent        = null_page;
    while (result + m_options.page_size <= tokens.size()) {
      auto const part = tokens.subspan(result, m_options.page_size);
      key             = m_options.hash(key, part);
      parent          = m_pool.index().find({parent, number}, key, part);
      if (parent == null_page) break;
      result += m_options.page_size;
    }
    return result;
  }

  /// Finds cached pages for the requests, and pages for their new rows. All or nothing: where pages
  /// are lacking nothing changes, and the result says how many.
  /// \throws SequenceError  no such sequence, a sequence twice, or a step is not committed
  StepLayout prepare_step(std::span<StepRequest const> requests) {
    auto const sequences = find_requested(requests);
    Impl::StepDrafter drafter(m_pool, m_domains, m_options);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      drafter.add(requests[i].sequence, *sequences[i], requests[i].max_rows);
    }
    StepLayout layout;
    layout.missing_pages = drafter.missing_pages();
    if (!layout.fits()) {
      ++m_statistics.refused_steps;
      return layout;
    }
    m_fresh_pages.reserve(drafter.num_fresh());
    auto drafts = drafter.take();
    reserve(drafts);
    layout = lay_out(drafts);
    m_step = std::move(drafts);
    apply(layout);
    m_is_prepared = true;
    ++m_statistics.prepared_steps;
    return layout;
  }

  /// The step's stores are launched: its rows count as stored, and its full pages can be found.
  /// \throws SequenceError  no step is prepared
  void commit_step() {
    check_prepared("commit_step");
    for (auto& draft : m_step) {
      auto& sequence = *draft.sequence;
      if (draft.copied_page != null_page) m_pool.release(draft.copied_page);
      sequence.num_stored = draft.num_stored + draft.num_rows;
      publish(sequence, draft.num_published);
      sequence.is_in_step = false;
    }
    m_step.clear();
    m_is_prepared = false;
  }

  /// The step was not launched: everything is as before prepare_step().
  /// \throws SequenceError  no step is prepared
  void abandon_step() {
    check_prepared("abandon_step");
    for (auto draft = m_step.rbegin(); draft != m_step.rend(); ++draft) {
      auto& sequence = *draft->sequence;
      release_pages(sequence, draft->old_num_pages);
      if (draft->copied_page != null_page) {
        m_pool.release(sequence.pages.back());
        sequence.pages.back() = draft->copied_page;
      }
      sequence.num_stored = draft->old_num_stored;
      sequence.is_in_step = false;
      ++sequence.table_version;
    }
    m_step.clear();
    m_is_prepared = false;
  }

  /// Token ids of a sequence.
  /// \throws SequenceError  no such sequence
  std::span<std::uint32_t const> tokens(SequenceId id) const { return find("tokens", id).tokens; }
  /// Tokens of a sequence whose keys and values are stored.
  /// \throws SequenceError  no such sequence
  std::uint32_t num_stored(SequenceId id) const { return find("num_stored", id).num_stored; }
  /// Pages of a sequence, in the order of its tokens.
  /// \throws SequenceError  no such sequence
  std::span<std::uint32_t const> pages(SequenceId id) const { return find("pages", id).pages; }
  /// Changes whenever a page that a sequence has had for more than a step does.
  /// \throws SequenceError  no such sequence
  std::uint32_t table_version(SequenceId id) const {
    return find("table_version", id).table_version;
  }
  /// Sequences that are not freed.
  std::size_t num_sequences() const { return m_sequences.size(); }
  /// Sequences that share a page, each as often as it has it; pages of a step that is not committed
  /// count too.
  /// \throws ShapeError  no such page
  std::uint32_t num_references(std::uint32_t page) const {
    if (page >= m_options.num_pages) {
      throw ShapeError("num_references", "page", std::to_string(page),
                       "less than " + std::to_string(m_options.num_pages));
    }
    return m_pool.num_references(page);
  }

  /// Where the pages are now.
  PageCounts page_counts() const {
    return {m_pool.num_free(), m_pool.num_cached(),
            m_options.num_pages - m_pool.num_free() - m_pool.num_cached()};
  }
  /// What has happened so far.
  PageStatistics const& statistics() const { return m_statistics; }
  /// How the manager works.
  PageManagerOptions const& options() const { return m_options; }

 private:
  using Sequence = Impl::ManagedSequence;
  using Draft    = Impl::StepDraft;

  static PageManagerOptions const& checked(PageManagerOptions const& options) {
    auto const check = [](char const* name, std::uint32_t value) {
      if (value == 0 || value == null_page) {
        throw ShapeError("PageManager", std::string("options.") + name, std::to_string(value),
                         "1 to 4294967294");
      }
    };
    check("num_pages", options.num_pages);
    check("page_size", options.page_size);
    return options;
  }

  static std::string name_of(SequenceId id) { return "sequence " + std::to_string(id); }

  static void check_length(char const* function, char const* argument, std::size_t before,
                           std::size_t more) {
    constexpr std::size_t most = 0xFFFFFFFFu;
    if (more <= most - before) return;
    throw ShapeError(function, argument, std::to_string(more),
                     "at most " + std::to_string(most - before) + " beside the " +
                         std::to_string(before) + " tokens that there are");
  }

  Sequence const& find(char const* function, SequenceId id) const {
    auto const found = m_sequences.find(id);
    if (found == m_sequences.end()) {
      throw SequenceError(function, name_of(id), id < m_next_id ? "freed" : "unknown",
                          "a sequence of this manager");
    }
    return found->second;
  }
  Sequence& find(char const* function, SequenceId id) {
    return const_cast<Sequence&>(std::as_const(*this).find(function, id));
  }
  Sequence& find_idle(char const* function, SequenceId id) {
    auto& sequence = find(function, id);
    if (sequence.is_in_step) {
      throw SequenceError(function, name_of(id), "in a step", "no step that is not committed");
    }
    return sequence;
  }

  std::size_t pages_of(std::size_t tokens) const {
    return (tokens + m_options.page_size - 1) / m_options.page_size;
  }

  /// All pages but the first `kept`, last to first: what stands before others is needed longer.
  void release_pages(Sequence& sequence, std::size_t kept) {
    while (sequence.pages.size() > kept) {
      m_pool.release(sequence.pages.back());
      sequence.pages.pop_back();
    }
  }

  void check_prepared(char const* function) const {
    if (!m_is_prepared) throw SequenceError(function, "step", "none", "a prepared one");
  }

  std::vector<Sequence*> find_requested(std::span<StepRequest const> requests) {
    constexpr char const* name = "prepare_step";
    if (m_is_prepared) throw SequenceError(name, "step", "one that is not committed", "none");
    std::vector<Sequence*> result;
    result.reserve(requests.size());
    // The flag finds sequences that come twice; the step sets it for good when it is made.
    auto const unmark = [&] {
      for (auto* const sequence : result) sequence->is_in_step = false;
    };
    try {
      for (auto const& request : requests) {
        auto& sequence = find(name, request.sequence);
        if (sequence.is_in_step) {
          throw SequenceError(name, "requests[" + std::to_string(result.size()) + "]",
                              name_of(request.sequence), "each sequence once");
        }
        sequence.is_in_step = true;
        result.push_back(&sequence);
      }
    } catch (...) {
      unmark();
      throw;
    }
    unmark();
    return result;
  }

  /// What may throw for lack of memory comes before what changes.
  static void reserve(std::vector<Draft> const& drafts) {
    for (auto const& draft : drafts) {
      draft.sequence->pages.reserve(draft.old_num_pages + draft.new_pages.size());
    }
  }

  StepLayout lay_out(std::vector<Draft> const& drafts) const {
    StepLayout layout;
    layout.row_offsets     = {0};
    std::size_t num_copies = 0;
    for (auto const& draft : drafts) {
      layout.sequences.push_back(draft.id);
      layout.cache_lengths.push_back(draft.num_stored);
      layout.row_offsets.push_back(layout.row_offsets.back() + draft.num_rows);
      layout.max_prompt_length = std::max(layout.max_prompt_length, draft.num_rows);
      layout.max_cache_length  = std::max(layout.max_cache_length, draft.num_stored);
      layout.max_pages =
          std::max(layout.max_pages,
                   static_cast<std::uint32_t>(draft.old_num_pages + draft.new_pages.size()));
      num_copies += draft.copies_tail ? 1 : 0;
    }
    layout.copies.reserve(num_copies);
    return layout;
  }

  std::uint32_t take_page() {
    return m_pool.take([&](std::uint32_t page) {
      ++m_statistics.evicted_pages;
      forget(page);
    });
  }

  /// A root page holds its domain.
  void forget(std::uint32_t page) {
    auto const place = m_pool.index().place(page);
    if (place.parent == null_page) m_domains.release(place.domain);
  }

  /// Cached pages first, so that none of them is evicted for another; then new ones.
  void apply(StepLayout& layout) {
    for (auto const& draft : m_step) {
      for (auto const page : draft.new_pages) {
        if (page < m_options.num_pages) m_pool.retain(page);
      }
    }
    for (auto const& draft : m_step) {
      for (auto page = draft.new_pages.rbegin(); page != draft.new_pages.rend(); ++page) {
        if (*page >= m_options.num_pages) continue;
        m_pool.touch(*page);
        ++m_statistics.hit_pages;
      }
    }
    for (auto& draft : m_step) {
      auto& sequence = *draft.sequence;
      if (draft.copies_tail) {
        draft.copied_page = sequence.pages.back();
        auto const page   = take_page();
        layout.copies.push_back({draft.copied_page, page});
        sequence.pages.back() = page;
        ++sequence.table_version;
        ++m_statistics.copied_pages;
      }
      for (auto const page : draft.new_pages) {
        auto const actual = page < m_options.num_pages ? page : actual_page(page);
        sequence.pages.push_back(actual);
      }
      sequence.num_stored = draft.num_stored;
      sequence.is_in_step = true;
    }
    m_fresh_pages.clear();
  }

  /// The page behind a number of a page that the step fills; taken when it is first met.
  std::uint32_t actual_page(std::uint32_t number) {
    auto const index = number - m_options.num_pages;
    if (index < m_fresh_pages.size()) {
      m_pool.retain(m_fresh_pages[index]);
      return m_fresh_pages[index];
    }
    m_fresh_pages.push_back(take_page());
    return m_fresh_pages.back();
  }

  /// Publishes the full pages from `first` on.
  void publish(Sequence& sequence, std::size_t first) {
    auto const full = sequence.num_stored / m_options.page_size;
    auto key =
        first == 0 ? m_domains.key(sequence.domain) : m_pool.index().key(sequence.pages[first - 1]);
    for (std::size_t i = first; i < full; ++i) {
      auto& page = sequence.pages[i];
      if (m_pool.index().is_published(page)) {
        key = m_pool.index().key(page);
        continue;
      }
      auto const part = std::span<std::uint32_t const>(sequence.tokens)
                            .subspan(i * m_options.page_size, m_options.page_size);
      key = m_options.hash(key, part);
      Impl::PageIndex::Place const place{i == 0 ? null_page : sequence.pages[i - 1],
                                         sequence.domain};
      auto const same = m_pool.index().find(place, key, part);
      if (same == null_page) {
        m_pool.publish(page, place, key, part);
        if (i == 0) m_domains.retain(sequence.domain);
        ++m_statistics.computed_pages;
      } else {
        // Another sequence has computed the same page: one of them is enough.
        m_pool.retain(same);
        m_pool.release(page);
        page = same;
        ++sequence.table_version;
      }
    }
  }

  PageManagerOptions m_options;
  Impl::PagePool m_pool;
  Impl::PrefixDomains m_domains;
  std::unordered_map<SequenceId, Sequence> m_sequences;
  SequenceId m_next_id = 0;
  bool m_is_prepared   = false;
  std::vector<Draft> m_step;
  std::vector<std::uint32_t> m_fresh_pages;
  PageStatistics m_statistics;
};

}  // namespace KokkosKV

#endif
