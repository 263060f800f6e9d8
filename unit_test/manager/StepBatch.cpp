// StepBatcher: device Views of random steps against the manager, and a real cache that is written
// through them.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <cache/KokkosKV_PagedCache.hpp>
#include <manager/KokkosKV_PageManager.hpp>
#include <manager/KokkosKV_StepBatch.hpp>
#include <store/KokkosKV_StoreRagged.hpp>

#include <ExecutionSpaces.hpp>
#include <reference/Arrays.hpp>
#include <reference/Random.hpp>
#include <support/Refusal.hpp>

namespace KokkosKVTest {

using namespace KokkosKV;
using Tokens = std::vector<std::uint32_t>;

/// Contents of a View, after all that was launched on the instance.
template <class ExecSpace, class ViewType>
Tokens contents(ExecSpace const& exec, ViewType const& view) {
  Tokens result(view.size());
  Kokkos::View<std::uint32_t const*, typename ViewType::memory_space,
               Kokkos::MemoryTraits<Kokkos::Unmanaged>> const from(view.data(), view.size());
  Kokkos::deep_copy(exec, HostVector<std::uint32_t>(result.data(), result.size()), from);
  exec.fence();
  return result;
}

/// What the lookup table must be, from nothing but the manager.
inline Tokens whole_table(PageManager const& manager, StepLayout const& layout, std::size_t width) {
  Tokens result;
  for (auto const id : layout.sequences) {
    auto const pages = manager.pages(id);
    EXPECT_LE(pages.size(), width);
    result.insert(result.end(), pages.begin(), pages.end());
    result.insert(result.end(), width - pages.size(), null_page);
  }
  return result;
}

template <class ExecSpace>
void expect_batch(ExecSpace const& exec, PageManager const& manager, StepLayout const& layout,
                  StepBatch<ExecSpace> const& batch) {
  auto const size = layout.sequences.size();
  ASSERT_EQ(batch.batch_size(), size);
  ASSERT_EQ(batch.lookup_table.extent(0), size);
  auto const width = batch.lookup_table.extent(1);
  ASSERT_EQ(contents(exec, batch.lookup_table), whole_table(manager, layout, width));
  ASSERT_EQ(contents(exec, batch.cache_lengths), layout.cache_lengths);
  ASSERT_EQ(contents(exec, batch.row_offsets), layout.row_offsets);
  ASSERT_EQ(contents(exec, batch.host_cache_lengths), layout.cache_lengths);
  ASSERT_EQ(contents(exec, batch.host_row_offsets), layout.row_offsets);
  Tokens sources, destinations;
  for (auto const& copy : layout.copies) {
    sources.push_back(copy.source);
    destinations.push_back(copy.destination);
  }
  ASSERT_EQ(contents(exec, batch.copy_sources), sources);
  ASSERT_EQ(contents(exec, batch.copy_destinations), destinations);
  EXPECT_EQ(batch.max_prompt_length, layout.max_prompt_length);
  EXPECT_EQ(batch.max_cache_length, layout.max_cache_length);
  EXPECT_EQ(batch.num_rows, layout.row_offsets.back());
}

/// Numbers that stand for all tokens up to each; a double holds them exactly.
inline std::vector<double> prefix_numbers(Tokens const& tokens) {
  std::vector<double> result;
  std::uint64_t hash = 0x9E3779B97F4A7C15u;
  for (auto const token : tokens) {
    hash = (hash ^ (token + 1)) * 0xFF51AFD7ED558CCDu;
    hash ^= hash >> 29;
    result.push_back(static_cast<double>(hash >> 12));
  }
  return result;
}

/// A manager, its batcher and a pool of keys and values, driven by random operations.
template <class ExecSpace, int PageSize>
class RandomBatches {
 public:
  RandomBatches(ExecSpace const& exec, std::uint32_t num_pages, std::uint64_t seed)
      : m_exec(exec),
        m_manager(PageManagerOptions{.num_pages = num_pages, .page_size = PageSize}),
        m_batcher(exec, 1, 2),
        m_blocks("blocks", num_pages, 2, 2),
        m_random(seed) {}

  void run(int operations) {
    for (int i = 0; i < operations && !testing::Test::HasFatalFailure(); ++i) {
      SCOPED_TRACE("operation " + std::to_string(i));
      operate();
    }
    auto const& statistics = m_batcher.statistics();
    EXPECT_EQ(statistics.loads, m_num_loads);
    EXPECT_GT(statistics.growths, 2u);
    EXPECT_GT(m_num_entries, statistics.table_entries);
    EXPECT_GT(m_num_abandoned, 0);
    EXPECT_EQ(m_manager.statistics().copied_pages > 0, PageSize > 1);
  }

 private:
  using memory_space = typename ExecSpace::memory_space;
  using rows_type    = Kokkos::View<double***, Kokkos::LayoutRight, memory_space>;

  void operate() {
    auto const choice = m_random.below(100);
    if (m_sequences.size() < 2 || choice < 10) return create();
    if (choice < 30) return append();
    if (choice < 36) return fork();
    if (choice < 44) return truncate();
    if (choice < 50) return free_one();
    step();
  }

  Tokens random_tokens(std::size_t most) {
    Tokens result(m_random.below(most + 1));
    auto const kind = m_random.below(3);
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = static_cast<std::uint32_t>(m_random.chance(97) ? kind * 100 + i / 3 : 7);
    return result;
  }

  auto pick() {
    return std::next(m_sequences.begin(),
                     static_cast<std::ptrdiff_t>(m_random.below(m_sequences.size())));
  }

  void create() {
    auto const tokens                     = random_tokens(40);
    m_sequences[m_manager.create(tokens)] = tokens;
  }
  void append() {
    auto& [id, tokens] = *pick();
    auto const more    = random_tokens(12);
    m_manager.append(id, more);
    tokens.insert(tokens.end(), more.begin(), more.end());
  }
  void fork() {
    auto const [id, tokens] = *pick();
    if (!tokens.empty()) m_sequences[m_manager.fork(id)] = tokens;
  }
  void truncate() {
    auto& [id, tokens] = *pick();
    tokens.resize(tokens.size() - std::min(tokens.size(), m_random.below(9)));
    m_manager.truncate(id, tokens.size());
  }
  void free_one() {
    auto const place = pick();
    m_manager.free(place->first);
    m_sequences.erase(place);
  }

  /// Mostly in order, now and then shuffled, sometimes none at all.
  std::vector<StepRequest> random_requests() {
    std::vector<StepRequest> result;
    if (m_random.chance(3)) return result;
    for (auto const& [id, tokens] : m_sequences) {
      if (!m_random.chance(85)) continue;
      auto const some = static_cast<std::uint32_t>(m_random.below(9));
      result.push_back({id, m_random.chance(60) ? StepRequest::all_rows : some});
    }
    if (m_random.chance(15)) {
      for (std::size_t i = result.size(); i > 1; --i)
        std::swap(result[i - 1], result[m_random.below(i)]);
    }
    return result;
  }

  void step() {
    auto const requests = random_requests();
    auto const layout   = m_manager.prepare_step(requests);
    if (!layout.fits()) {
      for (int i = 0; i < 2 && !m_sequences.empty(); ++i) free_one();
      return;
    }
    auto const batch = m_batcher.load(m_exec, m_manager, layout);
    ++m_num_loads;
    for (auto const id : layout.sequences) m_num_entries += m_manager.pages(id).size();
    expect_batch(m_exec, m_manager, layout, batch);
    if (testing::Test::HasFatalFailure()) return;
    if (m_random.chance(15)) {
      ++m_num_abandoned;
      m_manager.abandon_step();
      return;
    }
    store(layout, batch);
    expect_stored(layout);
    m_manager.commit_step();
  }

  void store(StepLayout const& layout, StepBatch<ExecSpace> const& batch) {
    auto const pool =
        generic_get_paged_cache(m_blocks, batch.cache_lengths, batch.lookup_table,
                                batch.max_prompt_length, batch.max_cache_length, unchecked);
    batch.copy_pages(m_exec, pool);
    std::vector<double> keys;
    for (std::size_t i = 0; i < layout.sequences.size(); ++i) {
      auto const numbers = prefix_numbers(m_sequences.at(layout.sequences[i]));
      auto const rows    = layout.row_offsets[i + 1] - layout.row_offsets[i];
      auto const first   = numbers.begin() + layout.cache_lengths[i];
      keys.insert(keys.end(), first, first + rows);
    }
    auto const device_keys = to_device<memory_space>(keys);
    for (auto& key : keys) key = -key;
    auto const device_values = to_device<memory_space>(keys);
    // Checked: the store refuses rows that meet, and pages that do not exist.
    kv_cache_store_ragged_key_value(m_exec, pool.get_key_cache(1), pool.get_value_cache(1),
                                    batch.row_offsets,
                                    rows_type(device_keys.data(), keys.size(), 1, 1),
                                    rows_type(device_values.data(), keys.size(), 1, 1));
    m_exec.fence();
  }

  /// What the step's attention reads.
  void expect_stored(StepLayout const& layout) {
    auto const blocks = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, m_blocks);
    for (std::size_t i = 0; i < layout.sequences.size(); ++i) {
      auto const id      = layout.sequences[i];
      auto const numbers = prefix_numbers(m_sequences.at(id));
      auto const rows    = layout.row_offsets[i + 1] - layout.row_offsets[i];
      auto const pages   = m_manager.pages(id);
      for (std::size_t t = 0; t < layout.cache_lengths[i] + rows; ++t) {
        ASSERT_EQ(blocks(pages[t / PageSize], 0, 1, t % PageSize, 0, 0), numbers[t])
            << "sequence " << id << ", token " << t;
        ASSERT_EQ(blocks(pages[t / PageSize], 1, 1, t % PageSize, 0, 0), -numbers[t]);
      }
    }
  }

  ExecSpace m_exec;
  PageManager m_manager;
  StepBatcher<ExecSpace> m_batcher;
  Kokkos::View<double*** [PageSize][1][1], memory_space> m_blocks;
  Random m_random;
  std::map<SequenceId, Tokens> m_sequences;
  std::uint64_t m_num_loads   = 0;
  std::uint64_t m_num_entries = 0;
  int m_num_abandoned         = 0;
};

template <class ExecSpace>
class StepBatches : public testing::Test {
 protected:
  /// A manager that has `count` sequences of `length` tokens each, which share nothing.
  static std::vector<StepRequest> create(PageManager& manager, std::uint32_t count,
                                         std::uint32_t length) {
    std::vector<StepRequest> result;
    for (std::uint32_t i = 0; i < count; ++i) {
      Tokens tokens(length);
      for (std::uint32_t t = 0; t < length; ++t) tokens[t] = 1000 * i + t;
      result.push_back({manager.create(tokens)});
    }
    return result;
  }

  static void append_one(PageManager& manager, std::vector<StepRequest> const& requests) {
    for (auto const& request : requests) manager.append(request.sequence, Tokens{5});
  }
};
TYPED_TEST_SUITE(StepBatches, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(StepBatches, RandomStepsPagesOfOneToken) {
  RandomBatches<TypeParam, 1>(TypeParam{}, 260, 1).run(500);
}

TYPED_TEST(StepBatches, RandomStepsSmallPages) {
  RandomBatches<TypeParam, 4>(TypeParam{}, 80, 2).run(1500);
}

TYPED_TEST(StepBatches, RandomStepsLargePages) {
  RandomBatches<TypeParam, 16>(TypeParam{}, 30, 3).run(800);
}

TYPED_TEST(StepBatches, RandomStepsOnAnotherInstance) {
  auto const instances = Kokkos::Experimental::partition_space(TypeParam{}, std::vector<int>{1, 1});
  RandomBatches<TypeParam, 4>(instances[1], 60, 4).run(500);
}

// Page size 4, sequences of 5 tokens: two pages each, a third one with the fifth token from here.
TYPED_TEST(StepBatches, SendsNewPagesAlone) {
  TypeParam const exec;
  PageManager manager({.num_pages = 64, .page_size = 4});
  StepBatcher<TypeParam> batcher(exec, 8, 4);
  auto requests      = this->create(manager, 6, 5);
  auto const sent_by = [&](std::vector<StepRequest> const& step) {
    auto const before = batcher.statistics();
    auto const layout = manager.prepare_step(step);
    auto const batch  = batcher.load(exec, manager, layout);
    expect_batch(exec, manager, layout, batch);
    manager.commit_step();
    auto const& after = batcher.statistics();
    return std::pair(after.table_rows - before.table_rows,
                     after.table_entries - before.table_entries);
  };
  using Sent = std::pair<std::uint64_t, std::uint64_t>;
  EXPECT_EQ(sent_by(requests), Sent(6, 12));
  for (int step = 0; step < 3; ++step) {
    this->append_one(manager, requests);
    EXPECT_EQ(sent_by(requests), Sent(0, 0));
  }
  this->append_one(manager, requests);
  EXPECT_EQ(sent_by(requests), Sent(6, 6));
  // Rows that change places, and one that goes: those behind it move up.
  std::swap(requests[1], requests[3]);
  EXPECT_EQ(sent_by(requests), Sent(2, 6));
  requests.erase(requests.begin() + 3);
  EXPECT_EQ(sent_by(requests), Sent(2, 6));
  // The last row is still the one that it was.
  requests.push_back(requests.back());
  EXPECT_THROW(manager.prepare_step(requests), SequenceError);
  requests.pop_back();
  manager.truncate(requests[0].sequence, 3);
  EXPECT_EQ(sent_by(requests), Sent(1, 1));
  EXPECT_EQ(sent_by({}), Sent(0, 0));
  EXPECT_EQ(sent_by(requests), Sent(0, 0));
  EXPECT_EQ(batcher.statistics().growths, 0u);
}

// A row that had many pages gets a sequence of few, and the first again: nothing is left over.
TYPED_TEST(StepBatches, ClearsBehindShorterSequences) {
  TypeParam const exec;
  PageManager manager({.num_pages = 64, .page_size = 4});
  StepBatcher<TypeParam> batcher(exec, 1, 9);
  auto const longer  = this->create(manager, 1, 33);
  auto const shorter = this->create(manager, 1, 2);
  for (auto const& requests : {longer, shorter, longer, shorter}) {
    auto const layout = manager.prepare_step(requests);
    expect_batch(exec, manager, layout, batcher.load(exec, manager, layout));
    manager.commit_step();
  }
  EXPECT_EQ(batcher.statistics().table_entries, 20u);
}

// What is launched after each load reads that load's numbers, however far ahead the host is.
TYPED_TEST(StepBatches, LaunchedWorkReadsItsOwnStep) {
  TypeParam const exec;
  PageManager manager({.num_pages = 512, .page_size = 4});
  StepBatcher<TypeParam> batcher(exec, 16, 32);
  auto const requests = this->create(manager, 16, 9);
  using memory_space  = typename TypeParam::memory_space;
  std::vector<Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, memory_space>> tables;
  std::vector<Kokkos::View<std::uint32_t*, memory_space>> lengths;
  std::vector<Tokens> expected_tables, expected_lengths;
  for (int step = 0; step < 40; ++step) {
    auto const layout = manager.prepare_step(requests);
    auto const batch  = batcher.load(exec, manager, layout);
    tables.emplace_back("table", 16, 32);
    lengths.emplace_back("lengths", 16);
    Kokkos::deep_copy(exec, tables.back(), batch.lookup_table);
    Kokkos::deep_copy(exec, lengths.back(), batch.cache_lengths);
    expected_tables.push_back(whole_table(manager, layout, 32));
    expected_lengths.push_back(layout.cache_lengths);
    manager.commit_step();
    this->append_one(manager, requests);
  }
  for (std::size_t step = 0; step < tables.size(); ++step) {
    ASSERT_EQ(contents(exec, tables[step]), expected_tables[step]) << step;
    ASSERT_EQ(contents(exec, lengths[step]), expected_lengths[step]) << step;
  }
  EXPECT_EQ(batcher.statistics().growths, 0u);
}

// Sequences of two managers have the same numbers and versions, but not the same pages.
TYPED_TEST(StepBatches, TellsManagersApart) {
  TypeParam const exec;
  PageManager one({.num_pages = 64, .page_size = 4}), other({.num_pages = 64, .page_size = 4});
  this->create(other, 1, 40);
  StepBatcher<TypeParam> batcher(exec, 4, 10);
  auto const requests = this->create(one, 2, 20);
  this->create(other, 1, 20);
  for (auto* const manager : {&one, &other, &one}) {
    auto const layout = manager->prepare_step(requests);
    expect_batch(exec, *manager, layout, batcher.load(exec, *manager, layout));
    manager->commit_step();
  }
}

TYPED_TEST(StepBatches, Refusals) {
  TypeParam const exec;
  expect_refusal<ShapeError>(
      "StepBatcher: lookup table: found 65536 x 32768 entries, expected at most 2147483647",
      [&] { StepBatcher<TypeParam>(exec, 65536, 32768); });
  PageManager manager({.num_pages = 8, .page_size = 4});
  StepBatcher<TypeParam> batcher(exec, 4, 4);
  auto const requests = this->create(manager, 2, 12);
  auto const too_many = this->create(manager, 1, 40);
  auto const layout   = manager.prepare_step(requests);
  auto const refuse   = [&]<class Error>(Error const*, std::string const& message,
                                         StepLayout const& bad) {
    expect_refusal<Error>(message, [&] { batcher.load(exec, manager, bad); });
  };
  constexpr ShapeError const* shape        = nullptr;
  constexpr SequenceError const* sequence  = nullptr;
  constexpr LookupTableError const* lookup = nullptr;
  auto bad                                 = layout;
  bad.cache_lengths.pop_back();
  refuse(shape, "load: layout.cache_lengths.size(): found 1, expected 2", bad);
  refuse(shape, "load: layout.row_offsets.size(): found 0, expected 1", StepLayout{});
  bad              = layout;
  bad.sequences[1] = 77;
  refuse(sequence, "table_version: sequence 77: found unknown, expected a sequence of this manager",
         bad);
  bad                = layout;
  bad.row_offsets[2] = 25;
  refuse(lookup,
         "load: layout.sequences[1]: found sequence 1 with 3 pages, expected 4 pages and a layout "
         "of the step that the manager has prepared",
         bad);
  bad           = layout;
  bad.max_pages = 2;
  refuse(lookup,
         "load: layout.sequences[0]: found sequence 0 with 3 pages, expected 3 pages and a layout "
         "of the step that the manager has prepared",
         bad);
  // Nothing of it has left a trace.
  expect_batch(exec, manager, layout, batcher.load(exec, manager, layout));
  EXPECT_EQ(batcher.statistics().loads, 1u);
  EXPECT_EQ(batcher.statistics().table_entries, 6u);
  manager.commit_step();
  auto const refused = manager.prepare_step(too_many);
  refuse(shape, "load: layout.missing_pages: found 5, expected 0", refused);
}

/// Fences of the project that were called while it lived, as the tools of Kokkos see them.
class FenceNames {
 public:
  FenceNames() {
    names().clear();
    Kokkos::Tools::Experimental::set_begin_fence_callback(&enter);
  }
  ~FenceNames() { Kokkos::Tools::Experimental::set_begin_fence_callback(nullptr); }
  FenceNames(FenceNames const&)            = delete;
  FenceNames& operator=(FenceNames const&) = delete;

  static std::vector<std::string>& names() {
    static std::vector<std::string> result;
    return result;
  }

 private:
  static void enter(char const* name, std::uint32_t, std::uint64_t*) {
    if (std::string(name).starts_with("KokkosKV")) names().emplace_back(name);
  }
};

TYPED_TEST(StepBatches, WaitsForGrowthAlone) {
  TypeParam const exec;
  PageManager manager({.num_pages = 64, .page_size = 4});
  StepBatcher<TypeParam> batcher(exec, 4, 4);
  auto const requests = this->create(manager, 4, 12);
  auto const load     = [&] {
    exec.fence();
    FenceNames const fences;
    batcher.load(exec, manager, manager.prepare_step(requests));
    manager.commit_step();
    return FenceNames::names();
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(load(), Names());
  EXPECT_EQ(batcher.max_pages(), 4u);
  for (int i = 0; i < 5; ++i) this->append_one(manager, requests);
  EXPECT_EQ(load(), Names{"KokkosKV::StepBatcher::load: growth"});
  EXPECT_EQ(batcher.max_pages(), 6u);
  EXPECT_EQ(load(), Names());
  EXPECT_EQ(batcher.statistics().growths, 1u);
  EXPECT_EQ(batcher.statistics().waits, 0u);
}

// Whether a buffer is free is read from the memory that the device writes.
TYPED_TEST(StepBatches, StagingWaitsForItsMark) {
  TypeParam const exec;
  Impl::StepStaging<TypeParam> staging(exec);
  EXPECT_FALSE(staging.wait());
  staging.begin_use(exec, 7);
  EXPECT_TRUE(staging.wait());
  Impl::launch_patch(exec, {nullptr, 0, 0, nullptr, staging.mark(), staging.number()});
  exec.fence();
  EXPECT_FALSE(staging.wait());
}

}  // namespace KokkosKVTest
