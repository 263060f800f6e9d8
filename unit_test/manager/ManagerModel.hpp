// A plain model of what a PageManager must do, and a cache of prefix hashes that it is checked
// with.
#ifndef KOKKOSKV_TEST_MANAGERMODEL_HPP
#define KOKKOSKV_TEST_MANAGERMODEL_HPP

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <manager/KokkosKV_PageManager.hpp>
#include <reference/Random.hpp>

namespace KokkosKVTest {

/// Tokens of every sequence outright, and in place of keys and values a number for each slot that
/// stands for all tokens up to it.
class ManagerModel {
 public:
  struct Sequence {
    std::vector<std::uint32_t> tokens;
    KokkosKV::PrefixDomain domain;
    std::uint32_t num_stored = 0;
  };

  explicit ManagerModel(KokkosKV::PageManagerOptions const& options)
      : manager(options),
        slots(std::size_t(options.num_pages) * options.page_size, 0),
        m_page_size(options.page_size) {}

  KokkosKV::PageManager manager;
  std::map<KokkosKV::SequenceId, Sequence> sequences;
  std::vector<std::uint64_t> slots;

  /// Does what the kernels of a step do.
  void run_step(KokkosKV::StepLayout const& layout) {
    for (auto const& copy : layout.copies) {
      for (std::uint32_t i = 0; i < m_page_size; ++i)
        slots[slot(copy.destination, i)] = slots[slot(copy.source, i)];
    }
    for (std::size_t i = 0; i < layout.sequences.size(); ++i) {
      auto const id     = layout.sequences[i];
      auto const pages  = manager.pages(id);
      auto const hashes = prefix_hashes(sequences.at(id));
      auto const begin  = layout.cache_lengths[i];
      auto const rows   = layout.row_offsets[i + 1] - layout.row_offsets[i];
      for (auto t = begin; t < begin + rows; ++t)
        slots[slot(pages[t / m_page_size], t % m_page_size)] = hashes[t];
    }
    // What the step's attention reads.
    for (std::size_t i = 0; i < layout.sequences.size(); ++i) {
      auto const rows = layout.row_offsets[i + 1] - layout.row_offsets[i];
      expect_readable(layout.sequences[i], layout.cache_lengths[i] + rows);
    }
  }

  /// All that must hold between steps.
  void check() const {
    std::vector<std::uint32_t> references(manager.options().num_pages, 0);
    for (auto const& [id, sequence] : sequences) {
      ASSERT_EQ(manager.num_stored(id), sequence.num_stored) << id;
      ASSERT_TRUE(std::equal(sequence.tokens.begin(), sequence.tokens.end(),
                             manager.tokens(id).begin(), manager.tokens(id).end()));
      ASSERT_EQ(manager.pages(id).size(), (sequence.num_stored + m_page_size - 1) / m_page_size);
      expect_readable(id, sequence.num_stored);
      for (auto const page : manager.pages(id)) ++references[page];
    }
    std::uint32_t used = 0;
    for (std::uint32_t page = 0; page < references.size(); ++page) {
      ASSERT_EQ(manager.num_references(page), references[page]) << page;
      used += references[page] > 0 ? 1 : 0;
    }
    auto const counts = manager.page_counts();
    ASSERT_EQ(counts.used, used);
    ASSERT_EQ(counts.free + counts.cached + counts.used, references.size());
    ASSERT_EQ(manager.num_sequences(), sequences.size());
  }

 private:
  std::size_t slot(std::uint32_t page, std::uint32_t index) const {
    return std::size_t(page) * m_page_size + index;
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

  void expect_readable(KokkosKV::SequenceId id, std::uint32_t num_tokens) const {
    auto const pages  = manager.pages(id);
    auto const hashes = prefix_hashes(sequences.at(id));
    for (std::uint32_t t = 0; t < num_tokens; ++t) {
      ASSERT_EQ(slots[slot(pages[t / m_page_size], t % m_page_size)], hashes[t])
          << "sequence " << id << ", token " << t;
    }
  }

  std::uint32_t m_page_size;
};

}  // namespace KokkosKVTest

#endif
