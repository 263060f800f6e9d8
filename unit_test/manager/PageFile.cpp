// The file tier where nothing goes wrong: round trips, capacity, order, restarts, the lock.
#include <PageFileFixture.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <span>
#include <string_view>
#include <support/Refusal.hpp>
#include <tuple>
#include <unordered_set>

namespace KokkosKVTest {

using KokkosKV::ConflictError;
using KokkosKV::ShapeError;

TEST(PageKeys, AsText) {
  EXPECT_EQ(to_text(PageKey{0xFEDCBA9876543210u, 0x0123456789ABCDEFu}),
            "0123456789abcdeffedcba9876543210");
  EXPECT_EQ(to_text(null_page_key), std::string(32, '0'));
}

TEST(PageKeys, CompareAndHash) {
  EXPECT_LT((PageKey{1, 2}), (PageKey{2, 1}));
  EXPECT_NE((PageKey{1, 2}), (PageKey{1, 3}));
  std::unordered_set<PageKey> const keys = {{1, 2}, {2, 1}, {1, 2}};
  EXPECT_EQ(keys.size(), 2u);
}

TEST(PageFileChecksums, AreThoseOfTheStandard) {
  std::string_view const digits = "123456789";
  auto const bytes              = std::as_bytes(std::span(digits));
  EXPECT_EQ(KokkosKV::Impl::page_checksum(bytes, 0), 0x995DC9BBDF1939FAu);
  // A checksum can be taken up where it was left off, at any place.
  for (std::size_t first = 0; first <= bytes.size(); ++first) {
    auto const begin = KokkosKV::Impl::page_checksum(bytes.first(first), 0);
    EXPECT_EQ(KokkosKV::Impl::page_checksum(bytes.subspan(first), begin), 0x995DC9BBDF1939FAu);
  }
}

TEST(PageFileNames, OnlyWhatWouldBeWrittenIsParsed) {
  using KokkosKV::Impl::PageFileName;
  std::string const whole = "00000000000000ff-0123456789abcdeffedcba9876543210.page";
  auto const name         = PageFileName::parse(whole);
  ASSERT_TRUE(name);
  EXPECT_EQ(name->model_tag, 0xFFu);
  EXPECT_EQ(name->key, (PageKey{0xFEDCBA9876543210u, 0x0123456789ABCDEFu}));
  EXPECT_FALSE(name->partial);
  ASSERT_TRUE(PageFileName::parse(whole + ".partial"));
  EXPECT_TRUE(PageFileName::parse(whole + ".partial")->partial);
  for (std::string const& other :
       {std::string(), std::string(".page"), whole + "x", whole.substr(1), "0" + whole,
        whole + ".partial.partial", "00000000000000FF" + whole.substr(16),
        "0x000000000000ff" + whole.substr(16), "00000000000000ff_" + whole.substr(17)}) {
    EXPECT_FALSE(PageFileName::parse(other)) << other;
  }
}

TEST_F(PageFiles, ComeBackAsTheyWere) {
  PageFileTier tier(folder.path() / "made" / "when missing", options());
  EXPECT_FALSE(tier.contains(key(1)));
  EXPECT_FALSE(tier.get(key(1)));
  EXPECT_TRUE(tier.put(page(1)));
  EXPECT_TRUE(tier.put(page(2, 1)));
  EXPECT_TRUE(tier.contains(key(1)));
  EXPECT_EQ(tier.get(key(1)), page(1));
  EXPECT_EQ(tier.get(key(2)), page(2, 1));
  EXPECT_EQ(tier.count(), 2u);
  EXPECT_EQ(tier.file_bytes(), file_bytes);
  EXPECT_EQ(tier.size_bytes(), 2 * file_bytes);
  EXPECT_EQ(tier.capacity_bytes(), 100 * file_bytes);
  tier.remove(key(1));
  tier.remove(key(1));
  EXPECT_FALSE(tier.contains(key(1)));
  EXPECT_FALSE(tier.get(key(1)));
  EXPECT_EQ(sorted_keys(tier), keys_of({2}));

  auto const statistics = tier.statistics();
  EXPECT_EQ(statistics.pages, 1u);
  EXPECT_EQ(statistics.bytes, file_bytes);
  EXPECT_EQ(statistics.puts, 2u);
  EXPECT_EQ(statistics.gets, 4u);
  EXPECT_EQ(statistics.hits, 2u);
  EXPECT_EQ(statistics.refused, 0u);
  EXPECT_EQ(statistics.evicted, 0u);
}

TEST_F(PageFiles, OfAnySize) {
  for (std::uint32_t const page_size : {1u, 16u, 256u}) {
    for (std::uint64_t const page_bytes : {1u, 7u, 4096u, 3'000'001u}) {
      auto sizes           = options();
      sizes.page_size      = page_size;
      sizes.page_bytes     = page_bytes;
      sizes.capacity_bytes = 1u << 30;
      sizes.sync           = true;
      TemporaryFolder const own;
      PageFileTier(own.path(), sizes).put(page(1, 0, sizes));
      EXPECT_EQ(PageFileTier(own.path(), sizes).get(key(1)), page(1, 0, sizes));
    }
  }
}

// The layout is a promise to files that are there already.
TEST_F(PageFiles, HaveTheLayoutThatIsDocumented) {
  store_chain(2);
  auto const bytes = read_file(file(2));
  ASSERT_EQ(bytes.size(), file_bytes);
  auto const number = [&](std::size_t at, std::size_t count) {
    std::uint64_t value = 0;
    while (count-- > 0) value = value << 8 | static_cast<unsigned char>(bytes[at + count]);
    return value;
  };
  auto const stored = page(2, 1);
  EXPECT_EQ(std::string(bytes.data(), 8), "KKVPAGE\n");
  EXPECT_EQ(number(8, 4), 1u);
  EXPECT_EQ(number(12, 4), 4u);
  EXPECT_EQ(number(16, 8), 0xABCDu);
  EXPECT_EQ(number(24, 8), stored.key.low);
  EXPECT_EQ(number(32, 8), stored.key.high);
  EXPECT_EQ(number(40, 8), stored.parent.low);
  EXPECT_EQ(number(48, 8), stored.parent.high);
  EXPECT_EQ(number(56, 8), stored.salt);
  EXPECT_EQ(number(64, 8), 40u);
  for (std::size_t token = 0; token < 4; ++token) {
    EXPECT_EQ(number(96 + 4 * token, 4), stored.tokens[token]);
  }
  for (std::size_t byte = 0; byte < 40; ++byte) {
    EXPECT_EQ(number(112 + byte, 1), std::to_integer<std::uint64_t>(stored.bytes[byte]));
  }
}

TEST_F(PageFiles, AreForTheirOwnerAlone) {
  store_chain(1);
  EXPECT_EQ(std::filesystem::status(file(1)).permissions() & std::filesystem::perms::mask,
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(PageFiles, ThatAreThereAreNotReplaced) {
  PageFileTier tier(folder.path(), options());
  tier.put(page(1));
  auto other = page(1);
  other.tokens[0] += 1;
  EXPECT_TRUE(tier.put(other));
  EXPECT_EQ(tier.get(key(1)), page(1));
  EXPECT_EQ(tier.statistics().puts, 1u);
}

TEST_F(PageFiles, SurviveRestarts) {
  store_chain(5);
  for (int restart = 0; restart < 3; ++restart) {
    PageFileTier tier(folder.path(), options());
    EXPECT_EQ(tier.keys(), (std::vector{key(1), key(2), key(3), key(4), key(5)}));
    for (std::uint64_t number = 1; number <= 5; ++number) {
      EXPECT_EQ(tier.get(key(number)), page(number, number - 1));
    }
    EXPECT_TRUE(tier.refusals().empty());
  }
}

TEST_F(PageFiles, AreVisitedParentsFirst) {
  // Two trees, stored in an order that is none of a tree, and a page whose parent is not there.
  std::map<std::uint64_t, std::uint64_t> const parents = {{1, 0}, {2, 1}, {3, 2}, {4, 2}, {5, 1},
                                                          {6, 0}, {7, 6}, {8, 7}, {9, 99}};
  {
    PageFileTier tier(folder.path(), options());
    for (std::uint64_t const number : {8, 3, 9, 4, 7, 2, 1, 6, 5}) {
      tier.put(page(number, parents.at(number)));
    }
    EXPECT_EQ(tier.count(), parents.size());
  }
  PageFileTier tier(folder.path(), options());
  std::unordered_set<PageKey> seen = {null_page_key, key(99)};
  tier.visit([&](PageKey const& found, PageKey const& parent, std::uint64_t salt,
                 std::span<std::uint32_t const> tokens) {
    EXPECT_TRUE(seen.contains(parent)) << to_text(found);
    EXPECT_TRUE(seen.insert(found).second) << to_text(found);
    auto const stored = page(found.low, parents.at(found.low));
    EXPECT_EQ(parent, stored.parent);
    EXPECT_EQ(salt, stored.salt);
    EXPECT_TRUE(
        std::equal(tokens.begin(), tokens.end(), stored.tokens.begin(), stored.tokens.end()));
  });
  EXPECT_EQ(seen.size(), parents.size() + 2);
}

TEST_F(PageFiles, UnusedForLongestGoFirst) {
  PageFileTier tier(folder.path(), options(3));
  for (std::uint64_t const number : {1, 2, 3}) tier.put(page(number));
  tier.get(key(1));
  tier.put(page(2));  // is there, counts as used
  tier.put(page(4));
  EXPECT_EQ(sorted_keys(tier), keys_of({1, 2, 4}));
  EXPECT_EQ(file_names(), names_of({1, 2, 4}));
  tier.put(page(5));
  EXPECT_EQ(sorted_keys(tier), keys_of({2, 4, 5}));
  EXPECT_EQ(tier.size_bytes(), tier.capacity_bytes());
  EXPECT_EQ(tier.statistics().evicted, 2u);
}

TEST_F(PageFiles, WithChildrenStayLonger) {
  PageFileTier tier(folder.path(), options(4));
  tier.put(page(1));
  tier.put(page(2, 1));
  tier.put(page(3, 1));
  tier.put(page(4));
  tier.put(page(5));  // 1 was used before 2, but has children
  EXPECT_EQ(sorted_keys(tier), keys_of({1, 3, 4, 5}));
  tier.put(page(6));
  EXPECT_EQ(sorted_keys(tier), keys_of({1, 4, 5, 6}));
  tier.put(page(7));  // now it has none
  EXPECT_EQ(sorted_keys(tier), keys_of({4, 5, 6, 7}));
}

TEST_F(PageFiles, WhoseAncestorsFillTheCapacityAreNotKept) {
  PageFileTier tier(folder.path(), options(3));
  for (std::uint64_t const number : {1, 2, 3}) EXPECT_TRUE(tier.put(page(number, number - 1)));
  EXPECT_FALSE(tier.put(page(4, 3)));
  EXPECT_FALSE(tier.contains(key(4)));
  EXPECT_EQ(file_names(), names_of({1, 2, 3}));
  // Another text takes the place of the end of this one.
  EXPECT_TRUE(tier.put(page(5)));
  EXPECT_EQ(sorted_keys(tier), keys_of({1, 2, 5}));
}

TEST_F(PageFiles, ThatAreTheirOwnAncestorsDoNoHarm) {
  PageFileTier tier(folder.path(), options(2));
  tier.put(page(1, 2));
  tier.put(page(2, 1));
  EXPECT_EQ(sorted_keys(tier), keys_of({1, 2}));
  EXPECT_TRUE(tier.put(page(3)));
  EXPECT_EQ(sorted_keys(tier), keys_of({2, 3}));
}

TEST_F(PageFiles, ThatNoLongerFitGoWithTheRestart) {
  {
    PageFileTier tier(folder.path(), options());
    for (std::uint64_t const number : {4, 2, 3, 1}) tier.put(page(number));
  }
  // The order of writing is taken from the files, whose clock may be coarse.
  auto time = std::filesystem::file_time_type::clock::now();
  for (std::uint64_t const number : {4, 2, 3, 1}) {
    std::filesystem::last_write_time(file(number), time += std::chrono::seconds(1));
  }
  PageFileTier tier(folder.path(), options(2));
  EXPECT_EQ(sorted_keys(tier), keys_of({1, 3}));
  EXPECT_EQ(file_names(), names_of({1, 3}));
  EXPECT_EQ(tier.statistics().evicted, 2u);
}

// Model: a map of what was put and neither removed nor evicted.
TEST_F(PageFiles, FollowAModel) {
  Random random(1);
  std::map<std::uint64_t, StoredPage> model;
  std::optional<PageFileTier> tier;
  for (int step = 0; step < 3000; ++step) {
    if (!tier || random.chance(1)) {
      tier.reset();
      tier.emplace(folder.path(), options(20));
    }
    auto const number = random.between(1, 60);
    if (random.chance(10)) {
      tier->remove(key(number));
    } else if (random.chance(40)) {
      EXPECT_EQ(tier->get(key(number)).has_value(), model.contains(number));
    } else if (auto const stored = page(number, number / 3); tier->put(stored)) {
      model.emplace(number, stored);
    }
    std::erase_if(model, [&](auto const& each) { return !tier->contains(key(each.first)); });
    ASSERT_EQ(tier->count(), model.size());
    ASSERT_LE(tier->size_bytes(), tier->capacity_bytes());
  }
  for (auto const& [number, stored] : model) EXPECT_EQ(tier->get(key(number)), stored);
  EXPECT_EQ(file_names().size(), model.size());
  EXPECT_TRUE(tier->refusals().empty());
}

TEST_F(PageFiles, BesideOtherFiles) {
  auto const other = [&](std::string const& name) { return folder.path() / name; };
  std::vector<std::string> const names = {"README", "notes.page", "x.partial",
                                          "000000000000abcd.page", "000000000000ABCD-0.page"};
  for (auto const& name : names) write_file(other(name), {'t', 'e', 'x', 't'});
  std::filesystem::create_directory(other("folder"));
  {
    PageFileTier tier(folder.path(), options(1));
    tier.put(page(1));
    tier.put(page(2));
    tier.remove(key(2));
    EXPECT_TRUE(tier.refusals().empty());
  }
  PageFileTier const tier(folder.path(), options(1));
  EXPECT_TRUE(tier.refusals().empty());
  for (auto const& name : names) EXPECT_EQ(read_file(other(name)).size(), 4u) << name;
  EXPECT_TRUE(std::filesystem::is_directory(other("folder")));
}

TEST_F(PageFiles, OfTwoModelsShareAFolder) {
  auto second      = options();
  second.model_tag = 0x1234u;
  store_chain(2);
  {
    PageFileTier tier(folder.path(), second);
    EXPECT_EQ(tier.count(), 0u);
    tier.put(page(1));
    ASSERT_EQ(tier.refusals().size(), 2u);
    EXPECT_EQ(tier.refusals()[0].reason, "model_tag: found 43981, expected 4660");
  }
  PageFileTier tier(folder.path(), options());
  EXPECT_EQ(sorted_keys(tier), keys_of({1, 2}));
  EXPECT_EQ(tier.statistics().refused, 1u);
}

TEST_F(PageFiles, OfOneFolderAreOneTiers) {
  auto const second = [&] { PageFileTier(folder.path(), options()); };
  {
    PageFileTier const tier(folder.path(), options());
    expect_file_error(folder.path(), "another PageFileTier uses this folder", second);
  }
  EXPECT_NO_THROW(second());
}

// The lock of a process goes with it, even where nothing of it runs any more.
TEST_F(PageFiles, OfAnotherProcess) {
  int ready[2], end[2];
  ASSERT_EQ(::pipe(ready), 0);
  ASSERT_EQ(::pipe(end), 0);
  auto const child = ::fork();
  ASSERT_GE(child, 0);
  char byte = 'x';
  if (child == 0) {
    ::close(end[1]);
    try {
      PageFileTier tier(folder.path(), options());
      tier.put(page(1));
      if (::write(ready[1], &byte, 1) != 1) ::_exit(1);
      ::_exit(::read(end[0], &byte, 1) == 0 ? 0 : 1);
    } catch (...) {
      ::_exit(1);
    }
  }
  ::close(ready[1]);
  EXPECT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_THROW(PageFileTier(folder.path(), options()), PageFileError);
  ::close(end[1]);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  ::close(ready[0]);
  ::close(end[0]);
  EXPECT_EQ(PageFileTier(folder.path(), options()).get(key(1)), page(1));
}

TEST_F(PageFiles, WithOptionsThatFitNothing) {
  auto const refuses = [&](std::string const& message, auto const& change) {
    auto changed = options();
    change(changed);
    expect_refusal<ShapeError>("PageFileTier: options." + message,
                               [&] { PageFileTier(folder.path(), changed); });
  };
  refuses("page_size: found 0, expected at least 1", [](auto& to) { to.page_size = 0; });
  refuses("page_bytes: found 0, expected at least 1", [](auto& to) { to.page_bytes = 0; });
  refuses("page_bytes: found 18446744073709551615, expected at most 281474976710656",
          [](auto& to) { to.page_bytes = ~std::uint64_t(0); });
  refuses("capacity_bytes: found 151, expected at least 152 (one page)",
          [](auto& to) { to.capacity_bytes = file_bytes - 1; });
}

TEST_F(PageFiles, ThatDoNotFitTheOptions) {
  PageFileTier tier(folder.path(), options());
  auto const put = [&](auto const& change) {
    return [&tier, changed = [&] {
      auto stored = page(1);
      change(stored);
      return stored;
    }()] { tier.put(changed); };
  };
  expect_refusal<ShapeError>("PageFileTier: page.tokens.size(): found 3, expected 4",
                             put([](auto& stored) { stored.tokens.pop_back(); }));
  expect_refusal<ShapeError>("PageFileTier: page.bytes.size(): found 0, expected 40",
                             put([](auto& stored) { stored.bytes.clear(); }));
  expect_refusal<ConflictError>(
      "PageFileTier: page.key: found " + to_text(null_page_key) + ", expected the key of a page",
      put([](auto& stored) { stored.key = null_page_key; }));
  expect_refusal<ConflictError>(
      "PageFileTier: page.parent: found " + to_text(key(1)) + ", expected the key of another page",
      put([](auto& stored) { stored.parent = stored.key; }));
  EXPECT_EQ(tier.count(), 0u);
  EXPECT_TRUE(file_names().empty());
}

}  // namespace KokkosKVTest
