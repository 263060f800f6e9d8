// Random pools and batches: which shapes the property tests meet.
#ifndef KOKKOSKV_TEST_RANDOMBATCH_HPP
#define KOKKOSKV_TEST_RANDOMBATCH_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include <reference/Random.hpp>
#include <reference/Reference.hpp>

namespace KokkosKVTest {

/// Elements of a pool, about; keeps a case well below a millisecond.
inline constexpr std::uint64_t pool_budget = 60000;

/// Nothing, one token, whole pages, or any number of tokens.
inline std::uint32_t random_length(std::uint64_t page_size, Random& random) {
  switch (random.below(6)) {
    case 0:
      return 0;
    case 1:
      return 1;
    case 2:
      return static_cast<std::uint32_t>(page_size * random.between(1, 2));
    default:
      return static_cast<std::uint32_t>(random.below(2 * page_size + 4));
  }
}

inline std::vector<std::uint32_t> shuffled_pages(std::uint64_t count, Random& random) {
  std::vector<std::uint32_t> pages(count);
  std::iota(pages.begin(), pages.end(), 0u);
  for (std::size_t i = pages.size(); i > 1; --i) std::swap(pages[i - 1], pages[random.below(i)]);
  return pages;
}

/// Entries behind those that a sequence needs: nobody may care what they hold.
inline std::uint32_t unused_entry(std::uint64_t num_blocks, Random& random) {
  auto const blocks = static_cast<std::uint32_t>(num_blocks);
  return random.pick({no_page, no_page - 1, blocks, blocks + 7, blocks > 0 ? blocks - 1 : 0u});
}

/// Makes the batch and sets the pool's number of pages.
inline Batch random_batch(PoolShape& shape, Random& random) {
  Batch batch;
  auto const size = random.chance(5) ? 0 : random.between(1, 12);
  // Pages that the sequences may use: few where pages are large.
  auto pages_left = std::max<std::uint64_t>(3, pool_budget / shape.page_elements());
  std::vector<std::uint64_t> pages_of;
  for (std::size_t sequence = 0; sequence < size; ++sequence) {
    auto cached = random_length(shape.page_size, random);
    auto added  = random_length(shape.page_size, random);
    auto needed = (cached + added + shape.page_size - 1) / shape.page_size;
    if (needed > pages_left) cached = added = 0, needed = 0;
    pages_left -= needed;
    batch.cache_lengths.push_back(cached);
    batch.new_lengths.push_back(added);
    pages_of.push_back(needed);
    batch.max_pages = std::max(batch.max_pages, needed);
  }
  auto const used  = std::accumulate(pages_of.begin(), pages_of.end(), std::uint64_t(0));
  shape.num_blocks = used + random.between(used == 0 ? 1 : 0, 3);
  batch.max_pages += random.below(3);
  batch.row_pitch = batch.max_pages + random.pick({0u, 0u, 3u});

  auto const pages       = shuffled_pages(shape.num_blocks, random);
  auto const holes       = random.chance(40) ? 20 : 0;
  std::size_t next       = 0;
  bool const share_first = random.chance(30);
  for (std::size_t sequence = 0; sequence < size; ++sequence) {
    for (std::uint64_t logical = 0; logical < batch.row_pitch; ++logical) {
      if (logical >= pages_of[sequence]) {
        batch.table.push_back(unused_entry(shape.num_blocks, random));
      } else {
        batch.table.push_back(random.chance(holes) ? no_page : pages[next]);
        ++next;
      }
    }
    // A common prefix: a page that both sequences have filled, so that nobody writes it.
    if (share_first && sequence > 0 && batch.cache_lengths[sequence] >= shape.page_size &&
        batch.cache_lengths[sequence - 1] >= shape.page_size) {
      auto const row   = sequence * batch.row_pitch;
      batch.table[row] = batch.table[row - batch.row_pitch];
    }
  }
  return batch;
}

/// Paddings and margins in elements, among them those that break the alignment of a vector.
inline std::uint64_t random_gap(std::size_t element_bytes, Random& random) {
  switch (random.below(4)) {
    case 0:
    case 1:
      return 0;
    case 2:
      return random.between(1, 2) * 16 / element_bytes;
    default:
      return random.between(1, 13);
  }
}

}  // namespace KokkosKVTest

#endif
