// PagePins: pages that stay in the pool whatever becomes of their sequences.
#ifndef KOKKOSKV_IMPL_PAGEPINS_HPP
#define KOKKOSKV_IMPL_PAGEPINS_HPP

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include <manager/impl/KokkosKV_ManagedSequences.hpp>
#include <manager/impl/KokkosKV_PageLedger.hpp>

namespace KokkosKV::Impl {

class PagePins {
 public:
  explicit PagePins(PageLedger& ledger) : m_ledger(ledger) {}

  /// \throws SequenceError  it is pinned
  void pin(SequenceId id, ManagedSequence const& sequence) {
    auto const first = sequence.pages.begin();
    auto const full = static_cast<std::ptrdiff_t>(sequence.num_stored / m_ledger.options.page_size);
    auto const [pages, is_new] = m_pages.try_emplace(id, first, first + full);
    if (!is_new)
      throw SequenceError("pin", ManagedSequences::name_of(id), "pinned", "one that is not");
    for (auto const page : pages->second) m_ledger.pool.retain(page);
  }

  /// \throws SequenceError  it is not pinned
  void unpin(SequenceId id) {
    auto const pages = m_pages.find(id);
    if (pages == m_pages.end())
      throw SequenceError("unpin", ManagedSequences::name_of(id), "not pinned", "a pinned one");
    m_ledger.pool.release(pages->second, 0);
    m_pages.erase(pages);
  }

 private:
  PageLedger& m_ledger;
  std::unordered_map<SequenceId, std::vector<std::uint32_t>> m_pages;
};

}  // namespace KokkosKV::Impl

#endif
