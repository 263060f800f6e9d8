// How the numbers of a step lie in memory, on the host and on the device alike.
#ifndef KOKKOSKV_IMPL_STEPWORDS_HPP
#define KOKKOSKV_IMPL_STEPWORDS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <manager/KokkosKV_StepRequest.hpp>
#include <manager/impl/KokkosKV_KnownRows.hpp>
#include <manager/impl/KokkosKV_TablePatch.hpp>

namespace KokkosKV::Impl {

/// Words where the parts of a step begin: each at the beginning of a memory transaction.
struct StepWords {
  std::size_t cache_lengths     = 0;
  std::size_t row_offsets       = 0;
  std::size_t copy_sources      = 0;
  std::size_t copy_destinations = 0;
  std::size_t runs              = 0;
  std::size_t pages             = 0;

  StepWords(std::size_t batch_size, std::size_t num_copies, std::size_t num_runs) {
    row_offsets       = aligned(cache_lengths + batch_size);
    copy_sources      = aligned(row_offsets + batch_size + 1);
    copy_destinations = aligned(copy_sources + num_copies);
    runs              = aligned(copy_destinations + num_copies);
    pages             = aligned(runs + num_runs * TableRun::num_words);
  }

  /// Words of a step that sends so many pages.
  std::size_t end(std::size_t num_pages) const { return pages + num_pages; }

  /// Fills the staging memory.
  void write(StepLayout const& layout, std::vector<RowChange> const& changes,
             std::size_t table_width, std::uint32_t* words) const {
    std::ranges::copy(layout.cache_lengths, words + cache_lengths);
    std::ranges::copy(layout.row_offsets, words + row_offsets);
    for (std::size_t i = 0; i < layout.copies.size(); ++i) {
      words[copy_sources + i]      = layout.copies[i].source;
      words[copy_destinations + i] = layout.copies[i].destination;
    }
    auto* run = words + runs;
    auto next = pages;
    for (auto const& change : changes) {
      auto const sent = change.pages.subspan(change.first);
      TableRun{static_cast<std::uint32_t>(change.row * table_width + change.first),
               change.end - change.first, static_cast<std::uint32_t>(sent.size()),
               static_cast<std::uint32_t>(next)}
          .write(run);
      std::ranges::copy(sent, words + next);
      run += TableRun::num_words;
      next += sent.size();
    }
  }

 private:
  static constexpr std::size_t alignment = 32;
  static std::size_t aligned(std::size_t word) {
    return (word + alignment - 1) / alignment * alignment;
  }
};

}  // namespace KokkosKV::Impl

#endif
