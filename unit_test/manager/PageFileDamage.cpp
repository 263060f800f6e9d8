// The file tier where files are not what they were: cut off, changed, exchanged, foreign.
#include <PageFileFixture.hpp>

#include <sys/stat.h>

#include <cstring>
#include <functional>

namespace KokkosKVTest {

class PageFileDamage : public PageFiles {
 protected:
  static constexpr std::size_t at_tokens = 96, at_bytes = 96 + 16;

  void SetUp() override {
    store_chain(3);
    for (std::uint64_t number = 1; number <= 3; ++number) {
      whole.push_back(read_file(file(number)));
    }
  }

  /// Opens a tier on what `contents` make of page 2; the pages 1 and 3 must be as they were.
  /// Returns whether page 2 was given out; then it is the one that was stored.
  bool gives_out(FileBytes const& contents) const {
    write_file(file(2), contents);
    PageFileTier tier(folder.path(), options());
    tier.visit([&](PageKey const& found, PageKey const& parent, std::uint64_t salt,
                   std::span<std::uint32_t const> tokens) {
      auto const stored = page(found.low, found.low - 1);
      EXPECT_EQ(found, stored.key);
      EXPECT_EQ(parent, stored.parent);
      EXPECT_EQ(salt, stored.salt);
      EXPECT_EQ(std::vector(tokens.begin(), tokens.end()), stored.tokens);
    });
    EXPECT_EQ(tier.get(key(1)), page(1));
    EXPECT_EQ(tier.get(key(3)), page(3, 2));
    auto const found = tier.get(key(2));
    if (found) {
      EXPECT_EQ(*found, page(2, 1));
    }
    EXPECT_EQ(tier.contains(key(2)), found.has_value());
    EXPECT_EQ(tier.statistics().refused, found ? 0u : 1u);
    return found.has_value();
  }

  /// Why page 2 is refused, first by a scan and then by a tier that had listed it before.
  void refuses(FileBytes const& contents, std::string const& reason, bool by_scan = true) {
    bool const stays = reason.find("removed") == std::string::npos;
    for (bool const listed_before : {false, true}) {
      write_file(file(2), listed_before ? whole[1] : contents);
      PageFileTier tier(folder.path(), options());
      if (listed_before) write_file(file(2), contents);
      EXPECT_EQ(tier.contains(key(2)), listed_before || !by_scan);
      EXPECT_FALSE(tier.get(key(2)));
      EXPECT_FALSE(tier.contains(key(2)));
      ASSERT_EQ(tier.refusals().size(), 1u);
      EXPECT_EQ(tier.refusals()[0].path, file(2));
      EXPECT_EQ(tier.refusals()[0].reason, reason);
      EXPECT_EQ(tier.statistics().refused, 1u);
      EXPECT_EQ(std::filesystem::exists(file(2)), stays);
      // The place is free again.
      EXPECT_TRUE(tier.put(page(2, 1)));
      EXPECT_EQ(tier.get(key(2)), page(2, 1));
    }
  }

  FileBytes changed(std::size_t at) const {
    auto bytes = whole[1];
    bytes[at]  = static_cast<char>(bytes[at] ^ 0x10);
    return bytes;
  }

  /// Page 2 as a tier with other options writes it.
  FileBytes written_by(PageFileOptions const& other) const {
    TemporaryFolder const own;
    PageFileTier(own.path(), other).put(page(2, 1, other));
    for (auto const& entry : std::filesystem::directory_iterator(own.path())) {
      if (entry.path().extension() == ".page") return read_file(entry);
    }
    return {};
  }

  std::vector<FileBytes> whole;  ///< pages 1 to 3
};

TEST_F(PageFileDamage, IsToldByItsReason) {
  refuses({}, "the header is cut off after 0 bytes; removed");
  refuses(FileBytes(file_bytes, 0), "the file does not begin as page files do; removed");
  refuses(changed(3), "the file does not begin as page files do; removed");
  refuses(changed(60), "the header does not fit its checksum; removed");
  refuses(changed(90), "the header does not fit its checksum; removed");
  refuses(changed(at_tokens + 5), "the tokens do not fit their checksum; removed");
  refuses(changed(at_bytes + 5), "keys and values do not fit their checksum; removed", false);
  refuses(whole[0], "the file holds another page: " + to_text(key(1)) + "; removed");
  auto bytes = whole[1];
  bytes.pop_back();
  refuses(bytes, "the file has 151 bytes, expected 152; removed");
  bytes.resize(file_bytes + 3);
  refuses(bytes, "the file has 155 bytes, expected 152; removed");
}

TEST_F(PageFileDamage, ForeignPagesAreLeftAlone) {
  refuses(changed(8), "version: found 17, expected 1");
  auto other      = options();
  other.model_tag = 5;
  refuses(written_by(other), "model_tag: found 5, expected 43981");
  for (std::uint32_t const page_size : {1u, 3u, 5u, 64u}) {
    other           = options();
    other.page_size = page_size;
    refuses(written_by(other), "page_size: found " + std::to_string(page_size) + ", expected 4");
  }
  for (std::uint64_t const page_bytes : {1u, 39u, 41u, 1000u}) {
    other            = options();
    other.page_bytes = page_bytes;
    refuses(written_by(other), "page_bytes: found " + std::to_string(page_bytes) + ", expected 40");
  }
}

TEST_F(PageFileDamage, FilesThatAreGone) {
  PageFileTier tier(folder.path(), options());
  std::filesystem::remove(file(2));
  EXPECT_TRUE(tier.contains(key(2)));
  EXPECT_FALSE(tier.get(key(2)));
  EXPECT_FALSE(tier.contains(key(2)));
  ASSERT_EQ(tier.refusals().size(), 1u);
  EXPECT_EQ(tier.refusals()[0].reason, "the file is gone; removed");
  tier.remove(key(2));
  std::filesystem::remove(file(1));
  EXPECT_NO_THROW(tier.remove(key(1)));
  EXPECT_EQ(sorted_keys(tier), keys_of({3}));
}

TEST_F(PageFileDamage, ExchangedNames) {
  write_file(file(1), whole[2]);
  write_file(file(3), whole[0]);
  PageFileTier tier(folder.path(), options());
  EXPECT_EQ(sorted_keys(tier), keys_of({2}));
  EXPECT_EQ(tier.statistics().refused, 2u);
  EXPECT_EQ(tier.get(key(2)), page(2, 1));
}

TEST_F(PageFileDamage, WhatDeadWritersLeave) {
  auto const partial = folder.path() / (file(9).filename().string() + ".partial");
  auto foreign       = partial.string();
  foreign.replace(foreign.find("abcd-"), 4, "1234");
  write_file(partial, whole[0]);
  write_file(foreign, {});
  PageFileTier tier(folder.path(), options());
  EXPECT_EQ(sorted_keys(tier), keys_of({1, 2, 3}));
  EXPECT_TRUE(tier.refusals().empty());
  EXPECT_EQ(file_names(), names_of({1, 2, 3}));
}

// None of these is followed, waited for or removed.
TEST_F(PageFileDamage, NamesOfPagesThatAreNoFiles) {
  auto const partial = folder.path() / (file(9).filename().string() + ".partial");
  std::filesystem::remove(file(3));
  write_file(folder.path() / "target", whole[2]);
  std::filesystem::create_symlink(folder.path() / "target", file(3));
  std::filesystem::create_directory(file(4));
  std::filesystem::create_directory(partial);
  ASSERT_EQ(::mkfifo(file(5).c_str(), S_IRUSR | S_IWUSR), 0);
  PageFileTier tier(folder.path(), options());
  EXPECT_EQ(sorted_keys(tier), keys_of({1, 2}));
  auto const refusals = tier.refusals();
  ASSERT_EQ(refusals.size(), 4u);
  for (auto const& refusal : refusals) EXPECT_EQ(refusal.reason, "not a regular file");
  EXPECT_TRUE(std::filesystem::is_symlink(file(3)));
  EXPECT_THROW(tier.put(page(4)), PageFileError);
  EXPECT_TRUE(std::filesystem::is_directory(file(4)));
  EXPECT_TRUE(std::filesystem::is_directory(partial));

  // The same with pages that are listed already.
  std::filesystem::remove(file(1));
  std::filesystem::create_symlink(folder.path() / "target", file(1));
  EXPECT_THROW(tier.get(key(1)), PageFileError);
  std::filesystem::remove(file(2));
  ASSERT_EQ(::mkfifo(file(2).c_str(), S_IRUSR | S_IWUSR), 0);
  EXPECT_FALSE(tier.get(key(2)));
}

TEST_F(PageFileDamage, RefusalsAreBounded) {
  for (std::uint64_t number = 1000; number < 1300; ++number) write_file(file(number), {'x'});
  PageFileTier const tier(folder.path(), options());
  EXPECT_EQ(tier.refusals().size(), 256u);
  EXPECT_EQ(tier.statistics().refused, 300u);
}

TEST_F(PageFileDamage, CutOffAnywhere) {
  for (std::size_t size = 0; size < file_bytes; ++size) {
    EXPECT_FALSE(gives_out(FileBytes(whole[1].begin(), whole[1].begin() + std::ptrdiff_t(size))))
        << size;
  }
}

TEST_F(PageFileDamage, OfEverySingleBit) {
  for (std::size_t bit = 0; bit < 8 * file_bytes; ++bit) {
    auto bytes     = whole[1];
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(gives_out(bytes)) << bit;
  }
}

TEST_F(PageFileDamage, OfManyKindsAtOnce) {
  Random random(20'000);
  auto const position = [&](FileBytes const& bytes) {
    return std::ptrdiff_t(random.below(bytes.size() + 1));
  };
  auto const cut_off = [&](FileBytes& bytes) {
    bytes.resize(static_cast<std::size_t>(position(bytes)));
  };
  auto const flip = [&](FileBytes& bytes) {
    if (bytes.empty()) return;
    auto& byte = bytes[random.below(bytes.size())];
    byte       = static_cast<char>(byte ^ (1 << random.below(8)));
  };
  auto const extend = [&](FileBytes& bytes) {
    auto const more = random_bits<char>(random.between(1, 20), random);
    bytes.insert(bytes.end(), more.begin(), more.end());
  };
  // Part of another page, at the same place or elsewhere.
  auto const splice = [&](FileBytes& bytes) {
    auto const& other = whole[random.below(whole.size())];
    auto const from   = random.below(other.size());
    auto const count  = random.between(1, other.size() - from);
    auto const to     = random.chance(70) ? from : random.below(bytes.size() + 1);
    if (bytes.size() < to + count) bytes.resize(to + count);
    std::memcpy(bytes.data() + to, other.data() + from, count);
  };
  auto const drop = [&](FileBytes& bytes) {
    auto const first = bytes.begin() + position(bytes);
    bytes.erase(first, first + std::min<std::ptrdiff_t>(4, bytes.end() - first));
  };
  auto const repeat = [&](FileBytes& bytes) {
    auto const copy = bytes;
    auto const at   = position(copy);
    bytes.insert(bytes.begin() + at, copy.begin() + at, copy.end());
  };
  auto const clear = [&](FileBytes& bytes) {
    auto const at = position(bytes);
    std::fill(bytes.begin() + at, bytes.begin() + at + (bytes.end() - bytes.begin() - at) / 2,
              char(0));
  };
  std::vector<std::function<void(FileBytes&)>> const mutations = {
      cut_off, flip, flip, flip, extend, splice, splice, drop, repeat, clear};
  std::size_t given_out = 0;
  for (int round = 0; round < 20'000; ++round) {
    auto bytes = whole[1];
    for (auto count = random.between(1, 4); count > 0; --count) {
      mutations[random.below(mutations.size())](bytes);
    }
    bool const is_whole = bytes == whole[1];
    ASSERT_EQ(gives_out(bytes), is_whole) << round;
    given_out += is_whole ? 1 : 0;
  }
  EXPECT_LT(given_out, 2000u);
}

}  // namespace KokkosKVTest
