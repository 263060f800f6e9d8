// SequenceFiles: sequences that go on from host pages to files, and come back.
#ifndef KOKKOSKV_IMPL_SEQUENCEFILES_HPP
#define KOKKOSKV_IMPL_SEQUENCEFILES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <manager/KokkosKV_PageHash.hpp>
#include <manager/KokkosKV_StepRequest.hpp>
#include <manager/impl/KokkosKV_FilePages.hpp>
#include <manager/impl/KokkosKV_ManagedSequence.hpp>
#include <manager/impl/KokkosKV_PageLedger.hpp>

namespace KokkosKV::Impl {

/// Full pages have the names that everybody finds them by; the last page, which is not full, has
/// one of its own.
class SequenceFiles {
 public:
  explicit SequenceFiles(PageLedger& ledger) : m_ledger(ledger) {}

  bool exist() const { return m_ledger.host.files().exist(); }

  /// Writes what the host pages of a sequence hold.
  /// \return whether all of it is in files now
  bool write(SequenceId id, ManagedSequence const& sequence) {
    auto const full = num_full(sequence);
    auto const tail = padded_tail(sequence);
    if (full > 0 && !host().write_all_to_files(sequence.host_pages[full - 1])) return false;
    if (!has_tail(sequence)) return true;
    auto const contents = [&] { return host().transfer().read(sequence.host_pages[full]); };
    return host().files().put(tail_place(id, sequence, place_of_full(sequence), tail), tail,
                              contents);
  }

  /// Brings the pages of a sequence to host pages, as far as they are there and whole. What comes
  /// after a page that is lost is lost too.
  /// \param held  gets the host pages; has room for all
  /// \return whether there was no room for a page
  bool read(SequenceId id, ManagedSequence const& sequence, std::vector<std::uint32_t>& held) {
    auto const tail = padded_tail(sequence);
    auto file       = FilePlace::root(m_ledger.domains.key(sequence.domain));
    if (read_full(sequence, file, held)) return true;
    if (held.size() < num_full(sequence)) remove_tail(id, sequence);
    if (held.size() < num_full(sequence) || !has_tail(sequence)) return false;
    auto const place = tail_place(id, sequence, file, tail);
    auto const last  = host().read_unpublished(place, tail);
    if (last.lacks_room) return true;
    if (last.host_page != null_page) held.push_back(last.host_page);
    host().files().remove(place);
    return false;
  }

  /// Removes the last page, which nobody else will look for; where that fails the tier evicts it
  /// some time.
  void remove_tail(SequenceId id, ManagedSequence const& sequence) noexcept {
    if (!has_tail(sequence)) return;
    try {
      auto const tail = padded_tail(sequence);
      host().files().remove(tail_place(id, sequence, place_of_full(sequence), tail));
    } catch (...) {
      ++m_ledger.log.counts.failed_files;
    }
  }

 private:
  HostPages& host() { return m_ledger.host; }
  std::uint32_t page_size() const { return m_ledger.options.page_size; }
  std::size_t num_full(ManagedSequence const& sequence) const {
    return sequence.num_stored / page_size();
  }
  bool has_tail(ManagedSequence const& sequence) const {
    return sequence.num_stored % page_size() != 0;
  }

  FilePlace place_of_full(ManagedSequence const& sequence) const {
    auto place = FilePlace::root(m_ledger.domains.key(sequence.domain));
    for (std::size_t i = 0; i < num_full(sequence); ++i)
      place = place.child(m_ledger.part(sequence, i));
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

  /// \param file  the root; then where the last page stands
  /// \return whether there was no room for a page
  bool read_full(ManagedSequence const& sequence, FilePlace& file,
                 std::vector<std::uint32_t>& held) {
    PageIndex::Place place{null_page, sequence.domain};
    auto key = file.key;
    while (held.size() < num_full(sequence)) {
      auto const tokens = m_ledger.part(sequence, held.size());
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
};

}  // namespace KokkosKV::Impl

#endif
