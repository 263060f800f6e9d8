// A plain model of what a PageManager must do.
#ifndef KOKKOSKV_TEST_MANAGERMODEL_HPP
#define KOKKOSKV_TEST_MANAGERMODEL_HPP

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <manager/KokkosKV_PageManager.hpp>

#include "FailingMemory.hpp"
#include "ModelStorage.hpp"

namespace KokkosKVTest {

/// Tokens of every sequence outright, and in place of keys and values a number for each slot that
/// stands for all tokens up to it.
class ManagerModel {
 public:
  struct Sequence {
    std::vector<std::uint32_t> tokens;
    KokkosKV::PrefixDomain domain;
    std::uint32_t num_stored = 0;
    bool is_out              = false;
  };

  ManagerModel(KokkosKV::PageManagerOptions const& options, ModelStorage& storage,
               KokkosKV::PageTiers const& tiers)
      : manager(options, tiers), m_storage(storage), m_page_size(options.page_size) {
    manager.set_event_callback([this](KokkosKV::PageEvent const& event) { note(event); });
  }

  KokkosKV::PageManager manager;
  std::map<KokkosKV::SequenceId, Sequence> sequences;
  /// Pages that pins hold.
  std::map<KokkosKV::SequenceId, std::vector<std::uint32_t>> pins;

  /// Does what the kernels of a step do.
  void run_step(KokkosKV::StepLayout const& layout) {
    std::vector<std::uint64_t> rows;
    for (std::size_t i = 0; i < layout.sequences.size(); ++i) {
      auto const hashes = prefix_hashes(sequences.at(layout.sequences[i]));
      auto const begin  = hashes.begin() + layout.cache_lengths[i];
      rows.insert(rows.end(), begin, begin + layout.row_offsets[i + 1] - layout.row_offsets[i]);
    }
    m_storage.run(manager, layout, rows);
    // What the step's attention reads.
    for (std::size_t i = 0; i < layout.sequences.size(); ++i) {
      auto const num_rows = layout.row_offsets[i + 1] - layout.row_offsets[i];
      expect_readable(layout.sequences[i], layout.cache_lengths[i] + num_rows);
    }
  }

  /// All that must hold between steps.
  void check() {
    std::vector<std::uint32_t> references(manager.options().num_pages, 0);
    std::uint64_t unused_slots = 0;
    for (auto const& [id, sequence] : sequences) {
      ASSERT_EQ(manager.num_stored(id), sequence.num_stored) << id;
      ASSERT_TRUE(std::equal(sequence.tokens.begin(), sequence.tokens.end(),
                             manager.tokens(id).begin(), manager.tokens(id).end()));
      ASSERT_EQ(manager.state(id) != KokkosKV::SequenceState::resident, sequence.is_out) << id;
      auto const num_pages =
          sequence.is_out ? 0 : (sequence.num_stored + m_page_size - 1) / m_page_size;
      ASSERT_EQ(manager.pages(id).size(), num_pages) << id;
      if (!sequence.is_out) {
        expect_readable(id, sequence.num_stored);
        unused_slots += num_pages * m_page_size - sequence.num_stored;
        // Every full page is published.
        auto const full = sequence.num_stored / m_page_size * m_page_size;
        ASSERT_EQ(manager.count_cached_tokens(manager.tokens(id).first(full), sequence.domain),
                  full)
            << id;
      }
      for (auto const page : manager.pages(id)) ++references[page];
    }
    for (auto const& [id, pages] : pins) {
      for (auto const page : pages) ++references[page];
    }
    std::uint32_t used = 0;
    for (std::uint32_t page = 0; page < references.size(); ++page) {
      ASSERT_EQ(manager.num_references(page), references[page]) << page;
      used += references[page] > 0 ? 1 : 0;
    }
    check_counts(used, unused_slots);
  }

  /// Pages that can be found in the pool, as the events tell.
  std::uint64_t num_findable() const { return m_findable[0].size(); }
  std::uint64_t num_findable_on_host() const { return m_findable[1].size(); }

 private:
  using Named = std::pair<KokkosKV::PageKey, KokkosKV::PageKey>;

  void check_counts(std::uint32_t used, std::uint64_t unused_slots) {
    auto const counts = manager.page_counts();
    ASSERT_EQ(counts.used, used);
    ASSERT_EQ(counts.free + counts.cached + counts.used, manager.options().num_pages);
    ASSERT_EQ(counts.host_free + counts.host_cached + counts.host_used,
              m_storage.transfer()->num_host_pages());
    ASSERT_EQ(counts.unused_slots, unused_slots);
    ASSERT_EQ(manager.num_sequences(), sequences.size());
    ASSERT_GE(num_findable(), counts.cached);
    ASSERT_LE(num_findable(), counts.cached + counts.used);
    ASSERT_GE(num_findable_on_host(), counts.host_cached);
    ASSERT_LE(num_findable_on_host(), counts.host_cached + counts.host_used);
    auto const posted = manager.read_statistics();
    ASSERT_EQ(posted.pages.cached, counts.cached);
    ASSERT_EQ(posted.pages.host_used, counts.host_used);
    ASSERT_EQ(posted.sequences, sequences.size());
    ASSERT_EQ(posted.events.evicted_pages, manager.statistics().evicted_pages);
  }

  void note(KokkosKV::PageEvent const& event) {
    WorkingMemory const memory;
    auto& findable = m_findable[event.place == KokkosKV::PageEvent::Place::pool ? 0 : 1];
    if (event.kind == KokkosKV::PageEvent::Kind::stored) {
      bool const is_new = !findable.contains({event.key, event.parent});
      ASSERT_TRUE(is_new || manager.options().hash != &KokkosKV::hash_page) << "stored twice";
      findable.emplace(event.key, event.parent);
      return;
    }
    auto const found = findable.find({event.key, event.parent});
    ASSERT_NE(found, findable.end()) << "removed what was not stored";
    findable.erase(found);
  }

  static std::vector<std::uint64_t> prefix_hashes(Sequence const& sequence) {
    std::vector<std::uint64_t> result;
    std::uint64_t hash = 0x9E3779B97F4A7C15u;
    auto const add     = [&](std::uint64_t word) {
      hash = (hash ^ word) * 0xFF51AFD7ED558CCDu;
      hash ^= hash >> 29;
    };
    for (auto const* part :
         {&sequence.domain.tenant, &sequence.domain.adapter, &sequence.domain.content}) {
      add(part->size());
      for (char const c : *part) add(static_cast<unsigned char>(c));
    }
    for (auto const token : sequence.tokens) {
      add(token);
      result.push_back(hash);
    }
    return result;
  }

  void expect_readable(KokkosKV::SequenceId id, std::uint32_t num_tokens) {
    auto hashes = prefix_hashes(sequences.at(id));
    hashes.resize(num_tokens);
    ASSERT_EQ(m_storage.read(manager.pages(id), num_tokens), hashes) << "sequence " << id;
  }

  ModelStorage& m_storage;
  std::uint32_t m_page_size;
  /// In the pool and in host pages; equal keys may come several times where hashes collide.
  std::multiset<Named> m_findable[2];
};

}  // namespace KokkosKVTest

#endif
