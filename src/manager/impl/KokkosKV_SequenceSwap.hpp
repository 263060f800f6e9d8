// SequenceSwap: takes sequences out of the pool and brings them back.
#ifndef KOKKOSKV_IMPL_SEQUENCESWAP_HPP
#define KOKKOSKV_IMPL_SEQUENCESWAP_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <manager/KokkosKV_StepRequest.hpp>
#include <manager/impl/KokkosKV_ManagedSequence.hpp>
#include <manager/impl/KokkosKV_PageLedger.hpp>
#include <manager/impl/KokkosKV_PrefixPoint.hpp>

namespace KokkosKV::Impl {

/// A sequence that is out holds its host pages, or is in files: its full pages under the names that
/// everybody finds them by, its last one under a name of its own. Nothing is given up before what
/// takes its place is there.
class SequenceSwap {
 public:
  explicit SequenceSwap(PageLedger& ledger) : m_ledger(ledger) {}

  /// Where something is lacking the sequence is as before.
  SwapResult swap_out(SequenceId id, ManagedSequence& sequence) {
    auto const needed = count_needed(sequence);
    if (needed > num_available()) make_room(needed);
    if (needed > num_available()) return lacking_on_host(needed - num_available());
    std::vector<std::uint32_t> held;
    held.reserve(sequence.pages.size());
    auto const entry = enter(id, sequence);
    if (!hold_all(sequence, held)) {
      auto const lacking = sequence.pages.size() - held.size();
      m_on_host.erase(entry);
      release_host(held);
      host().try_launch();
      return lacking_on_host(lacking);
    }
    try {
      host().launch();
    } catch (...) {
      m_on_host.erase(entry);
      release_host(held);
      host().settle(true);
      throw;
    }
    host().settle(false);
    m_ledger.pool.release(sequence.pages, 0);
    ++sequence.table_version;
    go_to_host(sequence, std::move(held));
    ++m_ledger.log.counts.swapped_out;
    return {};
  }

  /// Where something is lacking the sequence is as before, but perhaps in host pages again.
  SwapResult swap_in(SequenceId id, ManagedSequence& sequence) {
    if (sequence.state == SequenceState::in_files) {
      auto const result = fetch(id, sequence);
      if (!result.fits()) return result;
    }
    auto const found     = find_in_pool(sequence);
    auto const needed    = sequence.host_pages.size() - found.size();
    auto const revived   = static_cast<std::size_t>(std::ranges::count_if(
        found, [&](auto page) { return m_ledger.pool.pool().is_cached(page); }));
    auto const available = m_ledger.num_available() - revived;
    if (needed > available) return {static_cast<std::uint32_t>(needed - available), 0};
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
    } else if (sequence.state == SequenceState::in_files && has_tail(sequence)) {
      remove_tail(id, sequence);
    }
    sequence.state = SequenceState::resident;
  }

 private:
  using Waiting = std::map<std::uint64_t, std::pair<SequenceId, ManagedSequence*>>;

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
  std::span<std::uint32_t const> part(ManagedSequence const& sequence, std::size_t page) const {
    return std::span<std::uint32_t const>(sequence.tokens).subspan(page * page_size(), page_size());
  }

  /// Host pages that a sequence lacks: all but those that hold its pages already.
  std::size_t count_needed(ManagedSequence const& sequence) const {
    std::size_t result = has_tail(sequence) ? 1 : 0;
    for (std::size_t i = 0; i < num_full(sequence); ++i)
      result += m_ledger.host.host_page_of(sequence.pages[i]) == null_page ? 1 : 0;
    return result;
  }

  /// False where there is no room for the next one; the copies are not launched yet.
  bool hold_all(ManagedSequence const& sequence, std::vector<std::uint32_t>& held) {
    for (std::size_t i = 0; i < sequence.pages.size(); ++i) {
      bool const is_full = i < num_full(sequence);
      auto const page    = sequence.pages[i];
      auto const to      = is_full ? host().hold(m_ledger.index(), page) : host().take();
      if (to == null_page) return false;
      held.push_back(to);
      if (!is_full) host().download(page, to);
    }
    return true;
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
      auto const key  = m_ledger.options.hash(at.key, part(sequence, i));
      auto const page = m_ledger.index().find(at.place, key, part(sequence, i));
      if (page == null_page) break;
      result.push_back(page);
      at = PrefixPoint::after(m_ledger, page);
    }
    return result;
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
    if (!host().files().exist()) return;
    while (needed > num_available() && !m_on_host.empty()) {
      auto const [id, sequence] = m_on_host.begin()->second;
      if (!write_to_files(id, *sequence)) return;
    }
  }

  bool write_to_files(SequenceId id, ManagedSequence& sequence) {
    auto const full = num_full(sequence);
    auto const tail = padded_tail(sequence);
    if (full > 0 && !host().write_to_files(sequence.host_pages[full - 1])) return false;
    if (has_tail(sequence)) {
      auto const contents = [&] { return host().transfer().read(sequence.host_pages[full]); };
      auto const place    = tail_place(id, sequence, place_of_full(sequence), tail);
      if (!host().files().put(place, tail, contents)) return false;
    }
    m_on_host.erase(sequence.swap_number);
    release_host(sequence.host_pages);
    sequence.state = SequenceState::in_files;
    ++m_ledger.log.counts.swapped_to_files;
    return true;
  }

  FilePlace place_of_full(ManagedSequence const& sequence) const {
    auto place = FilePlace::root(m_ledger.domains.key(sequence.domain));
    for (std::size_t i = 0; i < num_full(sequence); ++i) place = place.child(part(sequence, i));
    return place;
  }
  /// Tokens of the last page, as long as those of a page.
  std::vector<std::uint32_t> padded_tail(ManagedSequence const& sequence) const {
    auto const begin = num_full(sequence) * page_size();
    std::vector<std::uint32_t> result(page_size(), 0);
    std::copy(sequence.tokens.begin() + static_cast<std::ptrdiff_t>(begin),
              sequence.tokens.begin() + static_cast<std::ptrdiff_t>(sequence.num_stored),
              result.begin());
    return result;
  }
  /// A name that no full page has: with the number of tokens and the sequence.
  FilePlace tail_place(SequenceId id, ManagedSequence const& sequence, FilePlace const& full,
                       std::span<std::uint32_t const> padded) const {
    auto place = full.child(padded);
    place.salt += sequence.num_stored % page_size();
    place.key = hash_page({place.key.low ^ id, place.key.high ^ place.salt}, {});
    return place;
  }

  /// Whose file nobody will look for; where that fails the tier evicts it some time.
  void remove_tail(SequenceId id, ManagedSequence const& sequence) noexcept {
    try {
      auto const tail = padded_tail(sequence);
      host().files().remove(tail_place(id, sequence, place_of_full(sequence), tail));
    } catch (...) {
      ++m_ledger.log.counts.failed_files;
    }
  }

  /// Brings the pages of a sequence from files to host pages, as far as they are there and whole.
  /// What comes after a page that is lost is lost too.
  SwapResult fetch(SequenceId id, ManagedSequence& sequence) {
    auto const count = m_ledger.pages_of(sequence.num_stored);
    make_room(count);
    std::vector<std::uint32_t> held;
    held.reserve(count);
    auto const tail  = padded_tail(sequence);
    auto const entry = enter(id, sequence);
    auto file        = FilePlace::root(m_ledger.domains.key(sequence.domain));
    bool lacks_room  = fetch_full(sequence, file, held);
    if (!lacks_room && held.size() == num_full(sequence) && has_tail(sequence)) {
      auto const place = tail_place(id, sequence, file, tail);
      auto const read  = host().read_unpublished(place, tail);
      lacks_room       = read.lacks_room;
      if (read.host_page != null_page) held.push_back(read.host_page);
      if (!lacks_room) host().files().remove(place);
    }
    if (lacks_room) {
      auto const lacking = count - held.size();
      release_host(held);
      m_on_host.erase(entry);
      return lacking_on_host(lacking);
    }
    if (held.size() < count) {
      auto const kept = static_cast<std::uint32_t>(held.size() * page_size());
      m_ledger.log.counts.lost_tokens += sequence.num_stored - kept;
      sequence.num_stored = kept;
    }
    go_to_host(sequence, std::move(held));
    return {};
  }

  /// \param file  the root; then where the last page stands
  /// \return whether there was no room for a page
  bool fetch_full(ManagedSequence const& sequence, FilePlace& file,
                  std::vector<std::uint32_t>& held) {
    PageIndex::Place place{null_page, sequence.domain};
    auto key = file.key;
    while (held.size() < num_full(sequence)) {
      auto const tokens = part(sequence, held.size());
      key               = m_ledger.options.hash(key, tokens);
      file              = file.child(tokens);
      auto next         = host().find(place, key, tokens);
      if (next != null_page) {
        host().tree().retain(next);
      } else {
        auto const read = host().read_from_files(file, place, key, tokens);
        if (read.host_page == null_page) return read.lacks_room;
        next = read.host_page;
      }
      held.push_back(next);
      place.parent = next;
    }
    return false;
  }

  PageLedger& m_ledger;
  /// Sequences that are out, by the order in which they went.
  Waiting m_on_host;
  std::uint64_t m_next_number = 0;
};

}  // namespace KokkosKV::Impl

#endif
