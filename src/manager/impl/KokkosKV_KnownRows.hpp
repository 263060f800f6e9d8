// What a lookup table on the device holds, and what of it a step changes.
#ifndef KOKKOSKV_IMPL_KNOWNROWS_HPP
#define KOKKOSKV_IMPL_KNOWNROWS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <cache/KokkosKV_Errors.hpp>
#include <manager/KokkosKV_PageManager.hpp>
#include <manager/KokkosKV_StepRequest.hpp>

namespace KokkosKV::Impl {

/// A row that is not what the next step needs.
struct RowChange {
  std::uint32_t row;
  std::uint32_t version;
  std::uint32_t first;  ///< entries before it stay
  std::uint32_t end;    ///< entries from it on are null_page and stay
  std::span<std::uint32_t const> pages;
};

/// Which sequence each row of the table belongs to, and how many of its pages the row has. All
/// entries behind those are null_page.
class KnownRows {
 public:
  /// For a new table, whose entries all are null_page.
  void clear(std::size_t num_rows) { m_rows.assign(num_rows, Row{}); }

  /// Every row is written anew when it is needed next.
  void forget() {
    for (auto& row : m_rows) row.sequence = no_sequence;
  }

  /// Finds the rows that change. Rows that had the sequence before, with the same version, are not
  /// looked at but for their lengths.
  /// \throws SequenceError     a sequence is not known to the manager
  /// \throws LookupTableError  a sequence has not the pages of the layout
  void find_changes(PageManager const& manager, StepLayout const& layout,
                    std::vector<RowChange>& changes) const {
    changes.clear();
    std::uint64_t const page_size = manager.options().page_size;
    for (std::size_t i = 0; i < layout.sequences.size(); ++i) {
      auto const& row    = m_rows[i];
      auto const id      = layout.sequences[i];
      auto const version = manager.table_version(id);
      bool const is_same = row.sequence == id && row.version == version;
      auto const rows    = layout.row_offsets[i + 1] - layout.row_offsets[i];
      auto const tokens  = std::uint64_t(layout.cache_lengths[i]) + rows;
      // The difference wraps around where there are fewer pages than the tokens need.
      if (is_same && row.num_pages * page_size - tokens < page_size) continue;
      auto const pages = manager.pages(id);
      check_pages(layout, i, (tokens + page_size - 1) / page_size, pages.size());
      auto const num_pages = static_cast<std::uint32_t>(pages.size());
      auto const first     = is_same && row.num_pages <= num_pages ? row.num_pages : 0;
      changes.push_back({static_cast<std::uint32_t>(i), version, first,
                         std::max(row.num_pages, num_pages), pages});
    }
  }

  /// The changes are on their way to the table.
  void apply(StepLayout const& layout, std::vector<RowChange> const& changes) {
    for (auto const& change : changes) {
      m_rows[change.row] = {layout.sequences[change.row],
                            static_cast<std::uint32_t>(change.pages.size()), change.version};
    }
  }

 private:
  static constexpr SequenceId no_sequence = ~SequenceId(0);

  struct Row {
    SequenceId sequence     = no_sequence;
    std::uint32_t num_pages = 0;
    std::uint32_t version   = 0;
  };

  static void check_pages(StepLayout const& layout, std::size_t index, std::size_t needed,
                          std::size_t found) {
    if (found == needed && found <= layout.max_pages) return;
    throw LookupTableError(
        "load", "layout.sequences[" + std::to_string(index) + "]",
        "sequence " + std::to_string(layout.sequences[index]) + " with " + std::to_string(found) +
            " pages",
        std::to_string(needed) + " pages and a layout of the step that the manager has prepared");
  }

  std::vector<Row> m_rows;
};

}  // namespace KokkosKV::Impl

#endif
