// PageManager: the owner of the pages of a pool.
#ifndef KOKKOSKV_PAGEMANAGER_HPP
#define KOKKOSKV_PAGEMANAGER_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cache/KokkosKV_Errors.hpp>
#include <manager/KokkosKV_EvictionPolicies.hpp>
#include <manager/KokkosKV_PageEvent.hpp>
#include <manager/KokkosKV_PageHash.hpp>
#include <manager/KokkosKV_PageManagerOptions.hpp>
#include <manager/KokkosKV_PageStatistics.hpp>
#include <manager/KokkosKV_PageTransfer.hpp>
#include <manager/KokkosKV_StepRequest.hpp>
#include <manager/impl/KokkosKV_ManagedSequences.hpp>
#include <manager/impl/KokkosKV_PageLedger.hpp>
#include <manager/impl/KokkosKV_PagePins.hpp>
#include <manager/impl/KokkosKV_PrefixFetch.hpp>
#include <manager/impl/KokkosKV_PrefixPoint.hpp>
#include <manager/impl/KokkosKV_SequenceSwap.hpp>
#include <manager/impl/KokkosKV_StatisticsBoard.hpp>
#include <manager/impl/KokkosKV_StepRun.hpp>

namespace KokkosKV {

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
/// With tiers (PageTiers), pages that are evicted go on to host pages, and from there to files,
/// where new sequences find them again; and whole sequences can be swapped out.
///
/// One thread at a time may call members; any other may call read_statistics() meanwhile. A manager
/// stays where it was made.
class PageManager {
 public:
  /// \param options  how it works
  /// \param tiers    where pages go that leave the pool
  /// \throws ShapeError  num_pages or page_size is 0 or too large, there is no hash, pages of the
  ///                     tiers are unlike those of the pool, or files are behind no host pages
  explicit PageManager(PageManagerOptions const& options, PageTiers const& tiers = {})
      : PageManager(options, make_eviction_policy(options.eviction), tiers) {}

  /// With a policy of the caller's own.
  /// \throws ShapeError  also where there is none
  PageManager(PageManagerOptions const& options, std::unique_ptr<EvictionPolicy> policy,
              PageTiers const& tiers = {})
      : m_pages(checked(options), checked(std::move(policy)), tiers),
        m_step(m_pages),
        m_swap(m_pages),
        m_pins(m_pages) {
    post();
  }
  PageManager(PageManager const&)            = delete;
  PageManager& operator=(PageManager const&) = delete;

  /// Begins a sequence.
  /// \param tokens  ids of its first tokens, may be none
  /// \param domain  what it must have in common with others to share pages
  /// \throws ShapeError  more than 2^32 - 1 tokens
  SequenceId create(std::span<std::uint32_t const> tokens, PrefixDomain const& domain = {}) {
    Impl::ManagedSequences::check_length("create", "tokens.size()", 0, tokens.size());
    Sequence sequence;
    sequence.tokens.assign(tokens.begin(), tokens.end());
    sequence.domain = m_pages.domains.retain(domain);
    try {
      m_pages.children.expect(sequence.domain);
      auto const id = m_sequences.add(sequence);
      post();
      return id;
    } catch (...) {
      m_pages.domains.release(sequence.domain);
      throw;
    }
  }

  /// Appends tokens to a sequence.
  /// \throws SequenceError  no such sequence
  /// \throws ShapeError     more than 2^32 - 1 tokens
  void append(SequenceId id, std::span<std::uint32_t const> tokens) {
    auto& sequence = m_sequences.find("append", id);
    Impl::ManagedSequences::check_length("append", "tokens.size()", sequence.tokens.size(),
                                         tokens.size());
    sequence.tokens.insert(sequence.tokens.end(), tokens.begin(), tokens.end());
    sequence.is_fetched = false;
  }

  /// A new sequence with the same tokens and priority, which shares all pages.
  /// \throws SequenceError  no such sequence, or it has no tokens, or is swapped out, or is in a
  ///                        step that is not committed
  SequenceId fork(SequenceId id) {
    auto const& parent = m_sequences.find_resident("fork", id);
    if (parent.tokens.empty()) {
      throw SequenceError("fork", Impl::ManagedSequences::name_of(id), "no tokens",
                          "at least one token");
    }
    Sequence child      = parent;
    child.unused_slots  = 0;
    auto const child_id = m_sequences.add(child);
    auto& added         = m_sequences.find("fork", child_id);
    m_pages.domains.retain(added.domain);
    for (auto const page : added.pages) m_pages.pool.retain(page);
    account(added);
    post();
    return child_id;
  }

  /// Forgets the tokens from `num_tokens` on.
  /// \throws SequenceError  no such sequence, or it is swapped out, or in a step that is not
  ///                        committed
  /// \throws ShapeError     it has fewer tokens
  void truncate(SequenceId id, std::size_t num_tokens) {
    auto& sequence = m_sequences.find_resident("truncate", id);
    if (num_tokens > sequence.tokens.size()) {
      throw ShapeError("truncate", "num_tokens", std::to_string(num_tokens),
                       "at most " + std::to_string(sequence.tokens.size()) + ", the tokens of " +
                           Impl::ManagedSequences::name_of(id));
    }
    sequence.tokens.resize(num_tokens);
    give_up(sequence, std::min(sequence.num_stored, static_cast<std::uint32_t>(num_tokens)));
    post();
  }

  /// Ends a sequence. Its full pages stay cached.
  /// \throws SequenceError  no such sequence, or it is in a step that is not committed
  void free(SequenceId id) {
    auto& sequence = m_sequences.find_idle("free", id);
    m_swap.forget(id, sequence);
    give_up(sequence, 0);
    m_pages.domains.release(sequence.domain);
    m_sequences.erase(id);
    post();
  }

  /// Takes the pages of a sequence away, but not its tokens: they are computed again when it is in
  /// a step, as far as its pages are not found in the cache then. The quickest preemption.
  /// \throws SequenceError  no such sequence, or it is in a step that is not committed
  void release_pages(SequenceId id) {
    auto& sequence = m_sequences.find_idle("release_pages", id);
    m_swap.forget(id, sequence);
    give_up(sequence, 0);
    post();
  }

  /// Moves a sequence to host pages, where it stays until it is swapped in, freed, or needs to go
  /// on to files. Its pages come back bit by bit the same. Where host pages are lacking, sequences
  /// that are out for longer go on to files, if there are any.
  ///
  /// \return what is lacking; where that is anything the sequence is as before
  /// \throws SequenceError  no such sequence, or it is swapped out, or in a step that is not
  ///                        committed, or the manager has no host pages
  /// \throws what PageTransfer throws; the sequence is as before then
  SwapResult swap_out(SequenceId id) {
    auto& sequence = m_sequences.find_resident("swap_out", id);
    if (!m_pages.host.exist()) {
      throw SequenceError("swap_out", Impl::ManagedSequences::name_of(id), "no host pages",
                          "a manager with tiers");
    }
    PostAtEnd const post{*this};
    auto const result = m_swap.swap_out(id, sequence);
    account(sequence);
    return result;
  }

  /// Brings a sequence back. Tokens whose pages files have lost are computed again: see
  /// num_stored().
  ///
  /// \return what is lacking; where that is anything the sequence is out as before
  /// \throws SequenceError  no such sequence, or it is not swapped out
  /// \throws what PageTransfer throws; the sequence is out as before then
  SwapResult swap_in(SequenceId id) {
    auto& sequence = m_sequences.find("swap_in", id);
    if (sequence.state == SequenceState::resident) {
      throw SequenceError("swap_in", Impl::ManagedSequences::name_of(id), "resident",
                          "one that is swapped out");
    }
    PostAtEnd const post{*this};
    auto const result = m_swap.swap_in(id, sequence);
    account(sequence);
    return result;
  }

  /// Keeps the full pages that a sequence has now from being evicted, also when it is freed.
  /// \throws SequenceError  no such sequence, or it is pinned, or is swapped out, or in a step that
  ///                        is not committed
  void pin(SequenceId id) {
    m_pins.pin(id, m_sequences.find_resident("pin", id));
    post();
  }

  /// Ends a pin; the sequence may have been freed.
  /// \throws SequenceError  the sequence is not pinned
  void unpin(SequenceId id) {
    m_pins.unpin(id);
    post();
  }

  /// Pages of a sequence are evicted after all pages of lower priority. Counts for those that it
  /// has now and for all that it gets; what a page has once it keeps until it is evicted.
  /// \param priority  0, that of new sequences, to 255
  /// \throws SequenceError  no such sequence, or it is swapped out, or in a step that is not
  ///                        committed
  void set_priority(SequenceId id, std::uint8_t priority) {
    auto& sequence = m_sequences.find_resident("set_priority", id);
    if (priority > 0) m_pages.pool.expect_levels();
    sequence.priority = priority;
    m_pages.raise(sequence, 0);
  }

  /// Tokens that a sequence of these tokens would find in the pool and in host pages now.
  std::size_t count_cached_tokens(std::span<std::uint32_t const> tokens,
                                  PrefixDomain const& domain = {}) const {
    auto const number = m_pages.domains.find(domain);
    if (number == Impl::PrefixDomains::no_domain) return 0;
    return Impl::PrefixPoint::root(m_pages, number).count_cached(m_pages, tokens);
  }

  /// Finds cached pages for the requests, and pages for their new rows. All or nothing: where pages
  /// are lacking nothing changes, and the result says how many.
  ///
  /// A sequence of which everything is stored (after fork(), truncate() or swap_in()) gets no rows.
  /// One that goes on in the middle of a page looks for cached pages no more; full pages that it
  /// has in common with others become one when the step is committed. Files are searched once for
  /// a sequence of which nothing is stored, and again when its tokens have changed.
  /// \throws SequenceError  no such sequence, a sequence twice, one that is swapped out, or a step
  ///                        is not committed
  /// \throws what PageTransfer throws; the sequences are as before then
  StepLayout prepare_step(std::span<StepRequest const> requests) {
    if (m_step.is_prepared())
      throw SequenceError("prepare_step", "step", "one that is not committed", "none");
    m_sequences.find_requested(requests, m_requested);
    PostAtEnd const post{*this};
    if (m_pages.host.files().exist()) {
      for (auto* const sequence : m_requested) {
        if (sequence->num_stored > 0 || sequence->is_fetched) continue;
        Impl::PrefixFetch(m_pages, *sequence).run();
        sequence->is_fetched = true;
      }
    }
    return m_step.prepare(requests, m_requested);
  }

  /// The step's stores are launched: its rows count as stored, and its full pages can be found.
  /// \throws SequenceError  no step is prepared
  void commit_step() {
    check_prepared("commit_step");
    m_step.commit();
    for (auto const& draft : m_step.drafts()) account(*draft.sequence);
    post();
  }

  /// The step was not launched: everything is as before prepare_step().
  /// \throws SequenceError  no step is prepared
  void abandon_step() {
    check_prepared("abandon_step");
    m_step.abandon();
    post();
  }

  /// Token ids of a sequence.
  /// \throws SequenceError  no such sequence
  std::span<std::uint32_t const> tokens(SequenceId id) const {
    return m_sequences.find("tokens", id).tokens;
  }
  /// Tokens of a sequence whose keys and values are stored.
  /// \throws SequenceError  no such sequence
  std::uint32_t num_stored(SequenceId id) const {
    return m_sequences.find("num_stored", id).num_stored;
  }
  /// Pages of a sequence, in the order of its tokens; none while it is swapped out.
  /// \throws SequenceError  no such sequence
  std::span<std::uint32_t const> pages(SequenceId id) const {
    return m_sequences.find("pages", id).pages;
  }
  /// Where a sequence is.
  /// \throws SequenceError  no such sequence
  SequenceState state(SequenceId id) const { return m_sequences.find("state", id).state; }
  /// Changes whenever a page that a sequence has had for more than a step does.
  /// \throws SequenceError  no such sequence
  std::uint32_t table_version(SequenceId id) const {
    return m_sequences.find("table_version", id).table_version;
  }
  /// Sequences that are not freed.
  std::size_t num_sequences() const { return m_sequences.size(); }
  /// Sequences that share a page, each as often as it has it, and pins; pages of a step that is not
  /// committed count too.
  /// \throws ShapeError  no such page
  std::uint32_t num_references(std::uint32_t page) const {
    if (page >= m_pages.options.num_pages) {
      throw ShapeError("num_references", "page", std::to_string(page),
                       "less than " + std::to_string(m_pages.options.num_pages));
    }
    return m_pages.pool.pool().num_references(page);
  }

  /// Where the pages are now.
  PageCounts page_counts() const {
    auto const& pool = m_pages.pool.pool();
    auto const& host = m_pages.host.tree().pool();
    PageCounts counts;
    counts.free         = pool.num_free();
    counts.cached       = pool.num_cached();
    counts.used         = pool.num_pages() - counts.free - counts.cached;
    counts.host_free    = host.num_free();
    counts.host_cached  = host.num_cached();
    counts.host_used    = host.num_pages() - counts.host_free - counts.host_cached;
    counts.in_files     = m_pages.host.files().count();
    counts.unused_slots = m_unused_slots;
    return counts;
  }
  /// What has happened so far.
  PageStatistics const& statistics() const { return m_pages.log.counts; }
  /// All that the manager tells, as of the end of a call. Any thread may ask while another one
  /// works with the manager; neither waits for the other.
  ManagerStatistics read_statistics() const { return m_board.read(); }
  /// Calls `callback` from now on for each page that can be found or cannot any more; none where it
  /// is empty.
  void set_event_callback(PageEventCallback callback) {
    m_pages.log.callback = std::move(callback);
  }
  /// Equal for one manager alone, as long as somebody has it: tells managers apart where one is
  /// made at the address of another.
  std::shared_ptr<void const> identity() const { return m_identity; }
  /// How the manager works.
  PageManagerOptions const& options() const { return m_pages.options; }

 private:
  using Sequence = Impl::ManagedSequence;

  static PageManagerOptions const& checked(PageManagerOptions const& options) {
    auto const check = [](char const* name, std::uint32_t value, std::uint32_t most) {
      if (value == 0 || value > most) {
        throw ShapeError("PageManager", std::string("options.") + name, std::to_string(value),
                         "1 to " + std::to_string(most));
      }
    };
    check("num_pages", options.num_pages, 0x7FFFFFFF);
    check("page_size", options.page_size, 0xFFFFFFFF);
    if (options.hash == nullptr)
      throw ShapeError("PageManager", "options.hash", "null", "a function");
    return options;
  }
  static std::unique_ptr<EvictionPolicy> checked(std::unique_ptr<EvictionPolicy> policy) {
    if (policy == nullptr) throw ShapeError("PageManager", "policy", "null", "a policy");
    return policy;
  }

  void check_prepared(char const* function) const {
    if (!m_step.is_prepared()) throw SequenceError(function, "step", "none", "a prepared one");
  }

  /// All that is stored but the first tokens.
  void give_up(Sequence& sequence, std::uint32_t num_kept) {
    sequence.num_stored  = num_kept;
    sequence.is_fetched  = false;
    auto const num_pages = std::min(m_pages.pages_of(num_kept), sequence.pages.size());
    // Who follows the table need not look at it where only the length changes.
    if (num_pages < sequence.pages.size()) ++sequence.table_version;
    m_pages.pool.release(sequence.pages, num_pages);
    account(sequence);
  }

  void account(Sequence& sequence) {
    auto const slots  = sequence.pages.size() * m_pages.options.page_size;
    auto const unused = sequence.pages.empty() ? 0 : slots - sequence.num_stored;
    m_unused_slots += unused - sequence.unused_slots;
    sequence.unused_slots = static_cast<std::uint32_t>(unused);
  }

  /// Posts what has become of a call, also where it throws.
  struct PostAtEnd {
    PageManager& manager;
    ~PostAtEnd() { manager.post(); }
  };
  void post() {
    m_board.write({page_counts(), m_pages.log.counts, m_sequences.size(), m_pages.domains.size()});
  }

  Impl::PageLedger m_pages;
  Impl::ManagedSequences m_sequences;
  Impl::StepRun m_step;
  Impl::SequenceSwap m_swap;
  Impl::PagePins m_pins;
  std::vector<Sequence*> m_requested;  ///< of the step
  std::uint64_t m_unused_slots           = 0;
  std::shared_ptr<void const> m_identity = std::make_shared<char>();
  Impl::StatisticsBoard m_board;
};

}  // namespace KokkosKV

#endif
