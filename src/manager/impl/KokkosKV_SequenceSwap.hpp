// SequenceSwap: takes sequences out of the pool and brings them back.
#ifndef KOKKOSKV_IMPL_SEQUENCESWAP_HPP
#define KOKKOSKV_IMPL_SEQUENCESWAP_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <manager/KokkosKV_StepRequest.hpp>
#include <manager/impl/KokkosKV_ManagedSequence.hpp>
#include <manager/impl/KokkosKV_PageLedger.hpp>
#include <manager/impl/KokkosKV_PrefixPoint.hpp>
#include <manager/impl/KokkosKV_SequenceFiles.hpp>

namespace KokkosKV::Impl {

/// A sequence that is out holds its host pages, or is in files. Nothing is given up before what
/// takes its place is there.
class SequenceSwap {
 public:
  explicit SequenceSwap(PageLedger& ledger) : m_ledger(ledger), m_files(ledger) {}

  /// Where something is lacking the sequence is as before.
  SwapResult swap_out(SequenceId id, ManagedSequence& sequence) {
    HeldPages held(host().tree(), sequence.pages.size());
    // Pages that are there already make no room for the others.
    hold_linked(sequence, held.pages);
    auto const needed = sequence.pages.size() - held.pages.size();
    if (needed > num_available() && needed <= num_not_held(held.pages)) make_room(needed);
    if (needed > num_available()) return lacking_on_host(needed - num_available());
    auto const entry = enter(id, sequence);
    hold_rest(sequence, held.pages);
    try {
      host().launch();
    } catch (...) {
      m_on_host.erase(entry);
      held.release();
      host().settle(true);
      throw;
    }
    host().settle(false);
    m_ledger.pool.release(sequence.pages, 0);
    ++sequence.table_version;
    go_to_host(sequence, held.take());
    ++m_ledger.log.counts.swapped_out;
    return {};
  }

  /// Where something is lacking the sequence is as before, but perhaps in host pages again.
  SwapResult swap_in(SequenceId id, ManagedSequence& sequence) {
    auto found = find_in_pool(sequence);
    // Nothing is read from files in vain.
    auto const lacking = count_lacking(sequence, found);
    if (lacking > 0) return {static_cast<std::uint32_t>(lacking), 0};
    if (sequence.state == SequenceState::in_files) {
      auto const result = read_from_files(id, sequence);
      if (!result.fits()) return result;
      found.resize(std::min(found.size(), num_full(sequence)));
    }
    upload(sequence, found);
    m_on_host.erase(sequence.swap_number);
    // The last page may be partly filled: it is nobody else's.
    release_host(sequence.host_pages);
    sequence.state = SequenceState::resident;
    m_ledger.publish(sequence, found.size());
    m_ledger.raise(sequence, 0);
    ++m_ledger.log.counts.swapped_in;
    return {};
  }

  /// Gives up what a sequence has outside the pool.
  void forget(SequenceId id, ManagedSequence& sequence) {
    if (sequence.state == SequenceState::on_host) {
      m_on_host.erase(sequence.swap_number);
      release_host(sequence.host_pages);
    } else if (sequence.state == SequenceState::in_files) {
      m_files.remove_tail(id, sequence);
    }
    sequence.state = SequenceState::resident;
  }

 private:
  using Waiting = std::map<std::uint64_t, std::pair<SequenceId, ManagedSequence*>>;

  /// Host pages that a call holds; let go of where it does not come to take().
  struct HeldPages {
    HeldPages(PageTree& tree_, std::size_t count) : tree(tree_) { pages.reserve(count); }
    HeldPages(HeldPages const&)            = delete;
    HeldPages& operator=(HeldPages const&) = delete;
    ~HeldPages() { release(); }

    void release() { tree.release(pages, 0); }
    std::vector<std::uint32_t> take() { return std::exchange(pages, {}); }

    PageTree& tree;
    std::vector<std::uint32_t> pages;
  };

  HostPages& host() { return m_ledger.host; }
  PagePool const& host_pool() const { return m_ledger.host.tree().pool(); }
  std::size_t num_available() const {
    return std::size_t(host_pool().num_free()) + host_pool().num_cached();
  }
  std::uint32_t page_size() const { return m_ledger.options.page_size; }
  std::size_t num_full(ManagedSequence const& sequence) const {
    return sequence.num_stored / page_size();
  }
  bool has_tail(ManagedSequence const& sequence) const {
    return sequence.num_stored % page_size() != 0;
  }
  /// Leading pages that host pages hold already.
  void hold_linked(ManagedSequence const& sequence, std::vector<std::uint32_t>& held) {
    for (std::size_t i = 0; i < num_full(sequence); ++i) {
      auto const page = host().linked(m_ledger.index(), sequence.pages[i]);
      if (page == null_page) return;
      host().tree().retain(page);
      held.push_back(page);
    }
  }
  std::size_t num_not_held(std::vector<std::uint32_t> const& held) const {
    return host_pool().num_pages() - held.size();
  }
  /// The others, for which there is room; the copies are not launched yet.
  void hold_rest(ManagedSequence const& sequence, std::vector<std::uint32_t>& held) {
    for (auto i = held.size(); i < sequence.pages.size(); ++i) {
      bool const is_full = i < num_full(sequence);
      auto const page    = sequence.pages[i];
      held.push_back(is_full ? host().hold(m_ledger.index(), page) : host().take());
      if (!is_full) host().download(page, held.back());
    }
  }

  static SwapResult lacking_on_host(std::size_t count) {
    return {0, static_cast<std::uint32_t>(count)};
  }

  /// The sequence is the one that went last; go_to_host() makes that true.
  Waiting::iterator enter(SequenceId id, ManagedSequence& sequence) {
    return m_on_host.emplace(m_next_number, std::pair(id, &sequence)).first;
  }
  void go_to_host(ManagedSequence& sequence, std::vector<std::uint32_t> held) {
    sequence.host_pages  = std::move(held);
    sequence.state       = SequenceState::on_host;
    sequence.swap_number = m_next_number++;
  }

  void release_host(std::vector<std::uint32_t>& pages) { host().tree().release(pages, 0); }

  /// Leading pages of a sequence that the pool has too.
  std::vector<std::uint32_t> find_in_pool(ManagedSequence const& sequence) const {
    std::vector<std::uint32_t> result;
    auto at = PrefixPoint::root(m_ledger, sequence.domain);
    for (std::size_t i = 0; i < num_full(sequence); ++i) {
      auto const part = m_ledger.part(sequence, i);
      auto const key  = m_ledger.options.hash(at.key, part);
      auto const page = m_ledger.index().find(at.place, key, part);
      if (page == null_page) break;
      result.push_back(page);
      at = PrefixPoint::after(m_ledger, page);
    }
    return result;
  }

  /// Pages of the pool that are lacking, where it has the leading ones already.
  std::size_t count_lacking(ManagedSequence const& sequence,
                            std::vector<std::uint32_t> const& found) const {
    auto const needed    = m_ledger.pages_of(sequence.num_stored) - found.size();
    auto const revived   = static_cast<std::size_t>(std::ranges::count_if(
        found, [&](auto page) { return m_ledger.pool.pool().is_cached(page); }));
    auto const available = m_ledger.num_available() - revived;
    return needed - std::min(needed, available);
  }

  void upload(ManagedSequence& sequence, std::vector<std::uint32_t> const& found) {
    auto& pool       = m_ledger.pool;
    auto const count = sequence.host_pages.size();
    std::vector<PageCopy> copies;
    copies.reserve(count);
    sequence.pages.reserve(count);
    for (auto const page : found) pool.retain(page);
    for (auto page = found.rbegin(); page != found.rend(); ++page) pool.touch(*page);
    sequence.pages = found;
    while (sequence.pages.size() < count) {
      copies.push_back({sequence.host_pages[sequence.pages.size()], m_ledger.take_page()});
      sequence.pages.push_back(copies.back().destination);
    }
    host().try_launch();
    if (copies.empty()) return;
    try {
      host().transfer().upload(copies);
    } catch (...) {
      pool.release(sequence.pages, 0);
      throw;
    }
  }

  /// Sends sequences on from host pages to files, those that are out for longest first, until so
  /// many host pages can be had or a sequence cannot go.
  void make_room(std::size_t needed) {
    if (!m_files.exist()) return;
    while (needed > num_available() && !m_on_host.empty()) {
      auto const [id, sequence] = m_on_host.begin()->second;
      if (!m_files.write(id, *sequence)) return;
      m_on_host.erase(m_on_host.begin());
      release_host(sequence->host_pages);
      sequence->state = SequenceState::in_files;
      ++m_ledger.log.counts.swapped_to_files;
    }
  }

  /// Brings a sequence from files to host pages.
  SwapResult read_from_files(SequenceId id, ManagedSequence& sequence) {
    auto const count = m_ledger.pages_of(sequence.num_stored);
    make_room(count);
    HeldPages held(host().tree(), count);
    auto const entry = enter(id, sequence);
    bool lacks_room  = true;
    try {
      lacks_room = m_files.read(id, sequence, held.pages);
    } catch (...) {
      m_on_host.erase(entry);
      throw;
    }
    auto const found = held.pages.size();
    if (lacks_room) {
      m_on_host.erase(entry);
      return lacking_on_host(count - found);
    }
    if (found < count) {
      auto const kept = static_cast<std::uint32_t>(found * page_size());
      m_ledger.log.counts.lost_tokens += sequence.num_stored - kept;
      sequence.num_stored = kept;
    }
    go_to_host(sequence, held.take());
    return {};
  }

  PageLedger& m_ledger;
  SequenceFiles m_files;
  /// Sequences that are out, by the order in which they went.
  Waiting m_on_host;
  std::uint64_t m_next_number = 0;
};

}  // namespace KokkosKV::Impl

#endif
