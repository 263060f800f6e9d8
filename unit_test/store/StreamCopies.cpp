// The copier that bypasses the caches, on random ranges of any size and alignment.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include <RandomBatch.hpp>
#include <kokkos_ext/impl/KokkosKV_StreamCopy.hpp>
#include <reference/Random.hpp>

namespace KokkosKVTest {
namespace {

struct Range {
  std::size_t target;
  std::size_t source;
  std::size_t bytes;
};

/// Ranges in shuffled order, disjoint on either side and packed or with gaps.
std::vector<Range> random_ranges(std::size_t count, std::size_t longest, Random& random) {
  std::vector<Range> ranges(count);
  for (auto& range : ranges) range.bytes = random.below(random.below(3) == 0 ? 200 : longest);
  std::size_t const alignment = std::size_t(1) << random.below(8);
  auto const place            = [&](std::size_t Range::* side) {
    std::size_t next = random.below(5000) / alignment * alignment;
    for (auto const number : shuffled_pages(count, random)) {
      auto& range = ranges[number];
      range.*side = next;
      next += range.bytes;
      if (random.chance(50)) next += random.below(300);
      if (random.chance(50)) next = (next + alignment - 1) / alignment * alignment;
    }
  };
  place(&Range::target);
  place(&Range::source);
  return ranges;
}

TEST(StreamCopies, RandomRanges) {
  Random random(11);
  KokkosKV::Impl::StreamCopier copier;
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(round);
    auto const count       = static_cast<std::size_t>(round % 60);
    auto const ranges      = random_ranges(count, round % 3 == 0 ? 40000 : 3000, random);
    std::size_t const size = 6000 + count * 40600;
    auto const source      = random_bits<unsigned char>(size, random);
    std::vector<unsigned char> target(size, 0xA5);
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
