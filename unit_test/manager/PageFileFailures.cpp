// The file tier where the system fails: at every operation, or killed after every operation.
#include <FaultyOperations.hpp>
#include <PageFileFixture.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <memory>

namespace KokkosKVTest {

using Fault = FaultyOperations::Fault;

class PageFileFailures : public PageFiles {
 protected:
  /// With all operations that there can be, and writes in more than one piece.
  static PageFileOptions synced(std::uint64_t pages) {
    auto result = options(pages);
    result.sync = true;
    return result;
  }

  /// A tier with pages 1 and 2, and 3 as child of 2: full where it has a capacity of 3.
  void open(std::uint64_t capacity) {
    tier.reset();
    for (auto const& entry : std::filesystem::directory_iterator(folder.path())) {
      std::filesystem::remove(entry);
    }
    operations = std::make_shared<FaultyOperations>();
    operations->limit_transfers(50);
    tier.emplace(folder.path(), synced(capacity), operations);
    tier->put(page(1));
    tier->put(page(2));
    tier->put(page(3, 2));
  }

  void expect_all(std::initializer_list<std::uint64_t> pages) {
    EXPECT_EQ(sorted_keys(*tier), keys_of(pages));
    for (auto const number : pages) {
      EXPECT_EQ(tier->get(key(number)), page(number, number == 3 ? 2 : 0)) << number;
    }
    EXPECT_TRUE(tier->refusals().empty());
    EXPECT_EQ(file_names(), names_of(pages));
  }

  /// Number of operations of a put of page 4.
  std::size_t count_operations(std::uint64_t capacity) {
    open(capacity);
    operations->plan(Fault::none, 0);
    EXPECT_TRUE(tier->put(page(4)));
    return operations->done();
  }

  std::shared_ptr<FaultyOperations> operations;
  std::optional<PageFileTier> tier;
};

// open, 3 + 1 writes of at most 50 bytes, sync, close, rename, and the removal of a victim.
TEST_F(PageFileFailures, TryEveryOperation) {
  EXPECT_EQ(count_operations(100), 8u);
  EXPECT_EQ(count_operations(3), 9u);
}

TEST_F(PageFileFailures, PutThatFailsChangesNothing) {
  for (std::uint64_t const capacity : {100, 3}) {
    auto const count = count_operations(capacity);
    for (std::size_t number = 0; number < count; ++number) {
      for (int const error : {ENOSPC, EIO, EACCES, EDQUOT}) {
        open(capacity);
        operations->plan(Fault::fail, number, error);
        EXPECT_THROW(tier->put(page(4)), PageFileError) << number;
        operations->plan(Fault::none, 0);
        expect_all({1, 2, 3});
        EXPECT_EQ(tier->statistics().puts, 3u);
        EXPECT_EQ(tier->statistics().evicted, 0u);
        EXPECT_TRUE(tier->put(page(4)));
        EXPECT_EQ(tier->get(key(4)), page(4));
      }
    }
  }
}

TEST_F(PageFileFailures, PutKilledAnywhereLeavesWholePages) {
  for (std::uint64_t const capacity : {100, 3}) {
    auto const count = count_operations(capacity);
    for (std::size_t number = 0; number < count; ++number) {
      SCOPED_TRACE(number);
      open(capacity);
      operations->plan(Fault::kill, number);
      EXPECT_THROW(tier->put(page(4)), Killed);
      tier.reset();
      tier.emplace(folder.path(), synced(100));
      bool const is_named   = number >= 7;
      bool const is_evicted = number >= 8;
      if (is_evicted) {
        expect_all({2, 3, 4});
      } else if (is_named) {
        expect_all({1, 2, 3, 4});
      } else {
        expect_all({1, 2, 3});
      }
      tier.reset();
      tier.emplace(folder.path(), synced(3));
      EXPECT_EQ(tier->count(), 3u);
    }
  }
}

TEST_F(PageFileFailures, GetThatFailsKeepsThePage) {
  open(100);
  operations->plan(Fault::none, 0);
  tier->get(key(1));
  auto const count = operations->done();
  EXPECT_GE(count, 4u);
  for (std::size_t number = 0; number < count; ++number) {
    operations->plan(Fault::fail, number);
    EXPECT_THROW(tier->get(key(1)), PageFileError) << number;
    operations->plan(Fault::kill, number);
    EXPECT_THROW(tier->get(key(1)), Killed) << number;
    operations->plan(Fault::none, 0);
    expect_all({1, 2, 3});
  }
}

TEST_F(PageFileFailures, InterruptedTransfersAreTakenUp) {
  open(100);
  for (std::size_t number = 1; number < 5; ++number) {
    operations->plan(Fault::fail, number, EINTR);
    EXPECT_TRUE(tier->put(page(3 + number)));
    operations->plan(Fault::fail, number, EINTR);
    EXPECT_EQ(tier->get(key(3 + number)), page(3 + number));
  }
}

TEST_F(PageFileFailures, FilesThatTakeNoMoreBytes) {
  open(100);
  operations->limit_transfers(0);
  expect_file_error(folder.path() / (file(4).filename().string() + ".partial"),
                    "cannot write: the file takes no more bytes", [&] { tier->put(page(4)); });
  operations->limit_transfers(1);
  expect_all({1, 2, 3});
}

TEST_F(PageFileFailures, RemoveThatFailsKeepsThePage) {
  open(100);
  operations->plan(Fault::fail, 0, EACCES);
  expect_file_error(file(1), "cannot remove: Permission denied", [&] { tier->remove(key(1)); });
  operations->plan(Fault::none, 0);
  expect_all({1, 2, 3});
}

TEST_F(PageFileFailures, DamagedFilesThatStay) {
  open(100);
  write_file(file(1), {'x'});
  // Opened, read twice (the second time there is nothing more), and not removed.
  operations->plan(Fault::fail, 3, EACCES);
  EXPECT_FALSE(tier->get(key(1)));
  ASSERT_EQ(tier->refusals().size(), 1u);
  EXPECT_EQ(tier->refusals()[0].reason, "the header is cut off after 1 bytes; cannot be removed");
  operations->plan(Fault::none, 0);
  EXPECT_TRUE(tier->put(page(1)));
  EXPECT_EQ(tier->get(key(1)), page(1));
}

TEST_F(PageFileFailures, ScanThatFails) {
  open(100);
  tier.reset();
  // The first file cannot be opened.
  operations->plan(Fault::fail, 0, EACCES);
  tier.emplace(folder.path(), synced(100), operations);
  EXPECT_EQ(tier->count(), 2u);
  ASSERT_EQ(tier->refusals().size(), 1u);
  EXPECT_EQ(tier->refusals()[0].reason, "cannot open: Permission denied");
  EXPECT_EQ(file_names(), names_of({1, 2, 3}));
}

TEST_F(PageFileFailures, FoldersThatCannotBeMade) {
  write_file(folder.path() / "file", {'x'});
  expect_file_error(folder.path() / "file", "cannot make the folder: Not a directory",
                    [&] { PageFileTier(folder.path() / "file", options()); });
  expect_file_error(folder.path() / "file" / "below", "cannot make the folder: Not a directory",
                    [&] { PageFileTier(folder.path() / "file" / "below", options()); });
}

// The same with a real end of a process: it stores pages until it is killed.
TEST_F(PageFileFailures, ProcessesKilledAtAnyTime) {
  for (int round = 0; round < 20; ++round) {
    SCOPED_TRACE(round);
    auto const child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      try {
        PageFileTier writer(folder.path(), options(30));
        for (std::uint64_t number = 1;; ++number) writer.put(page(number, (number - 1) % 7));
      } catch (...) {
        ::_exit(1);
      }
    }
    ::usleep(static_cast<useconds_t>(3000 + 1777 * round));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    PageFileTier reader(folder.path(), options(30));
    EXPECT_TRUE(reader.refusals().empty());
    for (auto const& found : reader.keys()) {
      EXPECT_EQ(reader.get(found), page(found.low, (found.low - 1) % 7));
    }
    EXPECT_EQ(file_names().size(), reader.count());
    EXPECT_LE(reader.count(), 30u);
  }
}

}  // namespace KokkosKVTest
