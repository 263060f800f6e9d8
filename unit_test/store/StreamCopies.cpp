// The copier that bypasses the caches, on random ranges of any size and alignment.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include <kokkos_ext/impl/KokkosKV_StreamCopy.hpp>

namespace KokkosKVTest {
namespace {

struct Range {
  std::size_t target;
  std::size_t source;
  std::size_t bytes;
};

/// Ranges in shuffled order, disjoint on either side and packed or with gaps.
std::vector<Range> random_ranges(std::size_t count, std::size_t longest, std::mt19937& random) {
  auto const below = [&](std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
  };
  std::vector<Range> ranges(count);
  for (auto& range : ranges) range.bytes = below(3) == 0 ? below(200) : below(longest);
  std::size_t const alignment = std::size_t(1) << below(8);
  auto const place            = [&](std::size_t Range::* side) {
    std::shuffle(ranges.begin(), ranges.end(), random);
    std::size_t next = below(5000) / alignment * alignment;
    for (auto& range : ranges) {
      range.*side = next;
      next += range.bytes;
      if (below(2) == 0) next += below(300);
      if (below(2) == 0) next = (next + alignment - 1) / alignment * alignment;
    }
  };
  place(&Range::target);
  place(&Range::source);
  return ranges;
}

TEST(StreamCopies, RandomRanges) {
  std::mt19937 random(11);
  KokkosKV::Impl::StreamCopier copier;
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    auto const count       = static_cast<std::size_t>(round % 60);
    auto const ranges      = random_ranges(count, round % 3 == 0 ? 40000 : 3000, random);
    std::size_t const size = 6000 + count * 40600;
    std::vector<unsigned char> source(size), target(size, 0xA5);
    for (std::size_t i = 0; i < size; ++i) source[i] = static_cast<unsigned char>(random());
    auto expected = target;
    for (auto const& [to, from, bytes] : ranges) {
      ASSERT_LE(to + bytes, size);
      ASSERT_LE(from + bytes, size);
      std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(from), bytes,
                  expected.begin() + static_cast<std::ptrdiff_t>(to));
      copier.copy(target.data() + to, source.data() + from, bytes);
    }
    copier.finish();
    ASSERT_EQ(target, expected);
  }
}

}  // namespace
}  // namespace KokkosKVTest
