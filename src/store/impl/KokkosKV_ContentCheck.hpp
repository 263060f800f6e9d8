// The check of a call's contents before its first write: one fused kernel over the sequences.
#ifndef KOKKOSKV_IMPL_CONTENTCHECK_HPP
#define KOKKOSKV_IMPL_CONTENTCHECK_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include <cache/KokkosKV_Errors.hpp>
#include <cache/KokkosKV_LookupTable.hpp>
#include <cache/KokkosKV_StaticParams.hpp>
#include <cache/impl/KokkosKV_Check.hpp>
#include <store/impl/KokkosKV_PageClaims.hpp>
#include <store/impl/KokkosKV_Rows.hpp>

namespace KokkosKV::Impl {

/// What can be wrong with a sequence, in the order in which it is looked for.
enum class Fault : std::uint32_t {
  offsets_begin,
  offsets_end,
  row_order,
  prompt_length,
  cache_length,
  capacity,
  page,
  none
};

/// Limits that a sequence must keep.
template <class MemorySpace>
struct BatchLimits {
  LookupTable<MemorySpace> table;
  std::size_t num_blocks;
  std::size_t page_size;
  std::size_t max_rows;         ///< rows of one sequence
  std::size_t max_first_token;  ///< token where a sequence's rows may begin at the latest
};

/// Finds the first fault as (sequence, kind) in one word, and enters the written pages of sound
/// sequences. One team a sequence; ragged batches have one more, for the last offset.
template <class Rows, class MemorySpace>
struct ContentCheck {
  using value_type = std::uint64_t;

  static constexpr bool ragged      = std::is_same_v<Rows, RaggedRows>;
  static constexpr std::uint64_t ok = std::numeric_limits<std::uint64_t>::max();

  Rows rows;
  BatchLimits<MemorySpace> limits;
  bool claim_pages;
  typename PageClaims<MemorySpace>::Handle claims;

  KOKKOS_FUNCTION static std::uint64_t code(std::size_t sequence, Fault fault) {
    return static_cast<std::uint64_t>(sequence) << 3 | static_cast<std::uint64_t>(fault);
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member, std::uint64_t& first) const {
    auto const sequence = static_cast<std::size_t>(member.league_rank());
    auto fault          = row_fault(sequence);
    if (fault == Fault::none && sequence < rows.batch_size) {
      if (has_bad_page(member, sequence)) {
        fault = Fault::page;
      } else if (claim_pages) {
        enter_claims(member, sequence);
      }
    }
    if (fault == Fault::none) return;
    auto const word = code(sequence, fault);
    if (word < first) first = word;
  }

  /// Tokens of a sequence after the call.
  KOKKOS_FUNCTION std::size_t total_tokens(std::size_t sequence) const {
    return rows.first_tokens[sequence] + rows.length(sequence);
  }
  KOKKOS_FUNCTION std::size_t pages_for(std::size_t tokens) const {
    return (tokens + limits.page_size - 1) / limits.page_size;
  }

 private:
  KOKKOS_FUNCTION Fault row_fault(std::size_t sequence) const {
    if constexpr (ragged) {
      if (sequence == 0 && rows.offsets[0] != 0) return Fault::offsets_begin;
      if (sequence == rows.batch_size) {
        return rows.offsets[sequence] == rows.num_rows ? Fault::none : Fault::offsets_end;
      }
      if (rows.offsets[sequence + 1] < rows.offsets[sequence]) return Fault::row_order;
      if (rows.offsets[sequence + 1] > rows.num_rows) return Fault::row_order;
    } else {
      if (rows.lengths[sequence] > rows.max_rows) return Fault::row_order;
    }
    if (rows.length(sequence) > limits.max_rows) return Fault::prompt_length;
    if (rows.first_tokens[sequence] > limits.max_first_token) return Fault::cache_length;
    if (pages_for(total_tokens(sequence)) > limits.table.max_pages()) return Fault::capacity;
    return Fault::none;
  }

  template <class Member>
  KOKKOS_FUNCTION bool has_bad_page(Member const& member, std::size_t sequence) const {
    auto const pages  = pages_for(total_tokens(sequence));
    auto const& table = limits.table;
    auto const blocks = limits.num_blocks;
    int bad           = 0;
    auto const look   = [&](std::size_t logical, int& count) {
      auto const page = table.entry(sequence, logical);
      count += page != null_page && page >= blocks ? 1 : 0;
    };
    Kokkos::parallel_reduce(Kokkos::TeamThreadRange(member, pages), look, bad);
    return bad > 0;
  }

  template <class Member>
  KOKKOS_FUNCTION void enter_claims(Member const& member, std::size_t sequence) const {
    auto const length = rows.length(sequence);
    if (length == 0) return;
    auto const size     = limits.page_size;
    auto const begin    = static_cast<std::size_t>(rows.first_tokens[sequence]);
    auto const end      = begin + length;
    auto const first    = begin / size;
    auto const count    = pages_for(end) - first;
    auto const base     = first_claim(rows, sequence, size);
    auto const& table   = limits.table;
    auto const& entered = claims;
    auto const enter    = [&](std::size_t index) {
      auto const logical    = first + index;
      auto const page_begin = logical * size;
      auto const from       = begin > page_begin ? begin - page_begin : 0;
      auto const to         = end - page_begin < size ? end - page_begin : size;
      entered.enter(base + index,
                       {table.entry(sequence, logical), static_cast<std::uint32_t>(sequence),
                     static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to), true});
    };
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, count), enter);
  }

 public:
  /// Claims before those of a sequence: n rows touch at most floor(n / page size) + 2 pages.
  KOKKOS_FUNCTION static std::size_t first_claim(Rows const& rows, std::size_t sequence,
                                                 std::size_t page_size) {
    return rows.begin(sequence) / page_size + 2 * sequence;
  }

  /// Claims of all sequences, from what the host knows.
  static std::size_t claim_capacity(Rows const& rows, std::size_t page_size) {
    return rows.total_rows() / page_size + 2 * rows.batch_size;
  }
};

/// Names of the arguments in a call's messages.
struct ArgumentNames {
  char const* function;
  char const* rows;         ///< row offsets, or valid lengths
  char const* first_token;  ///< cache lengths, or where a read begins
  char const* max_rows;
  char const* max_first_token;
};

/// Throws the exception for a fault; reads the few numbers of its message from the device.
template <class ExecSpace, class Rows, class MemorySpace>
[[noreturn]] void throw_fault(ExecSpace const& exec, ArgumentNames const& names,
                              ContentCheck<Rows, MemorySpace> const& check, std::uint64_t code) {
  auto const sequence = static_cast<std::size_t>(code >> 3);
  auto const fault    = static_cast<Fault>(code & 7u);
  auto const read     = [&](std::uint32_t const* from, std::size_t index) {
    Kokkos::View<std::uint32_t const, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const
        element(from + index);
    std::uint32_t value;
    Kokkos::deep_copy(exec, value, element);
    exec.fence("KokkosKV::throw_fault");
    return static_cast<std::size_t>(value);
  };
  auto const text = [](std::size_t number) { return std::to_string(number); };

  std::size_t length = 0;
  if constexpr (ContentCheck<Rows, MemorySpace>::ragged) {
    auto const begin = read(check.rows.offsets, sequence);
    if (fault == Fault::offsets_begin) {
      throw RaggedError(names.function, indexed(names.rows, 0), text(begin), "0");
    }
    if (fault == Fault::offsets_end) {
      throw RaggedError(names.function, indexed(names.rows, sequence), text(begin),
                        text(check.rows.num_rows) + ", the number of tokens");
    }
    auto const end = read(check.rows.offsets, sequence + 1);
    if (fault == Fault::row_order) {
      throw RaggedError(names.function, indexed(names.rows, sequence + 1), text(end),
                        text(begin) + " (the offset before it) to " + text(check.rows.num_rows) +
                            " (the number of tokens)");
    }
    length = end - begin;
  } else {
    length = read(check.rows.lengths, sequence);
    if (fault == Fault::row_order) {
      throw RaggedError(names.function, indexed(names.rows, sequence), text(length),
                        "at most " + text(check.rows.max_rows) + ", the rows of the input");
    }
  }
  if (fault == Fault::prompt_length) {
    throw RaggedError(
        names.function, names.rows + std::string(" of sequence ") + text(sequence),
        text(length) + " rows",
        "at most " + std::string(names.max_rows) + " = " + text(check.limits.max_rows));
  }
  auto const begin = read(check.rows.first_tokens, sequence);
  if (fault == Fault::cache_length) {
    throw RaggedError(names.function, indexed(names.first_token, sequence), text(begin),
                      "at most " + std::string(names.max_first_token) + " = " +
                          text(check.limits.max_first_token));
  }
  auto const needed = check.pages_for(begin + length);
  if (fault == Fault::capacity) {
    throw LookupTableError(names.function, "lookup_table row of sequence " + text(sequence),
                           text(check.limits.table.max_pages()) + " pages",
                           "at least " + text(needed) + " pages (sequence " + text(sequence) +
                               " needs " + text(begin + length) + " tokens in pages of " +
                               text(check.limits.page_size) + ")");
  }
  for (std::size_t logical = 0;; ++logical) {
    auto const page = read(check.limits.table.row(sequence), logical);
    if (page != null_page && page >= check.limits.num_blocks) {
      throw LookupTableError(names.function, indexed("lookup_table", sequence, logical), text(page),
                             "below " + text(check.limits.num_blocks) + " (pages), or null_page");
    }
  }
}

/// Checks everything that only the contents tell, on `exec`, and waits. Throws before anything is
/// written.
///
/// \param claim_pages  whether the rows are written, so that no two may meet
template <class ExecSpace, class Rows, class MemorySpace>
void check_contents(ExecSpace const& exec, ArgumentNames const& names, Rows const& rows,
                    BatchLimits<MemorySpace> const& limits, bool claim_pages) {
  using check_type    = ContentCheck<Rows, MemorySpace>;
  auto const capacity = claim_pages ? check_type::claim_capacity(rows, limits.page_size) : 0;
  PageClaims<MemorySpace> const claims(exec, capacity);
  check_type const check{rows, limits, claim_pages, claims.handle()};
  auto const teams = static_cast<int>(rows.batch_size + (check_type::ragged ? 1 : 0));

  std::uint64_t first = check_type::ok;
  if (teams > 0) {
    Kokkos::parallel_reduce("KokkosKV::check_contents",
                            Kokkos::TeamPolicy<ExecSpace>(exec, teams, Kokkos::AUTO), check,
                            Kokkos::Min<std::uint64_t>(first));
  }
  if (first != check_type::ok) throw_fault(exec, names, check, first);

  ClaimConflict conflict;
  if (claim_pages && claims.find_conflict(exec, conflict)) {
    auto const& [one, other] = conflict;
    throw ConflictError(names.function,
                        "lookup_table row of sequence " + std::to_string(other.owner),
                        "page " + std::to_string(other.page) + " whose slot " +
                            std::to_string(std::max(one.first_slot, other.first_slot)) +
                            " sequence " + std::to_string(one.owner) + " writes too",
                        "a slot of its own");
  }
}

}  // namespace KokkosKV::Impl

#endif
