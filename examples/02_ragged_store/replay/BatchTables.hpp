// The batch as the cache wants it: lookup table, cache lengths and row offsets, on the device.
#pragma once

#include <KokkosKV.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "replay/Values.hpp"
#include "scheduler/Scheduler.hpp"

namespace ragged_store {

using memory_space = Kokkos::DefaultExecutionSpace::memory_space;

/// A row of the batch is a slot of the scheduler. Slots without new tokens have an empty range of
/// rows, and the row of the table is written once, when its request is admitted.
class BatchTables {
 public:
  using uint32_view  = Kokkos::View<std::uint32_t*, memory_space>;
  using table_view   = Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, memory_space>;
  using origins_view = Kokkos::View<RowOrigin*, memory_space>;

  BatchTables(std::size_t batch, std::size_t max_pages, std::size_t max_rows)
      : m_table("ragged_store::lookup_table", batch, max_pages),
        m_lengths("ragged_store::cache_lengths", batch),
        m_offsets("ragged_store::row_offsets", batch + 1),
        m_origins("ragged_store::row_origins", max_rows),
        m_host_table(Kokkos::create_mirror_view(m_table)),
        m_host_lengths(Kokkos::create_mirror_view(m_lengths)),
        m_host_offsets(Kokkos::create_mirror_view(m_offsets)),
        m_host_origins(Kokkos::create_mirror_view(m_origins)) {
    Kokkos::deep_copy(m_table, KokkosKV::null_page);
    Kokkos::deep_copy(m_host_table, KokkosKV::null_page);
  }

  /// Brings the device up to date for a step.
  void update(Step const& step, Scheduler const& scheduler) {
    for (auto const slot : step.admitted) set_row(slot, scheduler.pages(slot));
    auto const batch   = static_cast<std::uint32_t>(m_host_lengths.extent(0));
    auto piece         = step.pieces.begin();
    std::uint32_t row  = 0;
    m_num_rows         = step.tokens;
    m_max_prompt       = 0;
    m_max_cache_length = 0;
    for (std::uint32_t slot = 0; slot < batch; ++slot) {
      m_host_offsets(slot) = row;
      m_host_lengths(slot) = scheduler.cached(slot);
      m_max_cache_length   = std::max(m_max_cache_length, m_host_lengths(slot));
      if (piece == step.pieces.end() || piece->slot != slot) continue;
      for (std::uint32_t i = 0; i < piece->tokens; ++i, ++row) {
        m_host_origins(row) = {piece->request, piece->first_token + i};
      }
      m_max_prompt = std::max(m_max_prompt, piece->tokens);
      ++piece;
    }
    m_host_offsets(batch) = row;
    Kokkos::deep_copy(m_lengths, m_host_lengths);
    Kokkos::deep_copy(m_offsets, m_host_offsets);
    Kokkos::deep_copy(m_origins, m_host_origins);
  }

  table_view const& table() const { return m_table; }
  uint32_view const& lengths() const { return m_lengths; }
  uint32_view const& offsets() const { return m_offsets; }
  origins_view const& origins() const { return m_origins; }
  std::uint32_t num_rows() const { return m_num_rows; }
  std::uint32_t max_prompt() const { return m_max_prompt; }
  std::uint32_t max_cache_length() const { return m_max_cache_length; }

 private:
  void set_row(std::uint32_t slot, std::span<std::uint32_t const> pages) {
    auto const host_row = Kokkos::subview(m_host_table, slot, Kokkos::ALL);
    for (std::size_t page = 0; page < host_row.extent(0); ++page) {
      host_row(page) = page < pages.size() ? pages[page] : KokkosKV::null_page;
    }
    Kokkos::deep_copy(Kokkos::subview(m_table, slot, Kokkos::ALL), host_row);
  }

  table_view m_table;
  uint32_view m_lengths;
  uint32_view m_offsets;
  origins_view m_origins;
  table_view::host_mirror_type m_host_table;
  uint32_view::host_mirror_type m_host_lengths;
  uint32_view::host_mirror_type m_host_offsets;
  origins_view::host_mirror_type m_host_origins;
  std::uint32_t m_num_rows         = 0;
  std::uint32_t m_max_prompt       = 0;
  std::uint32_t m_max_cache_length = 0;
};

}  // namespace ragged_store
