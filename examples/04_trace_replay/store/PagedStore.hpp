// StoredPages over the library: what an engine would call in each step.
#pragma once

#include <KokkosKV.hpp>
#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <manager/KokkosKV_PoolTransfer.hpp>
#include <manager/KokkosKV_StepBatch.hpp>

#include "common/FindWrongHead.hpp"
#include "common/Values.hpp"
#include "store/DeviceArray.hpp"
#include "store/PrefixSeeds.hpp"
#include "store/StoredPages.hpp"

namespace trace_replay {

/// Seeds of rows, from those of their tokens.
struct RowSeeds {
  Kokkos::View<std::uint32_t const*, memory_space> tokens;

  /// \param plane  0 for keys, 1 for values
  KOKKOS_FUNCTION std::uint32_t operator()(std::size_t row, std::uint32_t plane) const {
    return example::mix(tokens(row) + plane);
  }
};

/// The rows of a step, as input of a store.
struct RowValues {
  RowSeeds seeds;
  std::uint32_t plane;
  int head_size;

  KOKKOS_FUNCTION float operator()(std::size_t row, int head, int dim) const {
    auto const element = static_cast<std::uint32_t>(head * head_size + dim);
    return Kokkos::bit_cast<float>(example::value_bits<float>(seeds(row, plane), element));
  }
};

/// Keys and values of one layer in float.
template <int PageSize>
class PagedStore final : public StoredPages {
 public:
  static constexpr KokkosKV::KVCacheStaticParams params{2, 8};  ///< heads, head size
  /// `[pages, keys and values, layers, page size, heads, head size]`
  using blocks_type = Kokkos::View<float*** [PageSize][params.num_heads][params.head_size],
                                   Kokkos::LayoutRight, memory_space>;

  explicit PagedStore(std::uint32_t num_pages)
      : m_blocks("trace_replay::blocks", num_pages, 2, 1), m_batcher(m_exec, 1, 1) {}

  blocks_type const& blocks() const { return m_blocks; }
  std::uint64_t rows_compared() const override { return m_rows_compared; }

  /// Stores the step's rows, and then reads back what sequences found in the cache: some of that
  /// may have been stored in this very step.
  void step(KokkosKV::PageManager const& manager, KokkosKV::StepLayout const& layout) override {
    auto const batch = m_batcher.load(m_exec, manager, layout);
    auto const cache = KokkosKV::generic_get_paged_cache<params, PageSize>(
        m_blocks, batch.cache_lengths, batch.lookup_table, batch.max_prompt_length,
        batch.max_cache_length);
    batch.copy_pages(m_exec, cache);
    load_seeds(manager, layout);
    RowSeeds const seeds{m_row_seeds.view()};
    KokkosKV::kv_cache_store_ragged_key_value(
        m_exec, cache.get_key_cache(0), cache.get_value_cache(0),
        KokkosKV::RaggedShape{batch.num_rows, params.num_heads, params.head_size},
        batch.row_offsets, RowValues{seeds, 0, params.head_size},
        RowValues{seeds, 1, params.head_size});
    for (std::size_t i = 0; i < layout.sequences.size(); ++i) {
      auto const id      = layout.sequences[i];
      auto& sequence     = m_sequences[id];
      auto const length  = layout.cache_lengths[i];
      auto const version = manager.table_version(id);
      // Pages are new to a sequence that is found in the cache, or that was away.
      if (length > sequence.num_known || (length > 0 && version != sequence.table_version)) {
        compare(cache, i, id, length);
      }
      sequence.num_known     = length + layout.row_offsets[i + 1] - layout.row_offsets[i];
      sequence.table_version = version;
    }
  }

  std::shared_ptr<KokkosKV::PageTransfer> make_transfer(std::uint32_t num_host_pages) override {
    using transfer_type = KokkosKV::PoolTransfer<execution_space, blocks_type>;
    return std::make_shared<transfer_type>(m_exec, m_blocks, num_host_pages);
  }

  void end(KokkosKV::SequenceId id) override { m_sequences.erase(id); }

 private:
  using execution_space = Kokkos::DefaultExecutionSpace;

  struct Sequence {
    PrefixSeeds prefixes;
    std::uint32_t num_known     = 0;  ///< tokens that it stored or compared
    std::uint32_t table_version = 0;  ///< as of its last step
  };

  /// Seeds of the step's rows.
  void load_seeds(KokkosKV::PageManager const& manager, KokkosKV::StepLayout const& layout) {
    m_host_seeds.clear();
    for (std::size_t i = 0; i < layout.sequences.size(); ++i) {
      auto& prefixes = m_sequences[layout.sequences[i]].prefixes;
      prefixes.extend(manager.tokens(layout.sequences[i]));
      auto const rows = prefixes.seeds().subspan(layout.cache_lengths[i],
                                                 layout.row_offsets[i + 1] - layout.row_offsets[i]);
      m_host_seeds.insert(m_host_seeds.end(), rows.begin(), rows.end());
    }
    m_row_seeds.assign(m_host_seeds);
  }

  /// Reads the first `length` tokens of a sequence back.
  template <class Collection>
  void compare(Collection const& collection, std::size_t slot, KokkosKV::SequenceId id,
               std::uint32_t length) {
    using cache_type = typename Collection::cache_type;
    m_sequence_seeds.assign(m_sequences[id].prefixes.seeds().first(length));
    Kokkos::View<cache_type*, memory_space> const planes("trace_replay::planes", 2);
    auto const host_planes = Kokkos::create_mirror_view(planes);
    host_planes(0)         = collection.get_key_cache(0);
    host_planes(1)         = collection.get_value_cache(0);
    Kokkos::deep_copy(planes, host_planes);
    example::FindWrongHead<cache_type, RowSeeds> const search{
        planes, static_cast<std::uint32_t>(slot), {m_sequence_seeds.view()}, length};
    auto const wrong = search.run();
    if (wrong < search.num_heads()) {
      auto const heads = static_cast<std::size_t>(params.num_heads);
      throw WrongPage("sequence " + std::to_string(id) + ": the cached " +
                      (wrong / heads / length == 0 ? "key" : "value") + " of token " +
                      std::to_string(wrong / heads % length) + ", head " +
                      std::to_string(wrong % heads) + " is not that of its prefix");
    }
    m_rows_compared += 2 * std::uint64_t(length);
  }

  execution_space m_exec;
  blocks_type m_blocks;
  KokkosKV::StepBatcher<execution_space> m_batcher;
  DeviceArray m_row_seeds{"trace_replay::row_seeds"};
  DeviceArray m_sequence_seeds{"trace_replay::sequence_seeds"};
  std::vector<std::uint32_t> m_host_seeds;
  std::unordered_map<KokkosKV::SequenceId, Sequence> m_sequences;
  std::uint64_t m_rows_compared = 0;
};

}  // namespace trace_replay
