// A folder for page files that is gone after the test, and pages to put into it.
#ifndef KOKKOSKV_TEST_PAGEFILEFIXTURE_HPP
#define KOKKOSKV_TEST_PAGEFILEFIXTURE_HPP

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <manager/KokkosKV_PageFileTier.hpp>
#include <optional>
#include <reference/Random.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace KokkosKVTest {

using KokkosKV::null_page_key;
using KokkosKV::PageFileError;
using KokkosKV::PageFileOptions;
using KokkosKV::PageFileTier;
using KokkosKV::PageKey;
using KokkosKV::StoredPage;

/// A folder below testing::TempDir() that lives as long as this.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    auto pattern = testing::TempDir() + "kokkoskv-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no folder at " + pattern);
    m_path = pattern;
  }
  TemporaryFolder(TemporaryFolder const&)            = delete;
  TemporaryFolder& operator=(TemporaryFolder const&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(m_path, ignored);
  }

  std::filesystem::path const& path() const { return m_path; }

 private:
  std::filesystem::path m_path;
};

using FileBytes = std::vector<char>;

inline FileBytes read_file(std::filesystem::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return FileBytes(std::istreambuf_iterator<char>(file), {});
}

inline void write_file(std::filesystem::path const& path, FileBytes const& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

template <class Call>
void expect_file_error(std::filesystem::path const& path, std::string const& reason,
                       Call const& call) {
  try {
    call();
    ADD_FAILURE() << "no error, expected: " << path << ": " << reason;
  } catch (PageFileError const& error) {
    EXPECT_EQ(error.path(), path);
    EXPECT_EQ(error.reason(), reason);
    EXPECT_EQ(error.what(), path.string() + ": " + reason);
  }
}

/// Pages of 4 tokens and 40 bytes: files of 152 bytes.
class PageFiles : public testing::Test {
 protected:
  static constexpr std::uint64_t file_bytes = 96 + 4 * 4 + 40;

  static PageFileOptions options(std::uint64_t pages = 100) {
    return {.capacity_bytes = pages * file_bytes,
            .page_size      = 4,
            .page_bytes     = 40,
            .model_tag      = 0xABCDu,
            .sync           = false};
  }

  static PageKey key(std::uint64_t number) { return {number, 0x0123456789ABCDEFu * number}; }

  /// Page `number`, always the same one; parent 0 means none.
  static StoredPage page(std::uint64_t number, std::uint64_t parent = 0,
                         PageFileOptions const& like = options()) {
    Random random(number);
    return {key(number), parent == 0 ? null_page_key : key(parent), random.bits(),
            random_bits<std::uint32_t>(like.page_size, random),
            random_bits<std::byte>(like.page_bytes, random)};
  }

  std::filesystem::path file(std::uint64_t number) const {
    return folder.path() / ("000000000000abcd-" + to_text(key(number)) + ".page");
  }

  /// Pages 1 … count in a tier that is closed again, each the parent of the next.
  void store_chain(std::uint64_t count) const {
    PageFileTier tier(folder.path(), options());
    for (std::uint64_t number = 1; number <= count; ++number) tier.put(page(number, number - 1));
  }

  /// Names of all files, except that of the lock.
  std::vector<std::string> file_names() const {
    std::vector<std::string> names;
    for (auto const& entry : std::filesystem::directory_iterator(folder.path())) {
      auto const name = entry.path().filename().string();
      if (name != "kokkoskv.lock") names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  std::vector<std::string> names_of(std::initializer_list<std::uint64_t> pages) const {
    std::vector<std::string> names;
    for (auto const number : pages) names.push_back(file(number).filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

  /// The keys of a tier, sorted.
  static std::vector<PageKey> sorted_keys(PageFileTier const& tier) {
    auto keys = tier.keys();
    std::sort(keys.begin(), keys.end());
    return keys;
  }

  static std::vector<PageKey> keys_of(std::initializer_list<std::uint64_t> pages) {
    std::vector<PageKey> keys;
    for (auto const number : pages) keys.push_back(key(number));
    std::sort(keys.begin(), keys.end());
    return keys;
  }

  TemporaryFolder folder;
};

}  // namespace KokkosKVTest

#endif
