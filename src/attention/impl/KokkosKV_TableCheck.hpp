// Contents of lookup tables that attention depends on: pages that exist, and pages that are shared.
#ifndef KOKKOSKV_IMPL_TABLECHECK_HPP
#define KOKKOSKV_IMPL_TABLECHECK_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <attention/impl/KokkosKV_PlanSizes.hpp>
#include <cache/KokkosKV_Errors.hpp>
#include <cache/KokkosKV_LookupTable.hpp>
#include <cache/KokkosKV_Unchecked.hpp>
#include <cache/impl/KokkosKV_Check.hpp>
#include <cache/impl/KokkosKV_LengthCheck.hpp>

namespace KokkosKV::Impl {

/// Throws where a plan's longest sequence has more pages than a row of the lookup table.
template <class Plan, class Cache>
void check_row_width(char const* function, std::string const& name, Plan const& plan,
                     Cache const& cache) {
  auto const longest       = PlanAccess<Plan>{plan}.longest();
  constexpr auto page_size = static_cast<std::uint64_t>(Cache::page_size);
  auto const needed        = (longest.keys + page_size - 1) / page_size;
  auto const found         = cache.lookup_table().max_pages();
  if (needed <= found) return;
  throw LookupTableError(function, name + ".lookup_table().max_pages()", std::to_string(found),
                         "at least " + std::to_string(needed) + " pages for sequence " +
                             std::to_string(longest.sequence) + " of " +
                             std::to_string(longest.keys) + " keys");
}

/// Finds the first of a range of entries that is wrong: row `i / pages`, column `i % pages`.
template <class MemorySpace, class Wrong>
struct EntrySearch {
  LookupTable<MemorySpace> table;
  std::size_t first_sequence;
  std::size_t pages;
  Wrong wrong;

  KOKKOS_FUNCTION void operator()(std::size_t sequence, std::size_t& first) const {
    for (std::size_t page = 0; page < pages; ++page) {
      if (!wrong(table, first_sequence + sequence, page)) continue;
      auto const index = sequence * pages + page;
      if (index < first) first = index;
      return;
    }
  }
};

/// Another page than that of the first sequence.
struct DiffersFrom {
  std::size_t sequence;

  template <class Table>
  KOKKOS_FUNCTION bool operator()(Table const& table, std::size_t other, std::size_t page) const {
    return table.page(other, page) != table.page(sequence, page);
  }
};

/// A page that the pool has not, among those that hold keys.
struct NotInPool {
  std::size_t num_blocks;
  std::uint32_t const* key_counts;
  std::size_t page_size;

  template <class Table>
  KOKKOS_FUNCTION bool operator()(Table const& table, std::size_t sequence,
                                  std::size_t page) const {
    if (page * page_size >= key_counts[sequence]) return false;
    auto const entry = table.page(sequence, page);
    return entry != null_page && entry >= num_blocks;
  }
};

/// Searches entries of `sequences` rows; `no_fault` where all are right.
template <class ExecSpace, class MemorySpace, class Wrong>
std::size_t search_entries(ExecSpace const& exec, LookupTable<MemorySpace> const& table,
                           std::size_t first_sequence, std::size_t sequences, std::size_t pages,
                           Wrong const& wrong) {
  std::size_t first = no_fault;
  Kokkos::parallel_reduce(
      "KokkosKV::attention::check_table",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::size_t>>(exec, 0, sequences),
      EntrySearch<MemorySpace, Wrong>{table, first_sequence, pages, wrong},
      Kokkos::Min<std::size_t>(first));
  return first;
}

template <class ExecSpace, class MemorySpace>
std::uint32_t fetch_entry(ExecSpace const& exec, LookupTable<MemorySpace> const& table,
                          std::size_t sequence, std::size_t page) {
  Kokkos::View<std::uint32_t const*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const
      row(table.row(sequence), table.max_pages());
  return fetch(exec, row, page);
}

template <class ExecSpace, class Plan, class Cache>
void check_shared_pages_of(ExecSpace const& exec, Plan const& plan, Cache const& cache,
                           std::string const& name) {
  auto const& table        = cache.lookup_table();
  constexpr auto page_size = static_cast<std::size_t>(Cache::page_size);
  check_equal("cascade_attention", name + ".batch_size()", cache.batch_size(), plan.batch_size());
  for (auto const& prefix : plan.options().shared_prefixes) {
    auto const pages = std::min(table.max_pages(), (prefix.length + page_size - 1) / page_size);
    auto const found = search_entries(exec, table, prefix.first_sequence, prefix.num_sequences,
                                      pages, DiffersFrom{prefix.first_sequence});
    if (found == no_fault) continue;
    auto const sequence = prefix.first_sequence + found / pages;
    auto const page     = found % pages;
    throw LookupTableError(
        "cascade_attention", name + "." + indexed("lookup_table", sequence, page),
        std::to_string(fetch_entry(exec, table, sequence, page)),
        std::to_string(fetch_entry(exec, table, prefix.first_sequence, page)) +
            ", the page of sequence " + std::to_string(prefix.first_sequence) +
            ", with which it shares " + std::to_string(prefix.length) + " tokens");
  }
}

/// Throws unless the sequences of every shared prefix of a plan have the same pages for it.
template <class... Options, class ExecSpace, class Plan, class KeyCache, class ValueCache>
void check_shared_pages(ExecSpace const& exec, Plan const& plan, KeyCache const& keys,
                        ValueCache const& values) {
  static_assert((std::is_same_v<Options, unchecked_t> && ...),
                "KokkosKV: the only option of cascade_attention is KokkosKV::unchecked");
  if constexpr (is_checked_v<Options...>) {
    check_shared_pages_of(exec, plan, keys, "key_cache");
    check_shared_pages_of(exec, plan, values, "value_cache");
  }
}

/// Throws unless rows of the table are long enough, and the pages that hold a plan's keys exist or
/// are null_page.
template <class ExecSpace, class Plan, class Cache>
void check_pages(ExecSpace const& exec, char const* function, std::string const& name,
                 Plan const& plan, Cache const& cache) {
  check_row_width(function, name, plan, cache);
  auto const& table        = cache.lookup_table();
  constexpr auto page_size = static_cast<std::size_t>(Cache::page_size);
  auto const pages         = (PlanAccess<Plan>{plan}.longest().keys + page_size - 1) / page_size;
  if (pages == 0) return;
  auto const found = search_entries(
      exec, table, 0, plan.batch_size(), pages,
      NotInPool{cache.num_blocks(), PlanAccess<Plan>{plan}.key_counts().data(), page_size});
  if (found == no_fault) return;
  throw LookupTableError(
      function, indexed("lookup_table", found / pages, found % pages),
      std::to_string(fetch_entry(exec, table, found / pages, found % pages)),
      "less than num_blocks = " + std::to_string(cache.num_blocks()) + ", or null_page");
}

}  // namespace KokkosKV::Impl

#endif
