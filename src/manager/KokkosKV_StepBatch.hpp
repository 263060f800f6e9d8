// StepBatch: a step of the page manager as kernels take it, and StepBatcher, which brings it to
// the device.
#ifndef KOKKOSKV_STEPBATCH_HPP
#define KOKKOSKV_STEPBATCH_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <cache/KokkosKV_Errors.hpp>
#include <cache/KokkosKV_StaticParams.hpp>
#include <cache/KokkosKV_Unchecked.hpp>
#include <cache/impl/KokkosKV_Check.hpp>
#include <manager/KokkosKV_PageManager.hpp>
#include <manager/KokkosKV_StepRequest.hpp>
#include <manager/impl/KokkosKV_KnownRows.hpp>
#include <manager/impl/KokkosKV_PinnedMemory.hpp>
#include <manager/impl/KokkosKV_StepStaging.hpp>
#include <manager/impl/KokkosKV_StepWords.hpp>
#include <manager/impl/KokkosKV_TablePatch.hpp>
#include <store/KokkosKV_CopyPages.hpp>

namespace KokkosKV {

/// Device Views of a step. The next StepBatcher::load() overwrites what they show, in the order of
/// its execution space instance: what is launched on that instance before the next load() reads
/// this step, what is launched after it must take the Views of the next. Copies share the Views.
template <class ExecSpace>
struct StepBatch {
  using execution_space = ExecSpace;                         ///< where the step runs
  using memory_space    = typename ExecSpace::memory_space;  ///< where the Views lie
  /// Numbers of a step.
  using numbers_type = Kokkos::View<std::uint32_t const*, memory_space>;
  /// Pages of a step.
  using table_type = Kokkos::View<std::uint32_t const**, Kokkos::LayoutRight, memory_space>;
  /// Numbers of a step in memory that the host can read.
  using host_numbers_type = Kokkos::View<std::uint32_t const*, Impl::pinned_space<ExecSpace>>;

  numbers_type cache_lengths;      ///< `[batch]`: tokens in the cache before the step
  numbers_type row_offsets;        ///< `[batch + 1]`: where each sequence's rows begin
  table_type lookup_table;         ///< `[batch, max_pages]`: null_page behind a sequence's pages
  numbers_type copy_sources;       ///< `[copies]`: pages to read
  numbers_type copy_destinations;  ///< `[copies]`: pages to write, before rows are stored
  /// As cache_lengths, but of host memory, for plans; valid until the load() after the next.
  host_numbers_type host_cache_lengths;
  /// As row_offsets, but of host memory, for plans; valid until the load() after the next.
  host_numbers_type host_row_offsets;
  std::uint32_t max_prompt_length = 0;  ///< rows of the sequence that has the most
  std::uint32_t max_cache_length  = 0;  ///< the largest of the cache lengths
  std::uint32_t num_rows          = 0;  ///< rows of all sequences

  /// Sequences of the step.
  std::size_t batch_size() const { return cache_lengths.extent(0); }

  /// Launches the step's page copies, all in one kernel (two with scales), or nothing where there
  /// are none. Asynchronous. As copy_pages() it leaves scales alone that have a table of their own.
  /// \param exec        instance of the load
  /// \param collection  the pool
  template <class Collection>
  void copy_pages(ExecSpace const& exec, Collection const& collection) const {
    if (copy_sources.extent(0) == 0) return;
    KokkosKV::copy_pages(exec, collection, copy_sources, copy_destinations, unchecked);
  }
};

/// What a StepBatcher has done.
struct StepBatcherStatistics {
  std::uint64_t loads         = 0;  ///< steps
  std::uint64_t table_rows    = 0;  ///< rows of the lookup table of which anything changed
  std::uint64_t table_entries = 0;  ///< pages that were sent for them
  std::uint64_t waits         = 0;  ///< for staging memory that the device was still to read
  std::uint64_t growths       = 0;  ///< of the lookup table or the numbers beside it
};

/// Brings steps to the device. It keeps the lookup table there: a row that has the same sequence as
/// in the load before gets only its new pages, so that a step costs by what changes and not by how
/// long its sequences are. Hence keep the order of requests from step to step.
///
/// A load is one copy out of pinned memory and one kernel, both asynchronous. There are two staging
/// buffers, so that the host prepares and loads a step while the one before runs.
///
/// All loads, and all that uses their Views, are launched on one execution space instance, or on
/// instances that wait for one another. One thread at a time may call members. The instance must
/// live as long as the batcher.
///
/// A batcher follows one manager. Given another it writes all rows anew.
template <class ExecSpace = Kokkos::DefaultExecutionSpace>
class StepBatcher {
  static_assert(Impl::has_pinned_space<ExecSpace>,
                "KokkosKV: host and execution space need memory that both can reach");

 public:
  using execution_space = ExecSpace;                         ///< where steps run
  using memory_space    = typename ExecSpace::memory_space;  ///< where their Views lie

  /// Allocates. What turns out too small grows.
  /// \param exec           execution space instance
  /// \param max_sequences  sequences of a step
  /// \param max_pages      pages of a sequence
  /// \throws ShapeError    more than 2^31 - 1 entries of the lookup table
  StepBatcher(ExecSpace const& exec, std::size_t max_sequences, std::size_t max_pages)
      : m_exec(exec), m_staging{Staging(exec), Staging(exec)} {
    make_table("StepBatcher", exec, max_sequences, max_pages);
    // Room for every sequence's row, of prompts of common length.
    auto const pages = max_sequences * std::min<std::size_t>(max_pages, 64);
    auto const words = Impl::StepWords(max_sequences, max_sequences, max_sequences).end(pages);
    for (auto& staging : m_staging) staging.reserve(words);
    Impl::reserve_words(m_words, words, exec);
  }

  StepBatcher(StepBatcher const&)            = delete;
  StepBatcher& operator=(StepBatcher const&) = delete;

  /// Waits for the instance of the last load.
  ~StepBatcher() { m_exec.fence("KokkosKV::StepBatcher: destruction"); }

  /// Brings a step to the device; to be called between prepare_step() and commit_step().
  ///
  /// Asynchronous, but for two cases: it waits for the instance of an earlier load where that has
  /// not yet read the staging memory which is needed now (the host is two steps ahead), and where
  /// something has to grow.
  /// \param exec     execution space instance
  /// \param manager  the one that made the layout
  /// \param layout   of the step that is prepared; may be without sequences
  /// \throws ShapeError        the layout does not fit (StepLayout::fits()), its members differ in
  ///                           length, or the lookup table would exceed 2^31 - 1 entries
  /// \throws SequenceError     a sequence is not one of the manager's
  /// \throws LookupTableError  a sequence has other pages than the layout says
  StepBatch<ExecSpace> load(ExecSpace const& exec, PageManager const& manager,
                            StepLayout const& layout) {
    check_layout(layout);
    if (m_manager != manager.identity()) m_rows.forget();
    m_manager = manager.identity();
    grow_table(exec, layout);
    m_rows.find_changes(manager, layout, m_changes);
    Impl::StepWords const places(layout.sequences.size(), layout.copies.size(), m_changes.size());
    auto& staging        = m_staging[m_statistics.loads % m_staging.size()];
    auto const num_words = places.end(num_changed_pages());
    m_statistics.waits += staging.wait() ? 1 : 0;
    staging.reserve(num_words);
    grow_words(exec, num_words);
    places.write(layout, m_changes, m_table.extent(1), staging.words().data());

    ++m_statistics.loads;
    staging.begin_use(exec, m_statistics.loads);
    m_exec = exec;
    std::pair<std::size_t, std::size_t> const used(0, num_words);
    Kokkos::deep_copy(exec, Kokkos::subview(m_words, used), Kokkos::subview(staging.words(), used));
    Impl::launch_patch(exec, {m_words.data(), places.runs, m_changes.size(), m_table.data(),
                              staging.mark(), staging.number()});
    m_rows.apply(layout, m_changes);
    m_statistics.table_rows += m_changes.size();
    m_statistics.table_entries += num_changed_pages();
    return batch(layout, places, staging.words());
  }

  /// Sequences that a step can have before something grows.
  std::size_t max_sequences() const { return m_table.extent(0); }
  /// Pages that a sequence can have before something grows; the width of every lookup table.
  std::size_t max_pages() const { return m_table.extent(1); }
  /// What has been done so far.
  StepBatcherStatistics const& statistics() const { return m_statistics; }

 private:
  using Staging    = Impl::StepStaging<ExecSpace>;
  using words_type = Kokkos::View<std::uint32_t*, memory_space>;
  using table_type = Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, memory_space>;

  static void check_layout(StepLayout const& layout) {
    Impl::check_equal("load", "layout.missing_pages", layout.missing_pages, 0);
    auto const batch = layout.sequences.size();
    Impl::check_equal("load", "layout.cache_lengths.size()", layout.cache_lengths.size(), batch);
    Impl::check_equal("load", "layout.row_offsets.size()", layout.row_offsets.size(), batch + 1);
  }

  std::size_t num_changed_pages() const {
    std::size_t result = 0;
    for (auto const& change : m_changes) result += change.pages.size() - change.first;
    return result;
  }

  void make_table(char const* function, ExecSpace const& exec, std::size_t num_rows,
                  std::size_t num_pages) {
    constexpr std::size_t most = 0x7FFFFFFF;
    if (num_rows > most || num_pages > most / std::max<std::size_t>(num_rows, 1)) {
      throw ShapeError(function, "lookup table",
                       std::to_string(num_rows) + " x " + std::to_string(num_pages) + " entries",
                       "at most " + std::to_string(most));
    }
    m_table = table_type(Kokkos::view_alloc("KokkosKV::StepBatcher::lookup_table",
                                            Kokkos::WithoutInitializing, exec),
                         num_rows, num_pages);
    // In one dimension: fills of two divide by a row's length for every entry.
    Kokkos::View<std::uint32_t*, memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const
        entries(m_table.data(), m_table.size());
    Kokkos::deep_copy(exec, entries, null_page);
    m_rows.clear(num_rows);
  }

  void grow_table(ExecSpace const& exec, StepLayout const& layout) {
    auto const grown = [](std::size_t size, std::size_t needed) {
      return needed <= size ? size : std::max(needed, size + size / 2);
    };
    auto const num_rows  = grown(max_sequences(), layout.sequences.size());
    auto const num_pages = grown(max_pages(), layout.max_pages);
    if (num_rows == max_sequences() && num_pages == max_pages()) return;
    wait_for_growth();
    make_table("load", exec, num_rows, num_pages);
  }

  void grow_words(ExecSpace const& exec, std::size_t needed) {
    if (needed <= m_words.extent(0)) return;
    wait_for_growth();
    Impl::reserve_words(m_words, needed, exec);
  }

  /// What runs still reads the memory that is about to be freed.
  void wait_for_growth() {
    m_exec.fence("KokkosKV::StepBatcher::load: growth");
    ++m_statistics.growths;
  }

  StepBatch<ExecSpace> batch(StepLayout const& layout, Impl::StepWords const& places,
                             typename Staging::words_type const& staged) const {
    using range     = std::pair<std::size_t, std::size_t>;
    auto const size = layout.sequences.size();
    auto const part = [&](auto const& words, std::size_t first, std::size_t count) {
      return Kokkos::subview(words, range(first, first + count));
    };
    StepBatch<ExecSpace> result;
    result.cache_lengths      = part(m_words, places.cache_lengths, size);
    result.row_offsets        = part(m_words, places.row_offsets, size + 1);
    result.lookup_table       = Kokkos::subview(m_table, range(0, size), Kokkos::ALL);
    result.copy_sources       = part(m_words, places.copy_sources, layout.copies.size());
    result.copy_destinations  = part(m_words, places.copy_destinations, layout.copies.size());
    result.host_cache_lengths = part(staged, places.cache_lengths, size);
    result.host_row_offsets   = part(staged, places.row_offsets, size + 1);
    result.max_prompt_length  = layout.max_prompt_length;
    result.max_cache_length   = layout.max_cache_length;
    result.num_rows           = layout.row_offsets.back();
    return result;
  }

  ExecSpace m_exec;
  std::array<Staging, 2> m_staging;
  words_type m_words;
  table_type m_table;
  Impl::KnownRows m_rows;
  std::vector<Impl::RowChange> m_changes;
  std::shared_ptr<void const> m_manager;  ///< whose rows are known
  StepBatcherStatistics m_statistics;
};

}  // namespace KokkosKV

#endif
