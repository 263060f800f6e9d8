// Detects two accesses of one call that would meet in the same slot: a hash table of the page spans
// that the call touches, filled and searched on the device.
#ifndef KOKKOSKV_IMPL_PAGECLAIMS_HPP
#define KOKKOSKV_IMPL_PAGECLAIMS_HPP

#include <Kokkos_Core.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <cache/KokkosKV_StaticParams.hpp>

namespace KokkosKV::Impl {

/// Slots [first_slot, end_slot) of a page, wanted by `owner`.
struct PageClaim {
  std::uint32_t page       = null_page;
  std::uint32_t owner      = 0;
  std::uint32_t first_slot = 0;
  std::uint32_t end_slot   = 0;
  bool writes              = false;
};

/// Two claims that exclude each other.
struct ClaimConflict {
  PageClaim first;
  PageClaim second;
};

/// End of a list of claims.
inline constexpr std::uint32_t no_claim = std::numeric_limits<std::uint32_t>::max();

/// A claim and, unrelated to it, the bucket with the same number.
struct PageClaimEntry {
  PageClaim claim;
  std::uint32_t next = no_claim;  ///< writing claim behind this one in its bucket
  std::uint32_t head = no_claim;  ///< first writing claim of the bucket
};

/// Room for a number of claims. Each claim has an index of its own, known beforehand, so that
/// claims can be entered by any thread in any order: a bucket is a linked list to whose head they
/// are pushed. Only writing claims are listed, since reading ones exclude nothing among themselves:
/// any number of them may share a page at no cost.
template <class MemorySpace>
class PageClaims {
  using Entry        = PageClaimEntry;
  using entries_type = Kokkos::View<Entry*, MemorySpace>;

 public:
  template <class ExecSpace>
  PageClaims(ExecSpace const& exec, std::size_t capacity)
      : m_capacity(capacity),
        m_entries(Kokkos::view_alloc(exec, "KokkosKV::PageClaims"), std::bit_ceil(capacity + 1)) {}

  /// Trivially copyable form for kernels.
  class Handle {
   public:
    using value_type = std::uint64_t;

    /// Enters a claim; `index` must be below the capacity and used once.
    KOKKOS_FUNCTION void enter(std::size_t index, PageClaim const& claim) const {
      if (index >= m_capacity || claim.page == null_page) return;
      m_entries[index].claim = claim;
      if (!claim.writes) return;
      m_entries[index].next = Kokkos::atomic_exchange(&m_entries[bucket(claim.page)].head,
                                                      static_cast<std::uint32_t>(index));
    }

    /// Smallest claim that excludes an earlier one, as (second, first) in one word.
    KOKKOS_FUNCTION void operator()(std::size_t index, std::uint64_t& smallest) const {
      auto const& mine = m_entries[index].claim;
      if (mine.page == null_page) return;
      for (auto other = m_entries[bucket(mine.page)].head; other != no_claim;
           other      = m_entries[other].next) {
        if (other == index) continue;
        auto const& theirs = m_entries[other].claim;
        bool const meet    = theirs.page == mine.page && theirs.first_slot < mine.end_slot &&
                          mine.first_slot < theirs.end_slot;
        if (!meet) continue;
        auto const low  = other < index ? other : static_cast<std::uint32_t>(index);
        auto const high = other < index ? static_cast<std::uint32_t>(index) : other;
        auto const word = static_cast<std::uint64_t>(high) << 32 | low;
        if (word < smallest) smallest = word;
      }
    }

   private:
    friend class PageClaims;
    Handle(Entry* entries, std::size_t capacity, std::size_t buckets)
        : m_entries(entries), m_capacity(capacity), m_mask(buckets - 1) {}

    KOKKOS_FUNCTION std::size_t bucket(std::uint32_t page) const {
      // Neighbouring pages in neighbouring buckets: the pages of a pool are dense numbers.
      return page & m_mask;
    }

    Entry* m_entries;
    std::size_t m_capacity;
    std::size_t m_mask;
  };

  Handle handle() const { return {m_entries.data(), m_capacity, m_entries.extent(0)}; }

  /// After all claims were entered on `exec`: true and the pair when two exclude each other. Waits.
  template <class ExecSpace>
  bool find_conflict(ExecSpace const& exec, ClaimConflict& conflict) const {
    constexpr auto nothing = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t found    = nothing;
    Kokkos::parallel_reduce(
        "KokkosKV::PageClaims::find_conflict",
        Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::size_t>>(exec, 0, m_capacity),
        handle(), Kokkos::Min<std::uint64_t>(found));
    if (found == nothing) return false;
    conflict = {claim(exec, found & 0xFFFFFFFFu), claim(exec, found >> 32)};
    return true;
  }

 private:
  template <class ExecSpace>
  PageClaim claim(ExecSpace const& exec, std::size_t index) const {
    Entry entry;
    Kokkos::deep_copy(exec, entry, Kokkos::subview(m_entries, index));
    exec.fence("KokkosKV::PageClaims::claim");
    return entry.claim;
  }

  std::size_t m_capacity;
  entries_type m_entries;
};

}  // namespace KokkosKV::Impl

#endif
