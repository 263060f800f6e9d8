// PageManager against the model with a real cache: pages are written by the store, copied by
// copy_pages(), and moved to host memory and back by PoolTransfer.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <cache/KokkosKV_PagedCache.hpp>
#include <manager/KokkosKV_PageManager.hpp>
#include <manager/KokkosKV_PoolTransfer.hpp>
#include <manager/KokkosKV_StepBatch.hpp>
#include <store/KokkosKV_StoreRagged.hpp>

#include "RandomSteps.hpp"

namespace KokkosKVTest {

using namespace KokkosKV;

namespace {

/// A number in parts that float holds exactly.
constexpr int num_parts = 4;

float part_of(std::uint64_t number, int part) {
  return static_cast<float>((number >> (16 * part)) & 0xFFFF);
}

std::uint64_t joined(float const (&parts)[num_parts]) {
  std::uint64_t result = 0;
  for (int i = 0; i < num_parts; ++i) result |= static_cast<std::uint64_t>(parts[i]) << (16 * i);
  return result;
}

/// Keys are the numbers, values their complements.
template <int PageSize>
class KernelStorage final : public ModelStorage {
  using exec_space   = Kokkos::DefaultExecutionSpace;
  using memory_space = exec_space::memory_space;
  using blocks_type  = Kokkos::View<float*** [PageSize][1][num_parts], memory_space>;
  using rows_type    = Kokkos::View<float* [1][num_parts], Kokkos::LayoutRight, memory_space>;

 public:
  KernelStorage(PageManagerOptions const& options, std::uint32_t num_host_pages)
      : m_blocks("blocks", options.num_pages, 2, 1),
        m_transfer(std::make_shared<PoolTransfer<exec_space, blocks_type>>(m_exec, m_blocks,
                                                                           num_host_pages)),
        m_batcher(m_exec, 4, 4) {}

  std::shared_ptr<PageTransfer> transfer() override { return m_transfer; }

  void run(PageManager const& manager, StepLayout const& layout,
           std::vector<std::uint64_t> const& rows) override {
    auto const batch = m_batcher.load(m_exec, manager, layout);
    auto const pool =
        generic_get_paged_cache(m_blocks, batch.cache_lengths, batch.lookup_table,
                                batch.max_prompt_length, batch.max_cache_length, unchecked);
    batch.copy_pages(m_exec, pool);
    rows_type const keys("keys", rows.size()), values("values", rows.size());
    auto const host_keys   = Kokkos::create_mirror_view(keys);
    auto const host_values = Kokkos::create_mirror_view(values);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (int part = 0; part < num_parts; ++part) {
        host_keys(row, 0, part)   = part_of(rows[row], part);
        host_values(row, 0, part) = part_of(~rows[row], part);
      }
    }
    Kokkos::deep_copy(m_exec, keys, host_keys);
    Kokkos::deep_copy(m_exec, values, host_values);
    kv_cache_store_ragged_key_value(m_exec, pool.get_key_cache(0), pool.get_value_cache(0),
                                    batch.row_offsets, keys, values);
    m_exec.fence();
  }

  std::vector<std::uint64_t> read(std::span<std::uint32_t const> pages,
                                  std::size_t num_tokens) override {
    auto const blocks = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, m_blocks);
    std::vector<std::uint64_t> result(num_tokens);
    for (std::size_t t = 0; t < num_tokens; ++t) {
      float key[num_parts], value[num_parts];
      for (int part = 0; part < num_parts; ++part) {
        key[part]   = blocks(pages[t / PageSize], 0, 0, t % PageSize, 0, part);
        value[part] = blocks(pages[t / PageSize], 1, 0, t % PageSize, 0, part);
      }
      result[t] = joined(key);
      EXPECT_EQ(joined(value), ~result[t]);
    }
    return result;
  }

 private:
  exec_space m_exec;
  blocks_type m_blocks;
  std::shared_ptr<PageTransfer> m_transfer;
  StepBatcher<exec_space> m_batcher;
};

template <int PageSize>
void run_kernel_steps(PageManagerOptions options, std::uint64_t seed) {
  options.page_size = PageSize;
  KernelStorage<PageSize> storage(options, options.num_pages);
  auto const transfer = std::make_shared<FaultyTransfer>(storage.transfer(), seed);
  RandomSteps steps(options, storage, {transfer, nullptr}, seed);
  transfer->set_failures(5);
  steps.run(70000);
  steps.finish();
  auto const& statistics = steps.manager().statistics();
  EXPECT_GT(statistics.hit_host_pages, 0u);
  EXPECT_GT(statistics.swapped_in, 0u);
  // A page of one token is never written twice.
  EXPECT_EQ(statistics.copied_pages > 0, PageSize > 1);
}

}  // namespace

TEST(KernelModel, PagesOfOneToken) { run_kernel_steps<1>({.num_pages = 150}, 1); }

TEST(KernelModel, OddPages) { run_kernel_steps<3>({.num_pages = 60}, 2); }

TEST(KernelModel, PartsOfPages) {
  run_kernel_steps<8>({.num_pages = 40, .reuse_partial_pages = true}, 3);
}

}  // namespace KokkosKVTest
