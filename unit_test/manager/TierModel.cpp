// PageManager with host pages and files against the model, by random operations of which some fail.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

#include <manager/KokkosKV_PageManager.hpp>

#include "PageFileFixture.hpp"
#include "RandomSteps.hpp"

namespace KokkosKVTest {

using namespace KokkosKV;

PageKey hash_of_few_bits(PageKey parent, std::span<std::uint32_t const> tokens) {
  return {hash_page(parent, tokens).low & 15, 0};
}

/// Writes and renames of files fail now and then.
class UnreliableDisk final : public Impl::PageFileOperations {
 public:
  void set_failures(unsigned percent) { m_percent = percent; }

  ssize_t write(int file, std::byte const* from, std::size_t count) override {
    return fails() ? -1 : PageFileOperations::write(file, from, count);
  }
  ssize_t read(int file, std::byte* to, std::size_t count) override {
    return fails() ? -1 : PageFileOperations::read(file, to, count);
  }
  int rename(std::filesystem::path const& from, std::filesystem::path const& to) override {
    return fails() ? -1 : PageFileOperations::rename(from, to);
  }

 private:
  bool fails() {
    if (m_percent == 0 || !m_random.chance(m_percent)) return false;
    errno = EIO;
    return true;
  }

  Random m_random{77};
  unsigned m_percent = 0;
};

/// A manager with tiers, and what may fail below it.
class TieredSteps {
 public:
  TieredSteps(PageManagerOptions const& options, std::uint32_t num_host_pages,
              std::uint64_t num_files, std::uint64_t seed)
      : m_storage(options, num_host_pages),
        m_transfer(std::make_shared<FaultyTransfer>(m_storage.transfer(), seed)),
        m_disk(std::make_shared<UnreliableDisk>()),
        m_random(seed) {
    if (num_files > 0) open_files(options, num_files);
    m_steps =
        std::make_unique<RandomSteps>(options, m_storage, PageTiers{m_transfer, m_files}, seed);
  }

  RandomSteps& steps() { return *m_steps; }
  void set_failures(unsigned percent) {
    m_transfer->set_failures(percent);
    m_disk->set_failures(percent);
  }
  PageFileTier& files() { return *m_files; }

  /// Flips a bit, cuts off, or removes a file.
  void damage_a_file() {
    std::vector<std::filesystem::path> paths;
    for (auto const& entry : std::filesystem::directory_iterator(m_folder.path())) {
      if (entry.is_regular_file() && entry.file_size() > 0) paths.push_back(entry.path());
    }
    if (paths.empty()) return;
    auto const& path = paths[m_random.below(paths.size())];
    auto bytes       = read_file(path);
    if (bytes.empty() || m_random.chance(20)) {
      std::filesystem::remove(path);
      return;
    }
    if (m_random.chance(50)) {
      bytes.resize(m_random.below(bytes.size()));
    } else {
      bytes[m_random.below(bytes.size())] ^= static_cast<char>(1 << m_random.below(8));
    }
    write_file(path, bytes);
  }

 private:
  void open_files(PageManagerOptions const& options, std::uint64_t num_files) {
    PageFileOptions files{
        .page_size = options.page_size, .page_bytes = m_transfer->page_bytes(), .sync = false};
    files.capacity_bytes = num_files * Impl::page_file_bytes(files);
    m_files              = std::make_shared<PageFileTier>(m_folder.path(), files, m_disk);
  }

  TemporaryFolder m_folder;
  PlainStorage m_storage;
  std::shared_ptr<FaultyTransfer> m_transfer;
  std::shared_ptr<UnreliableDisk> m_disk;
  std::shared_ptr<PageFileTier> m_files;
  Random m_random;
  std::unique_ptr<RandomSteps> m_steps;
};

TEST(TierModel, HostPages) {
  for (std::uint32_t const num_host_pages : {200, 40, 3}) {
    SCOPED_TRACE(num_host_pages);
    TieredSteps tiered({.num_pages = 60, .page_size = 4}, num_host_pages, 0, num_host_pages);
    tiered.steps().run(30000);
    tiered.steps().finish();
    auto const& statistics = tiered.steps().manager().statistics();
    EXPECT_GT(statistics.hit_host_pages, 0u);
    EXPECT_GT(statistics.kept_pages, 0u);
    EXPECT_GT(statistics.swapped_in, 0u);
    EXPECT_EQ(statistics.lost_tokens, 0u);
  }
}

TEST(TierModel, TransfersFail) {
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    TieredSteps tiered(
        {.num_pages = 50, .page_size = 3, .hash = &hash_of_few_bits, .reuse_partial_pages = true},
        60, 0, seed);
    tiered.set_failures(20);
    tiered.steps().run(20000);
    tiered.steps().finish();
    EXPECT_GT(tiered.steps().num_failed(), 0u);
    EXPECT_GT(tiered.steps().manager().statistics().failed_transfers, 0u);
    EXPECT_GT(tiered.steps().manager().statistics().swapped_in, 0u);
  }
}

TEST(TierModel, MemoryFails) {
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    TieredSteps tiered({.num_pages = 50, .page_size = 3, .reuse_partial_pages = seed == 2}, 30,
                       seed == 3 ? 100 : 0, seed);
    tiered.steps().let_memory_fail();
    tiered.steps().run(20000);
    tiered.steps().finish();
    EXPECT_GT(tiered.steps().num_failed(), 1000u);
    EXPECT_GT(tiered.steps().manager().statistics().swapped_in, 0u);
  }
}

TEST(TierModel, Files) {
  TieredSteps tiered({.num_pages = 40, .page_size = 4}, 20, 400, 7);
  tiered.steps().run(20000);
  tiered.steps().finish();
  auto const& statistics = tiered.steps().manager().statistics();
  EXPECT_GT(statistics.swapped_to_files, 0u);
  EXPECT_GT(statistics.hit_file_pages, 0u);
  EXPECT_EQ(statistics.failed_files, 0u);
}

TEST(TierModel, FilesFailAndAreDamaged) {
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    TieredSteps tiered({.num_pages = 40, .page_size = 4, .hash = &hash_of_few_bits}, 20, 60, seed);
    tiered.set_failures(3);
    for (int i = 0; i < 400; ++i) {
      tiered.steps().run(50);
      tiered.damage_a_file();
    }
    tiered.steps().finish();
    auto const& statistics = tiered.steps().manager().statistics();
    EXPECT_GT(statistics.swapped_to_files, 0u);
    EXPECT_GT(statistics.hit_file_pages, 0u);
    EXPECT_GT(statistics.failed_files, 0u);
    EXPECT_GT(statistics.lost_tokens, 0u);
    EXPECT_GT(tiered.files().statistics().evicted, 0u);
  }
}

}  // namespace KokkosKVTest
