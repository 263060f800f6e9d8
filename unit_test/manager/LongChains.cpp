// Long texts in pages of one token: what is hashed and copied grows with their length alone.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <manager/KokkosKV_PageManager.hpp>

#include "PageFileFixture.hpp"
#include "TieredManager.hpp"

namespace KokkosKVTest {

using namespace KokkosKV;

namespace {

constexpr std::uint32_t length = 20000;

/// A hash is a plain function: what it counts is not in an object.
std::uint64_t num_hashed = 0;
PageKey counted_hash(PageKey parent, std::span<std::uint32_t const> tokens) {
  ++num_hashed;
  return hash_page(parent, tokens);
}

/// Moves nothing, and counts.
struct CountedTransfer final : PageTransfer {
  explicit CountedTransfer(std::uint32_t num_host_pages) : none(num_host_pages) {}

  void download(std::span<PageCopy const> copies) override {
    ++num_downloads;
    num_copies += copies.size();
  }
  void upload(std::span<PageCopy const>) override {}
  std::span<std::byte const> read(std::uint32_t host_page) override {
    ++num_reads;
    return none.read(host_page);
  }
  void write(std::uint32_t, std::span<std::byte const>) override { ++num_writes; }
  std::uint32_t num_host_pages() const override { return none.num_host_pages(); }
  std::size_t page_bytes() const override { return none.page_bytes(); }

  NoPageTransfer none;
  std::uint64_t num_downloads = 0;
  std::uint64_t num_copies    = 0;
  std::uint64_t num_reads     = 0;
  std::uint64_t num_writes    = 0;
};

/// A pool for one text, where each evicts the one before.
struct LongChain {
  LongChain(std::uint32_t num_pages, std::uint32_t num_host_pages,
            std::shared_ptr<PageFileTier> files = nullptr)
      : transfer(std::make_shared<CountedTransfer>(num_host_pages)),
        manager({.num_pages = num_pages,
                 .page_size = 1,
                 .eviction  = EvictionKind::lru,
                 .hash      = &counted_hash},
                PageTiers{transfer, files}) {
    num_hashed = 0;
  }

  void step(SequenceId id, std::uint32_t max_rows = StepRequest::all_rows) {
    StepRequest const request{id, max_rows};
    ASSERT_TRUE(manager.prepare_step({&request, 1}).fits());
    manager.commit_step();
  }
  SequenceId add(std::size_t num_tokens, std::uint32_t first) {
    auto const id = manager.create(counting(num_tokens, first));
    step(id);
    return id;
  }

  std::shared_ptr<CountedTransfer> transfer;
  PageManager manager;
};

}  // namespace

TEST(LongChains, PagesAreHashedOnceToBeFoundAndOnceToBePublished) {
  LongChain chain(length, 0);
  auto const id = chain.add(length, 0);
  EXPECT_LE(num_hashed, 2 * length + 16);
  chain.manager.free(id);
  // Another text in their place: evicting needs no hash.
  num_hashed = 0;
  chain.add(length, length);
  EXPECT_LE(num_hashed, 2 * length + 16);
  EXPECT_EQ(chain.manager.statistics().evicted_pages, length);
}

TEST(LongChains, PartsThatAreStoredAreNotHashedAgain) {
  LongChain chain(2 * length, 0);
  auto const id = chain.manager.create(counting(length));
  while (chain.manager.num_stored(id) < length) chain.step(id, 64);
  EXPECT_LE(num_hashed, 3 * length);  // a few in each chunk are hashed ahead
  num_hashed = 0;
  for (std::uint32_t i = 0; i < length; ++i) {
    chain.manager.append(id, counting(1, length + i));
    chain.step(id);
  }
  EXPECT_LE(num_hashed, 2 * length);
  num_hashed = 0;
  for (auto i = 2 * length; i-- > length;) chain.manager.truncate(id, i);
  EXPECT_EQ(num_hashed, 0u);
}

TEST(LongChains, SwapsHashAPageOnce) {
  LongChain chain(length, length);
  auto const id = chain.add(length, 0);
  num_hashed    = 0;
  ASSERT_TRUE(chain.manager.swap_out(id).fits());
  EXPECT_EQ(num_hashed, 0u);
  ASSERT_TRUE(chain.manager.swap_in(id).fits());
  EXPECT_LE(num_hashed, length);
  EXPECT_EQ(chain.transfer->num_copies, length);
}

TEST(LongChains, PagesWhoseAncestorsFillHostPagesAreNotCopied) {
  constexpr std::uint32_t num_host_pages = 16;
  LongChain chain(length, num_host_pages);
  chain.manager.free(chain.add(length, 0));
  // For none of the pages that do not fit anything is looked for in host memory.
  std::uint64_t num_evicted = 0;
  chain.manager.set_event_callback([&](PageEvent const& event) {
    if (event.place == PageEvent::Place::host) {
      EXPECT_GE(num_evicted, length - num_host_pages);
    } else if (event.kind == PageEvent::Kind::removed) {
      ++num_evicted;
    }
  });
  chain.manager.free(chain.add(length, length));
  EXPECT_EQ(num_evicted, length);
  // The last one that fits takes all those before it along.
  EXPECT_EQ(chain.transfer->num_copies, num_host_pages);
  EXPECT_EQ(chain.manager.statistics().failed_transfers, 0u);
  EXPECT_EQ(chain.manager.count_cached_tokens(counting(length, 0)), num_host_pages);
}

TEST(LongChains, EvictedPagesOfAStepAreCopiedTogether) {
  LongChain chain(600, 2000);
  chain.manager.free(chain.add(600, 0));
  EXPECT_EQ(chain.transfer->num_downloads, 0u);
  chain.manager.free(chain.add(600, 600));
  EXPECT_EQ(chain.transfer->num_downloads, 1u);
  EXPECT_EQ(chain.transfer->num_copies, 600u);
}

TEST(LongChains, PagesAreReadAndWrittenToFilesOnce) {
  constexpr std::uint32_t num_pages = 2000;
  TemporaryFolder folder;
  PageFileOptions options{.page_size = 1, .page_bytes = 1, .sync = false};
  options.capacity_bytes = 2 * num_pages * Impl::page_file_bytes(options);
  auto files             = std::make_shared<PageFileTier>(folder.path(), options);
  LongChain chain(num_pages, num_pages, files);
  for (std::uint32_t i = 0; i < 3; ++i) chain.manager.free(chain.add(num_pages, i * num_pages));
  // The first text is in files, the second one in host pages.
  EXPECT_EQ(files->count(), num_pages);
  EXPECT_EQ(files->statistics().puts, num_pages);
  EXPECT_EQ(chain.transfer->num_reads, num_pages);
  EXPECT_EQ(chain.transfer->num_copies, 2 * num_pages);
  chain.manager.free(chain.add(num_pages, 0));
  EXPECT_EQ(files->statistics().gets, num_pages);
  EXPECT_EQ(chain.transfer->num_writes, num_pages);
  EXPECT_EQ(chain.manager.statistics().hit_host_pages, num_pages - 1);
}

}  // namespace KokkosKVTest
