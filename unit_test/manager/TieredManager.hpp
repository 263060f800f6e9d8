// A manager with host pages, files and contents, for tests of what happens behind the pool.
#ifndef KOKKOSKV_TEST_TIEREDMANAGER_HPP
#define KOKKOSKV_TEST_TIEREDMANAGER_HPP

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <manager/KokkosKV_PageManager.hpp>

#include "ModelStorage.hpp"

namespace KokkosKVTest {

inline std::vector<std::uint32_t> counting(std::size_t count, std::uint32_t first = 1) {
  std::vector<std::uint32_t> result(count);
  std::iota(result.begin(), result.end(), first);
  return result;
}

/// A manager with contents: slots hold the token ids.
class TieredManager {
 public:
  TieredManager(KokkosKV::PageManagerOptions const& options, std::uint32_t num_host_pages,
                std::shared_ptr<KokkosKV::PageFileTier> files = nullptr)
      : m_storage(options, num_host_pages),
        m_transfer(std::make_shared<FaultyTransfer>(m_storage.transfer(), 1)),
        manager(options, KokkosKV::PageTiers{m_transfer, std::move(files)}) {}

 private:
  PlainStorage m_storage;
  std::shared_ptr<FaultyTransfer> m_transfer;

 public:
  KokkosKV::PageManager manager;

  void let_transfers_fail(bool fail) { m_transfer->set_failures(fail ? 100 : 0); }

  KokkosKV::StepLayout step(KokkosKV::SequenceId id) {
    KokkosKV::StepRequest const request{id};
    auto const layout = manager.prepare_step({&request, 1});
    if (!layout.fits()) return layout;
    auto const tokens = manager.tokens(id).subspan(layout.cache_lengths[0]);
    m_storage.run(manager, layout, {tokens.begin(), tokens.end()});
    manager.commit_step();
    return layout;
  }
  /// Creates a sequence and stores all of it.
  KokkosKV::SequenceId add(std::vector<std::uint32_t> const& tokens) {
    auto const id = manager.create(tokens);
    EXPECT_TRUE(step(id).fits());
    return id;
  }
  /// Whether a sequence reads what it has stored.
  void expect_whole(KokkosKV::SequenceId id) {
    auto const tokens = manager.tokens(id).first(manager.num_stored(id));
    EXPECT_EQ(m_storage.read(manager.pages(id), tokens.size()),
              std::vector<std::uint64_t>(tokens.begin(), tokens.end()));
  }
};

inline KokkosKV::PageFileOptions file_options(std::uint64_t num_pages) {
  KokkosKV::PageFileOptions options{
      .page_size = 4, .page_bytes = 4 * sizeof(std::uint64_t), .sync = false};
  options.capacity_bytes = num_pages * KokkosKV::Impl::page_file_bytes(options);
  return options;
}

}  // namespace KokkosKVTest

#endif
