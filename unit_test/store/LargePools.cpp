// Pools whose elements are too many for 32 bits: one that is really there, one of virtual memory.
#include <ExecutionSpaces.hpp>
#include <KokkosKV.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <reference/Arrays.hpp>
#include <support/LazyMemory.hpp>
#include <support/TestBatch.hpp>
#include <type_traits>

namespace KokkosKVTest {

using namespace KokkosKV;

template <class ExecSpace>
class LargePools : public testing::Test {};
TYPED_TEST_SUITE(LargePools, ExecutionSpaces, ExecutionSpaceName);

// 2100 pages of 2 x 256 x 8 x 256 bytes, 2.2e9 elements

constexpr std::size_t large_pages = 2100, large_row = 8 * 256, large_plane = 256 * large_row;
constexpr std::size_t plane_words = large_plane / sizeof(std::uint64_t);

/// A different word at every place.
KOKKOS_INLINE_FUNCTION std::uint64_t word_at(std::size_t index) {
  return (static_cast<std::uint64_t>(index) + 1) * 0x9E3779B97F4A7C15u;
}

template <class MemorySpace>
struct FillPlanes {
  Kokkos::View<std::uint64_t**, Kokkos::LayoutRight, MemorySpace> words;
  KOKKOS_FUNCTION void operator()(std::size_t plane) const {
    for (std::size_t i = 0; i < plane_words; ++i)
      words(plane, i) = word_at(plane * plane_words + i);
  }
};

/// Counts the words of every plane (keys or values of a page) that changed.
template <class MemorySpace>
struct ChangedPlanes {
  Kokkos::View<std::uint64_t**, Kokkos::LayoutRight, MemorySpace> words;
  Kokkos::View<std::uint64_t*, MemorySpace> changed;
  KOKKOS_FUNCTION void operator()(std::size_t plane) const {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < plane_words; ++i) {
      count += words(plane, i) != word_at(plane * plane_words + i) ? 1 : 0;
    }
    changed(plane) = count;
  }
};

struct RowModulo127 {
  KOKKOS_FUNCTION std::int8_t operator()(std::size_t row, int, int) const {
    return static_cast<std::int8_t>(row % 127);
  }
};

TYPED_TEST(LargePools, MoreThan32BitsOfElements) {
  using memory_space = typename TypeParam::memory_space;
  using blocks_type  = Kokkos::View<std::int8_t*** [256][8][256], memory_space>;
  blocks_type const blocks(Kokkos::view_alloc("blocks", Kokkos::WithoutInitializing), large_pages,
                           2, 1);
  Kokkos::View<std::uint64_t**, Kokkos::LayoutRight, memory_space> const words(
      reinterpret_cast<std::uint64_t*>(blocks.data()), 2 * large_pages, plane_words);
  Kokkos::View<std::uint64_t*, memory_space> const changed("changed", 2 * large_pages);
  Kokkos::RangePolicy<TypeParam> const planes(0, 2 * large_pages);
  Kokkos::parallel_for(planes, FillPlanes<memory_space>{words});

  auto const pool  = TestBatch{{0}, {{large_pages - 1, 0}}}.collection(blocks);
  auto const cache = pool.get_key_cache(0);
  kv_cache_store_ragged(TypeParam{}, cache, {300, 8, 256}, to_view<memory_space>({0, 300}),
                        RowModulo127{});

  // Every plane is as it was, but the two that were written.
  Kokkos::parallel_for(planes, ChangedPlanes<memory_space>{words, changed});
  auto const counts = to_host(changed);
  for (std::size_t plane = 0; plane < counts.size(); ++plane) {
    bool const written = plane == 0 || plane == 2 * (large_pages - 1);
    ASSERT_EQ(counts[plane] != 0, written) << "plane " << plane;
  }
  auto const check_rows = [](auto const& bytes, std::size_t first_row, std::size_t rows) {
    for (std::size_t i = 0; i < rows * large_row; ++i) {
      ASSERT_EQ(bytes[i], static_cast<std::int8_t>((first_row + i / large_row) % 127)) << i;
    }
  };
  auto const plane_bytes = [&](std::size_t page) {
    return to_host(Kokkos::View<std::int8_t*, memory_space>(blocks.data() + page * 2 * large_plane,
                                                            large_plane));
  };
  check_rows(plane_bytes(large_pages - 1), 0, 256);
  auto const first_page = plane_bytes(0);
  check_rows(first_page, 256, 44);
  std::vector<std::uint64_t> const slots_after = to_host(Kokkos::View<std::uint64_t*, memory_space>(
      words.data() + 44 * large_row / 8, (256 - 44) * large_row / 8));
  for (std::size_t i = 0; i < slots_after.size(); ++i) {
    ASSERT_EQ(slots_after[i], word_at(44 * large_row / 8 + i));
  }

  // Back through the library, by rows and by page copy.
  Kokkos::View<std::int8_t***, Kokkos::LayoutRight, memory_space> const output("output", 300, 8,
                                                                               256);
  kv_cache_load_ragged(TypeParam{}, cache, to_view<memory_space>({0}),
                       to_view<memory_space>({0, 300}), output);
  check_rows(to_vector(output), 0, 300);
  copy_pages(TypeParam{}, pool, to_view<memory_space>({large_pages - 1}),
             to_view<memory_space>({large_pages - 2}));
  Kokkos::fence();
  check_rows(plane_bytes(large_pages - 2), 0, 256);
}

// 9 pages, 600,000,000 elements apart, of virtual memory

#ifdef __linux__
constexpr std::size_t huge_pages = 9, huge_pitch = 600'000'000;

TYPED_TEST(LargePools, PagesFarApart) {
  if constexpr (std::is_same_v<typename TypeParam::memory_space, Kokkos::HostSpace>) {
    LazyMemory const memory(huge_pages * huge_pitch);
    if (memory.data() == nullptr) GTEST_SKIP() << "no room for 5.4 GB of addresses";
    auto* const bytes = static_cast<std::int8_t*>(memory.data());
    auto const pool   = TestBatch{{0}, {{4, 1, 8}}}.collection(
        padded_blocks<std::int8_t, 4, 1, 64, Kokkos::HostSpace>(bytes, huge_pages, 2, 1,
                                                                  huge_pitch));
    Kokkos::View<std::int8_t***, Kokkos::HostSpace> const keys("keys", 10, 1, 64),
        values("values", 10, 1, 64), output("output", 10, 1, 64);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      keys.data()[i]   = static_cast<std::int8_t>(1 + i % 113);
      values.data()[i] = static_cast<std::int8_t>(-1 - static_cast<int>(i % 109));
    }
    auto const offsets = to_view<Kokkos::HostSpace>({0, 10});
    auto const start   = to_view<Kokkos::HostSpace>({0});
    kv_cache_store_ragged_key_value(TypeParam{}, pool.get_key_cache(0), pool.get_value_cache(0),
                                    offsets, keys, values);
    // Page 4 begins beyond 31 bits, page 8 beyond 32.
    std::size_t const table[] = {4, 1, 8};
    for (std::size_t t = 0; t < 10; ++t) {
      auto const* slot = bytes + table[t / 4] * huge_pitch + t % 4 * 64;
      for (std::size_t d = 0; d < 64; ++d) {
        ASSERT_EQ(slot[d], keys(t, 0, d)) << t << " " << d;
        ASSERT_EQ(slot[256 + d], values(t, 0, d)) << t << " " << d;
      }
    }
    kv_cache_load_ragged(TypeParam{}, pool.get_value_cache(0), start, offsets, output);
    EXPECT_EQ(to_vector(output), to_vector(values));
    auto const copy = [&](Numbers const& sources, Numbers const& destinations) {
      copy_pages(TypeParam{}, pool, to_view<Kokkos::HostSpace>(sources),
                 to_view<Kokkos::HostSpace>(destinations));
    };
    auto const same = [&](std::size_t one, std::size_t other) {
      return std::memcmp(bytes + one * huge_pitch, bytes + other * huge_pitch, 512) == 0;
    };
    copy({4, 8}, {3, 0});
    EXPECT_TRUE(same(4, 3) && same(8, 0));
    copy({1}, {8});
    EXPECT_TRUE(same(1, 8) && !same(8, 0));
    // Five places of 512 bytes: nothing else became real.
    EXPECT_LE(memory.touched_bytes(), 10u * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
  } else {
    GTEST_SKIP() << "lazy memory is a matter of hosts";
  }
}
#endif

}  // namespace KokkosKVTest
