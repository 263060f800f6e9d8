// ReuseRatePolicy: the leaf that promises the fewest hits for the time it stays gives way.
#ifndef KOKKOSKV_IMPL_REUSERATEPOLICY_HPP
#define KOKKOSKV_IMPL_REUSERATEPOLICY_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>

#include <kokkos_ext/impl/KokkosKV_LargeVector.hpp>
#include <manager/KokkosKV_EvictionPolicy.hpp>
#include <manager/impl/KokkosKV_AgeGroups.hpp>
#include <manager/impl/KokkosKV_CellRanking.hpp>
#include <manager/impl/KokkosKV_GhostTable.hpp>
#include <manager/impl/KokkosKV_PageHistory.hpp>
#include <manager/impl/KokkosKV_PageLists.hpp>
#include <manager/impl/KokkosKV_ReuseRates.hpp>

namespace KokkosKV::Impl {

/// Blocks are sorted into cells, by the class of their history and by age. For each cell the policy
/// sums the hits and the time that blocks spent in it, cached and remembered ones (ghosts) alike,
/// so that evicting a kind of block does not end the learning about it. Cells are ranked by the
/// worth that follows from these rates; the victim is the oldest leaf of the lowest cell that has
/// one. Nothing is refused: a fresh block may simply be of the lowest cell, and then goes first.
///
/// Time is counted in uses of blocks, in units of the pool's own turnover, so that no constant
/// depends on a workload. 24 bytes a page, 32 of ghosts for each page, and 12 KB; O(1) a call, but
/// for a ranking of 300 cells at most every 256 uses.
class ReuseRatePolicy final : public EvictionPolicy {
 public:
  void reset(std::uint32_t num_pages) override {
    double const pages = std::max(num_pages, 1u);
    m_uses_per_epoch   = std::max(pages / epochs_per_turnover, least_uses_per_epoch);
    m_fading           = std::exp2(-m_uses_per_epoch / (half_life_turnovers * pages));
    m_uses             = 0;
    m_unranked         = 0;
    m_upcoming         = no_page;
    m_entries.assign(num_pages, {});
    m_lists.reset(num_pages, num_reuse_cells);
    m_ghosts.reset(ghosts_per_page * num_pages);
    m_ages = {};
    m_cells.fill({});
    rank_cells();
  }
  void insert(std::uint32_t page, std::uint64_t hash, std::uint32_t parent) override {
    PageHistory history, of_parent;
    if (auto* ghost = m_ghosts.find(hash)) {
      history = ghost->history();
      leave(history, ghost->epoch, 1);
      ghost->history_byte = 0;
    }
    if (parent != no_page) {
      of_parent = m_entries[parent].history;
      m_lists.unlink(parent);
    }
    m_entries[page].hash = hash;
    use(page, history.used(of_parent));
  }
  void touch(std::uint32_t page) override {
    auto const& entry = m_entries[page];
    leave(entry.history, entry.epoch, 1);
    use(page, entry.history.used());
  }
  void retain(std::uint32_t page, bool /*is_leaf*/) override { m_lists.unlink(page); }
  void release(std::uint32_t page, bool is_leaf) override {
    if (is_leaf) uncover(page);
  }
  void uncover(std::uint32_t page) override {
    auto const cell = cell_of(m_entries[page].history, m_entries[page].epoch);
    m_lists.push_back(list_of(cell), page);
    m_ranking.mark(cell);
  }
  std::uint32_t evict() override {
    auto const cell = m_ranking.first([&](std::size_t c) { return !m_lists.empty(list_of(c)); });
    if (cell == num_reuse_cells) return no_page;
    auto const page = m_lists.front(list_of(cell));
    m_lists.unlink(page);
    prefetch_victims(list_of(cell));
    remember(m_entries[page]);
    return page;
  }
  void remove(std::uint32_t page, bool /*is_listed*/) override {
    m_lists.unlink(page);
    leave(m_entries[page].history, m_entries[page].epoch, 0);
  }
  void prefetch_block(std::uint64_t hash) const override { m_ghosts.prefetch(hash); }
  void prefetch_page(std::uint32_t page) const override {
    Impl::prefetch(&m_entries[page]);
    m_lists.prefetch(page);
  }
  std::uint32_t upcoming() const override { return m_upcoming; }
  std::size_t memory_bytes() const override {
    return m_entries.capacity() * sizeof(Entry) + m_lists.memory_bytes() + m_ghosts.memory_bytes();
  }

 private:
  /// Least recently used keeps a block for at least as many epochs as a turnover has: the ages that
  /// matter are known to a few per cent of them.
  static constexpr double epochs_per_turnover = 16;
  /// Bounds the work for an epoch, a few operations a cell, where the pool is tiny.
  static constexpr double least_uses_per_epoch = 16;
  /// A ranking takes as long as some hundred uses.
  static constexpr double least_uses_per_ranking = 256;
  /// What was learned counts half after so many turnovers.
  static constexpr double half_life_turnovers  = 32;
  static constexpr std::size_t ghosts_per_page = 4;

  struct Entry {
    std::uint64_t hash  = 0;
    std::uint32_t epoch = 0;  ///< of the last use
    PageHistory history;
  };

  std::size_t cell_of(PageHistory history, std::uint32_t epoch) const {
    return history.class_index() * AgeGroups::count + m_ages.of(epoch);
  }
  /// The list of a cell's leaves that nobody references.
  static std::uint32_t list_of(std::size_t cell) { return static_cast<std::uint32_t>(cell); }

  void leave(PageHistory history, std::uint32_t epoch, int hits) {
    auto& cell = m_cells[cell_of(history, epoch)];
    cell.blocks -= 1;
    cell.hits += hits;
  }
  void use(std::uint32_t page, PageHistory history) {
    m_entries[page].history = history;
    m_entries[page].epoch   = m_ages.now();
    m_cells[cell_of(history, m_ages.now())].blocks += 1;
    if (++m_uses < m_uses_per_epoch) return;
    m_uses -= m_uses_per_epoch;
    begin_epoch();
  }
  /// Asks for the memory that evicting a later page will need first, and, since an earlier call has
  /// asked that for a page that comes before it, for what that one will need then.
  void prefetch_victims(std::uint32_t list) {
    m_upcoming = m_lists.behind_front(list, upcoming_distance);
    if (m_upcoming == no_page) return;
    prefetch_page(m_upcoming);
    m_ghosts.prefetch(m_entries[m_lists.behind_front(list, upcoming_distance / 2)].hash);
  }
  void remember(Entry const& entry) {
    m_ghosts.store(
        entry.hash, entry.history, entry.epoch, [&](Ghost const& ghost) { return value_of(ghost); },
        [&](Ghost const& ghost) { leave(ghost.history(), ghost.epoch, 0); });
  }
  /// Ghosts are kept in the order of pages; within a cell the youngest.
  std::int64_t value_of(Ghost const& ghost) const {
    constexpr std::uint32_t oldest = 0x7FFFFFFFu;
    auto const age                 = std::min(m_ages.now() - ghost.epoch, oldest);
    auto const rank                = m_ranking.rank(cell_of(ghost.history(), ghost.epoch));
    return static_cast<std::int64_t>((std::uint64_t(rank) << 32) + (oldest - age));
  }

  void begin_epoch() {
    for (auto& cell : m_cells) {
      // Ghosts that are taken for one another can make a few blocks too few.
      cell.time = cell.time * m_fading + std::max(cell.blocks, 0.0);
      cell.hits *= m_fading;
    }
    m_ages.advance([&](std::size_t group) {
      for (auto cell = group; cell < num_reuse_cells; cell += AgeGroups::count) hand_on(cell);
    });
    m_unranked += m_uses_per_epoch;
    if (m_unranked >= least_uses_per_ranking) rank_cells();
  }
  /// Moves all that is in a cell to the next older one of its class.
  void hand_on(std::size_t cell) {
    if (!m_lists.empty(list_of(cell))) {
      m_lists.append_all(list_of(cell), list_of(cell + 1));
      m_ranking.mark(cell + 1);
    }
    m_cells[cell + 1].blocks += m_cells[cell].blocks;
    m_cells[cell].blocks = 0;
  }
  /// Lowest worth first; of equal ones the older.
  void rank_cells() {
    auto const rates = measured_rates(m_cells);
    std::array<double, num_reuse_cells> worths{};
    for (std::size_t c = 0; c < rates.size(); ++c) {
      auto const of_class = find_worths(rates[c]);
      std::copy(of_class.begin(), of_class.end(), worths.begin() + c * AgeGroups::count);
    }
    m_ranking.sort([&](std::size_t a, std::size_t b) {
      auto const age_a = a % AgeGroups::count, age_b = b % AgeGroups::count;
      return std::tuple(worths[a], age_b, a) < std::tuple(worths[b], age_a, b);
    });
    m_unranked = 0;
    for (std::size_t cell = 0; cell < num_reuse_cells; ++cell) {
      if (!m_lists.empty(list_of(cell))) m_ranking.mark(cell);
    }
  }

  double m_uses_per_epoch  = least_uses_per_epoch;
  double m_fading          = 1;
  double m_uses            = 0;  ///< in this epoch
  double m_unranked        = 0;  ///< uses since the last ranking
  std::uint32_t m_upcoming = no_page;
  LargeVector<Entry> m_entries;
  PageLists m_lists;
  GhostTable m_ghosts;
  AgeGroups m_ages;
  ReuseCells m_cells{};
  CellRanking<num_reuse_cells> m_ranking;
};

}  // namespace KokkosKV::Impl

#endif
