// Random operations on a PageManager and its model.
#ifndef KOKKOSKV_TEST_RANDOMSTEPS_HPP
#define KOKKOSKV_TEST_RANDOMSTEPS_HPP

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include <manager/KokkosKV_PageManager.hpp>
#include <reference/Random.hpp>

#include "FailingMemory.hpp"
#include "ManagerModel.hpp"

namespace KokkosKVTest {

class RandomSteps {
 public:
  RandomSteps(KokkosKV::PageManagerOptions const& options, ModelStorage& storage,
              KokkosKV::PageTiers const& tiers, std::uint64_t seed)
      : m_model(options, storage, tiers), m_random(seed), m_has_tiers(tiers.transfer != nullptr) {}

  void run(int operations, int operations_per_check = 8) {
    for (int i = 0; i < operations && !testing::Test::HasFatalFailure(); ++i) {
      SCOPED_TRACE("operation " + std::to_string(i));
      operate();
      if (i % operations_per_check == 0) m_model.check();
    }
    m_model.check();
  }

  /// Frees all and looks for what is lost.
  void finish() {
    while (!m_model.sequences.empty()) free_one();
    while (!m_model.pins.empty()) unpin();
    m_model.check();
    auto const counts = manager().page_counts();
    EXPECT_EQ(counts.used, 0u);
    EXPECT_EQ(counts.host_used, 0u);
    EXPECT_EQ(m_model.num_findable(), counts.cached);
    EXPECT_EQ(m_model.num_findable_on_host(), counts.host_cached);
  }

  KokkosKV::PageManager& manager() { return m_model.manager; }
  /// From now on some operations meet a lack of memory.
  void let_memory_fail() { m_memory_fails = true; }
  /// Operations that failed.
  std::uint64_t num_failed() const { return m_num_failed; }

 private:
  using Entry = std::map<KokkosKV::SequenceId, ManagerModel::Sequence>::iterator;

  void operate() {
    auto const choice = m_random.below(100);
    if (m_model.sequences.size() < 3 || choice < 12) return create();
    if (choice < 27) return append();
    if (choice < 32) return fork();
    if (choice < 40) return truncate();
    if (choice < 50) return free_one();
    if (choice < 52) return pin();
    if (choice < 54) return unpin();
    if (choice < 56) return set_priority();
    if (choice < 58) return release_pages();
    if (m_has_tiers && choice < 66) return swap_out();
    if (m_has_tiers && choice < 74) return swap_in();
    step();
  }

  /// Few different tokens and beginnings, so that prompts have much in common.
  std::vector<std::uint32_t> random_tokens(std::size_t most) {
    std::vector<std::uint32_t> result(m_random.below(most + 1));
    auto const kind = m_random.below(4);
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] =
          static_cast<std::uint32_t>(m_random.chance(97) ? kind * 1000 + i / 3 : m_random.below(5));
    }
    return result;
  }

  Entry pick() {
    return std::next(m_model.sequences.begin(),
                     static_cast<std::ptrdiff_t>(m_random.below(m_model.sequences.size())));
  }
  /// One that is in the pool, or the end.
  Entry pick_resident() {
    auto const place = pick();
    return place->second.is_out ? m_model.sequences.end() : place;
  }

  /// Whether the call did not fail, as a transfer or an allocation in it may.
  template <class Call>
  bool completes(Call const& call) {
    try {
      std::optional<FailingMemory> memory;
      if (m_memory_fails && m_random.chance(30)) memory.emplace(m_random.below(8));
      call();
      return true;
    } catch (TransferFailure const&) {
    } catch (std::bad_alloc const&) {
    }
    ++m_num_failed;
    return false;
  }
  /// The same; where it failed nothing may have changed.
  template <class Call>
  bool succeeds(Call const& call) {
    if (completes(call)) return true;
    m_model.check();
    return false;
  }
  /// What needs no memory.
  template <class Call>
  void run_without_memory(Call const& call) {
    std::optional<FailingMemory> memory;
    if (m_memory_fails) memory.emplace(0);
    call();
  }

  void create() {
    auto const tokens = random_tokens(40);
    KokkosKV::PrefixDomain const domain{m_random.pick<std::string>({"", "", "x"}), "",
                                        m_random.pick<std::string>({"", "", "x"})};
    KokkosKV::SequenceId id = 0;
    if (succeeds([&] { id = manager().create(tokens, domain); }))
      m_model.sequences[id] = {tokens, domain};
  }

  void append() {
    auto const place  = pick();
    auto const tokens = random_tokens(6);
    if (!succeeds([&] { manager().append(place->first, tokens); })) return;
    place->second.tokens.insert(place->second.tokens.end(), tokens.begin(), tokens.end());
  }

  void fork() {
    auto const place = pick();
    if (place->second.tokens.empty() || place->second.is_out) {
      EXPECT_THROW(manager().fork(place->first), KokkosKV::SequenceError);
      return;
    }
    auto const copy         = place->second;
    KokkosKV::SequenceId id = 0;
    if (succeeds([&] { id = manager().fork(place->first); })) m_model.sequences[id] = copy;
  }

  void truncate() {
    auto const place = pick_resident();
    if (place == m_model.sequences.end()) return;
    auto& sequence  = place->second;
    auto const size = m_random.chance(70) && sequence.tokens.size() > 3
                          ? sequence.tokens.size() - m_random.below(4)
                          : m_random.below(sequence.tokens.size() + 1);
    run_without_memory([&] { manager().truncate(place->first, size); });
    sequence.tokens.resize(size);
    sequence.num_stored = std::min(sequence.num_stored, static_cast<std::uint32_t>(size));
  }

  void free_one() {
    auto const place = pick();
    run_without_memory([&] { manager().free(place->first); });
    EXPECT_THROW(manager().free(place->first), KokkosKV::SequenceError);
    m_model.sequences.erase(place);
  }

  void release_pages() {
    auto const place = pick();
    run_without_memory([&] { manager().release_pages(place->first); });
    place->second.num_stored = 0;
    place->second.is_out     = false;
  }

  void pin() {
    auto const place = pick_resident();
    if (place == m_model.sequences.end()) return;
    auto const id = place->first;
    if (m_model.pins.contains(id) || m_model.pins.size() == 2) {
      if (m_model.pins.contains(id)) {
        EXPECT_THROW(manager().pin(id), KokkosKV::SequenceError);
      }
      return;
    }
    if (!succeeds([&] { manager().pin(id); })) return;
    auto const pages = manager().pages(id);
    auto const full  = place->second.num_stored / manager().options().page_size;
    m_model.pins[id].assign(pages.begin(), pages.begin() + static_cast<std::ptrdiff_t>(full));
  }

  void unpin() {
    if (m_model.pins.empty()) return;
    run_without_memory([&] { manager().unpin(m_model.pins.begin()->first); });
    m_model.pins.erase(m_model.pins.begin());
  }

  void set_priority() {
    auto const place = pick_resident();
    if (place == m_model.sequences.end()) return;
    auto const priority = static_cast<std::uint8_t>(m_random.below(3));
    succeeds([&] { manager().set_priority(place->first, priority); });
  }

  void swap_out() {
    auto const place = pick();
    auto const id    = place->first;
    if (place->second.is_out) {
      EXPECT_THROW(manager().swap_out(id), KokkosKV::SequenceError);
      return;
    }
    KokkosKV::SwapResult result;
    if (!succeeds([&] { result = manager().swap_out(id); })) return;
    if (result.fits()) place->second.is_out = true;
    m_model.check();
  }

  void swap_in() {
    auto const place = pick();
    auto const id    = place->first;
    auto& sequence   = place->second;
    if (!sequence.is_out) {
      EXPECT_THROW(manager().swap_in(id), KokkosKV::SequenceError);
      return;
    }
    bool const may_lose = manager().state(id) == KokkosKV::SequenceState::in_files;
    KokkosKV::SwapResult result;
    bool const is_done = completes([&] { result = manager().swap_in(id); }) && result.fits();
    if (may_lose) {
      // Files may have lost the last pages of the sequence.
      EXPECT_LE(manager().num_stored(id), sequence.num_stored);
      sequence.num_stored = manager().num_stored(id);
    }
    if (is_done) sequence.is_out = false;
    m_model.check();
  }

  void step() {
    std::vector<KokkosKV::StepRequest> requests;
    for (auto const& [id, sequence] : m_model.sequences) {
      if (sequence.is_out || !m_random.chance(60)) continue;
      requests.push_back({id, m_random.chance(50) ? KokkosKV::StepRequest::all_rows
                                                  : static_cast<std::uint32_t>(m_random.below(9))});
    }
    for (auto i = requests.size(); i > 1; --i)
      std::swap(requests[i - 1], requests[m_random.below(i)]);
    KokkosKV::StepLayout layout;
    if (!succeeds([&] { layout = manager().prepare_step(requests); })) return;
    if (!layout.fits()) {
      m_model.check();
      // Room for the next attempt.
      for (int i = 0; i < 3 && !m_model.sequences.empty(); ++i) free_one();
      return;
    }
    ASSERT_EQ(layout.sequences.size(), requests.size());
    if (m_random.chance(15)) {
      run_without_memory([&] { manager().abandon_step(); });
      m_model.check();
      return;
    }
    m_model.run_step(layout);
    run_without_memory([&] { manager().commit_step(); });
    for (std::size_t i = 0; i < requests.size(); ++i) {
      auto const rows = layout.row_offsets[i + 1] - layout.row_offsets[i];
      m_model.sequences.at(requests[i].sequence).num_stored = layout.cache_lengths[i] + rows;
    }
  }

  ManagerModel m_model;
  Random m_random;
  bool m_has_tiers;
  bool m_memory_fails        = false;
  std::uint64_t m_num_failed = 0;
};

}  // namespace KokkosKVTest

#endif
