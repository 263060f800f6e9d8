// A user's kernel on PagedKVCache: elements, pages, lengths and scales, as the run-time table says.
#include <ExecutionSpaces.hpp>
#include <KokkosKV.hpp>
#include <support/TestBatch.hpp>

namespace KokkosKVTest {

using KokkosKV::null_page;
using KokkosKV::SimdVector;

// Pages of 3 tokens, 2 heads of 4 elements; 2 layers, 4 pages. Sequence 0 has a null page in the
// middle, sequence 1 an entry that is no page.
constexpr int page_size = 3, num_heads = 2, head_size = 4;
constexpr std::size_t num_blocks = 4, num_layers = 2, num_tokens = 11;
TestBatch const access_batch{{7, 2}, {{2, null_page, 0}, {3, 1, 77}}};

template <class MemorySpace>
using blocks_of = Kokkos::View<float*** [page_size][num_heads][head_size], MemorySpace>;

/// Blocks filled with their flat index plus one, so that no element is zero.
template <class MemorySpace>
blocks_of<MemorySpace> numbered_blocks() {
  blocks_of<MemorySpace> const blocks("blocks", num_blocks, 2, num_layers);
  auto const host = Kokkos::create_mirror_view(blocks);
  for (std::size_t i = 0; i < host.size(); ++i) host.data()[i] = static_cast<float>(i + 1);
  Kokkos::deep_copy(blocks, host);
  return blocks;
}

/// Flat index in the blocks of a token's element; false where it has no page.
bool flat_index(std::size_t kv, std::size_t layer, std::size_t sequence, std::size_t head,
                std::size_t token, std::size_t dim, std::size_t& index) {
  auto const& row = access_batch.table[sequence];
  if (token / page_size >= row.size() || row[token / page_size] >= num_blocks) return false;
  index = row[token / page_size];
  index = ((index * 2 + kv) * num_layers + layer) * page_size + token % page_size;
  index = (index * num_heads + head) * head_size + dim;
  return true;
}

/// Every (sequence, token, head) of the batch, some tokens past the row of the table.
template <class Visit>
void for_each_head(Visit const& visit) {
  for (std::size_t b = 0; b < 2; ++b) {
    for (std::size_t t = 0; t < num_tokens; ++t) {
      for (std::size_t h = 0; h < num_heads; ++h) visit(b, t, h);
    }
  }
}

template <int Width, class Cache, class Output>
struct LoadKernel {
  Cache cache;
  Output output;
  KOKKOS_FUNCTION void operator()(int i) const {
    auto const sequence = static_cast<std::size_t>(i) / num_tokens;
    auto const token    = static_cast<std::size_t>(i) % num_tokens;
    for (int head = 0; head < num_heads; ++head) {
      for (int dim = 0; dim < head_size; dim += Width) {
        auto const vector = cache.template load<Width>(sequence, head, token, dim);
        for (int k = 0; k < Width; ++k) output(sequence, token, head, dim + k) = vector[k];
      }
    }
  }
};

template <int Width, class Cache>
struct StoreKernel {
  Cache cache;
  KOKKOS_FUNCTION void operator()(int i) const {
    auto const sequence = static_cast<std::size_t>(i) / num_tokens;
    auto const token    = static_cast<std::size_t>(i) % num_tokens;
    for (int head = 0; head < num_heads; ++head) {
      for (int dim = 0; dim < head_size; dim += Width) {
        SimdVector<float, Width> vector;
        for (int k = 0; k < Width; ++k) {
          vector[k] = -static_cast<float>(((i * num_heads + head) * head_size + dim + k) + 1);
        }
        cache.store(sequence, head, token, dim, vector);
      }
    }
  }
};

/// What the cache tells about itself and the batch, per token.
template <class Cache, class Output>
struct DescribeKernel {
  Cache cache;
  Output output;
  KOKKOS_FUNCTION void operator()(int i) const {
    auto const sequence = static_cast<std::size_t>(i) / num_tokens;
    auto const token    = static_cast<std::size_t>(i) % num_tokens;
    output(i, 0)        = cache.page(sequence, token);
    output(i, 1)        = static_cast<std::uint32_t>(cache.slot(token));
    output(i, 2)        = cache.cache_length(sequence);
    output(i, 3)        = cache.is_mapped(cache.page(sequence, token)) ? 1 : 0;
    for (int d = 0; d < 4; ++d) output(i, 4 + d) = static_cast<std::uint32_t>(cache.extent(d));
    output(i, 8) = static_cast<std::uint32_t>(cache.batch_size());
  }
};

template <class ExecSpace>
class DeviceAccess : public testing::Test {
 protected:
  using memory_space         = typename ExecSpace::memory_space;
  static constexpr int items = 2 * static_cast<int>(num_tokens);

  template <class Kernel>
  static void run(Kernel const& kernel) {
    Kokkos::parallel_for("DeviceAccess", Kokkos::RangePolicy<ExecSpace>(0, items), kernel);
    Kokkos::fence();
  }

  template <int Width>
  static void check_load() {
    using output_type = Kokkos::View<float[2][num_tokens][num_heads][head_size], memory_space>;
    auto const pool   = access_batch.collection(numbered_blocks<memory_space>());
    auto const cache  = pool.get_value_cache(1);
    output_type const output("output");
    Kokkos::deep_copy(output, -1.0f);
    run(LoadKernel<Width, decltype(cache), output_type>{cache, output});
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, output);
    for_each_head([&](std::size_t b, std::size_t t, std::size_t h) {
      for (std::size_t d = 0; d < head_size; ++d) {
        std::size_t index;
        bool const there = flat_index(1, 1, b, h, t, d, index);
        EXPECT_EQ(host(b, t, h, d), there ? static_cast<float>(index + 1) : 0.0f)
            << b << " " << t << " " << h << " " << d;
      }
    });
  }

  template <int Width>
  static void check_store() {
    auto const blocks = numbered_blocks<memory_space>();
    auto const pool   = access_batch.collection(blocks);
    auto const cache  = pool.get_key_cache(1);
    auto expected     = to_vector(blocks);
    run(StoreKernel<Width, decltype(cache)>{cache});
    std::size_t number = 0;
    for_each_head([&](std::size_t b, std::size_t t, std::size_t h) {
      for (std::size_t d = 0; d < head_size; ++d) {
        std::size_t index;
        ++number;
        if (flat_index(0, 1, b, h, t, d, index)) expected[index] = -static_cast<float>(number);
      }
    });
    EXPECT_EQ(to_vector(blocks), expected);
  }
};
TYPED_TEST_SUITE(DeviceAccess, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(DeviceAccess, LoadGivesZerosWithoutPage) {
  TestFixture::template check_load<1>();
  TestFixture::template check_load<2>();
  TestFixture::template check_load<4>();
}

TYPED_TEST(DeviceAccess, StoreDropsWithoutPage) {
  TestFixture::template check_store<1>();
  TestFixture::template check_store<2>();
  TestFixture::template check_store<4>();
}

TYPED_TEST(DeviceAccess, PagesSlotsLengthsAndExtents) {
  using memory_space = typename TestFixture::memory_space;
  using output_type  = Kokkos::View<std::uint32_t* [9], memory_space>;
  auto const pool    = access_batch.collection(numbered_blocks<memory_space>());
  auto const cache   = pool.get_key_cache(0);
  output_type const output("output", TestFixture::items);
  TestFixture::run(DescribeKernel<decltype(cache), output_type>{cache, output});
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, output);
  for (std::size_t b = 0; b < 2; ++b) {
    for (std::size_t t = 0; t < num_tokens; ++t) {
      auto const& row = access_batch.table[b];
      auto const page = t / page_size < row.size() ? row[t / page_size] : null_page;
      Numbers const expected{page,
                             static_cast<std::uint32_t>(t % page_size),
                             access_batch.cache_lengths[b],
                             page < num_blocks ? 1u : 0u,
                             num_blocks,
                             page_size,
                             num_heads,
                             head_size,
                             2};
      for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(host(b * num_tokens + t, i), expected[i]) << b << " " << t << " " << i;
      }
    }
  }
}

// Scales: granularity 2, so 2 scales a head
// ------------------------------------------------------------

constexpr std::size_t groups = 2;

template <class Cache, class Output>
struct LoadScaleKernel {
  Cache cache;
  Output output;
  KOKKOS_FUNCTION void operator()(int i) const {
    auto const sequence = static_cast<std::size_t>(i) / num_tokens;
    auto const token    = static_cast<std::size_t>(i) % num_tokens;
    for (int head = 0; head < num_heads; ++head) {
      for (int dim = 0; dim < head_size; ++dim) {
        output(sequence, token, head, dim) = cache.load_scale(sequence, head, token, dim);
      }
    }
  }
};

template <class Cache>
struct StoreScaleKernel {
  Cache cache;
  KOKKOS_FUNCTION void operator()(int i) const {
    auto const sequence = static_cast<std::size_t>(i) / num_tokens;
    auto const token    = static_cast<std::size_t>(i) % num_tokens;
    for (int head = 0; head < num_heads; ++head) {
      for (int dim = 0; dim < head_size; dim += 2) {
        // An odd element addresses the scale it shares.
        cache.store_scale(sequence, head, token, dim + 1,
                          -static_cast<float>((i * num_heads + head) * head_size + dim + 1));
      }
    }
  }
};

/// Loads and stores of the scales that `table` names, out of `scale_blocks` pages.
template <class ExecSpace, class Option, class Scales>
void check_scales(Option const& option, Scales const& scales, std::vector<Numbers> const& table,
                  std::size_t scale_blocks) {
  using memory_space  = typename ExecSpace::memory_space;
  using output_type   = Kokkos::View<float[2][num_tokens][num_heads][head_size], memory_space>;
  constexpr int items = 2 * static_cast<int>(num_tokens);
  auto const blocks   = numbered_blocks<memory_space>();
  auto const pool     = access_batch.collection(blocks, option);
  auto const cache    = pool.get_value_cache(0);
  auto const elements = to_vector(blocks);
  auto expected       = to_vector(scales);
  auto const index    = [&](std::size_t b, std::size_t t, std::size_t h, std::size_t d,
                         std::size_t& flat) {
    auto const& row = table[b];
    if (t / page_size >= row.size() || row[t / page_size] >= scale_blocks) return false;
    flat = ((row[t / page_size] * 2 + 1) * num_layers + 0) * page_size + t % page_size;
    flat = (flat * num_heads + h) * groups + d / 2;
    return true;
  };

  output_type const output("output");
  Kokkos::parallel_for("LoadScale", Kokkos::RangePolicy<ExecSpace>(0, items),
                       LoadScaleKernel<decltype(cache), output_type>{cache, output});
  Kokkos::fence();
  auto const host    = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, output);
  std::size_t number = 0;
  auto const before  = expected;
  for_each_head([&](std::size_t b, std::size_t t, std::size_t h) {
    for (std::size_t d = 0; d < head_size; ++d) {
      std::size_t flat;
      bool const there = index(b, t, h, d, flat);
      EXPECT_EQ(host(b, t, h, d), there ? before[flat] : 0.0f) << b << " " << t << " " << h;
      ++number;
      if (there && d % 2 == 0) expected[flat] = -static_cast<float>(number);
    }
  });

  Kokkos::parallel_for("StoreScale", Kokkos::RangePolicy<ExecSpace>(0, items),
                       StoreScaleKernel<decltype(cache)>{cache});
  Kokkos::fence();
  EXPECT_EQ(to_vector(scales), expected);
  EXPECT_EQ(to_vector(blocks), elements);
}

template <class MemorySpace>
auto numbered_scales(std::size_t scale_blocks) {
  Kokkos::View<float******, Kokkos::LayoutRight, MemorySpace> const scales(
      "scales", scale_blocks, 2, num_layers, page_size, num_heads, groups);
  auto const host = Kokkos::create_mirror_view(scales);
  for (std::size_t i = 0; i < host.size(); ++i) host.data()[i] = static_cast<float>(1000 + i);
  Kokkos::deep_copy(scales, host);
  return scales;
}

TYPED_TEST(DeviceAccess, ScalesUnderTheTableOfTheBlocks) {
  auto const scales = numbered_scales<typename TestFixture::memory_space>(num_blocks);
  check_scales<TypeParam>(KokkosKV::CacheScales(scales), scales, access_batch.table, num_blocks);
}

TYPED_TEST(DeviceAccess, ScalesUnderATableOfTheirOwn) {
  using memory_space = typename TestFixture::memory_space;
  // More pages than the blocks have, other null pages, and wider rows.
  std::vector<Numbers> const table{{6, 5, null_page, 0}, {1, 2, 4, 9}};
  auto const scales = numbered_scales<memory_space>(7);
  check_scales<TypeParam>(KokkosKV::CacheScales(scales, to_table<memory_space>(table)), scales,
                          table, 7);
}

}  // namespace KokkosKVTest
