// PoolTransfer: pages to host memory and back, bit by bit.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <cache/KokkosKV_PagedCache.hpp>
#include <manager/KokkosKV_PoolTransfer.hpp>

#include <ExecutionSpaces.hpp>
#include <reference/Arrays.hpp>
#include <reference/Random.hpp>
#include <support/Refusal.hpp>

namespace KokkosKVTest {

using namespace KokkosKV;
using Bytes = std::vector<std::byte>;

constexpr std::size_t num_pages = 12, kv_dim = 2, num_layers = 3;
constexpr std::uint32_t num_host_pages = 9;
constexpr int page_size = 4, num_heads = 2, head_size = 5;

/// Random bits on the device, padding included, and the same on the host.
template <class T, class MemorySpace>
struct Pages {
  std::size_t page_elements;
  std::size_t pitch;
  std::vector<T> host;
  Kokkos::View<T*, MemorySpace> device;

  Pages(std::size_t page_elements_, std::size_t padding, Random& random)
      : page_elements(page_elements_),
        pitch(page_elements_ + padding),
        host(random_bits<T>(num_pages * pitch, random)),
        device(to_device<MemorySpace>(host)) {}

  std::size_t page_bytes() const { return page_elements * sizeof(T); }
  void copy_out(std::size_t page, std::byte* to) const {
    std::memcpy(to, host.data() + page * pitch, page_bytes());
  }
  void copy_in(std::size_t page, std::byte const* from) {
    std::memcpy(host.data() + page * pitch, from, page_bytes());
  }
  testing::AssertionResult matches() const {
    return same_bits(to_host(device), host, [&](std::size_t index) {
      return "page " + std::to_string(index / pitch) + ", element " + std::to_string(index % pitch);
    });
  }
};

template <class T, class MemorySpace>
auto strided_scales(Pages<T, MemorySpace> const& pages, std::size_t groups) {
  auto const layer = page_size * num_heads * groups;
  return Kokkos::View<T******, Kokkos::LayoutStride, MemorySpace>(
      pages.device.data(),
      Kokkos::LayoutStride(num_pages, pages.pitch, kv_dim, num_layers * layer, num_layers, layer,
                           page_size, num_heads * groups, num_heads, groups, groups, 1));
}

/// Random transfers against plain copies of bytes.
template <class T, class ExecSpace>
void check_random_transfers(ExecSpace const& exec, std::uint64_t seed, std::size_t padding,
                            bool with_scales) {
  using memory_space = typename ExecSpace::memory_space;
  Random random(seed);
  constexpr std::size_t groups = 5;
  Pages<T, memory_space> blocks(kv_dim * num_layers * page_size * num_heads * head_size, padding,
                                random);
  Pages<float, memory_space> scales(kv_dim * num_layers * page_size * num_heads * groups, padding,
                                    random);
  auto const block_view = padded_blocks<T, page_size, num_heads, head_size, memory_space>(
      blocks.device.data(), num_pages, kv_dim, num_layers, blocks.pitch);
  auto const run = [&](auto&& transfer) {
    auto const page_bytes = blocks.page_bytes() + (with_scales ? scales.page_bytes() : 0);
    ASSERT_EQ(transfer.page_bytes(), page_bytes);
    ASSERT_EQ(transfer.num_host_pages(), num_host_pages);
    std::vector<Bytes> host(num_host_pages, Bytes(page_bytes));
    for (std::uint32_t page = 0; page < num_host_pages; ++page) {
      host[page] = random_bits<std::byte>(page_bytes, random);
      transfer.write(page, host[page]);
    }
    // Neighbours now and then, so that pages are joined.
    auto const random_copies = [&](std::uint32_t sources, std::uint32_t destinations) {
      std::vector<PageCopy> result(random.below(6));
      auto const below = [&](std::uint32_t end) {
        return static_cast<std::uint32_t>(random.below(end));
      };
      for (std::size_t i = 0; i < result.size(); ++i) {
        result[i] = {below(sources), below(destinations)};
        if (i == 0 || random.chance(40)) continue;
        result[i] = {(result[i - 1].source + 1) % sources,
                     (result[i - 1].destination + 1) % destinations};
      }
      return result;
    };
    for (int round = 0; round < 300; ++round) {
      auto const down = random_copies(num_pages, num_host_pages);
      transfer.download(down);
      for (auto const& copy : down) {
        blocks.copy_out(copy.source, host[copy.destination].data());
        if (with_scales)
          scales.copy_out(copy.source, host[copy.destination].data() + blocks.page_bytes());
      }
      auto const page = static_cast<std::uint32_t>(random.below(num_host_pages));
      if (random.chance(30)) {
        auto const found = transfer.read(page);
        ASSERT_TRUE(std::ranges::equal(found, host[page])) << "host page " << page;
      } else if (random.chance(40)) {
        host[page] = random_bits<std::byte>(page_bytes, random);
        transfer.write(page, host[page]);
      }
      auto const up = random_copies(num_host_pages, num_pages);
      transfer.upload(up);
      for (auto const& copy : up) {
        blocks.copy_in(copy.destination, host[copy.source].data());
        if (with_scales)
          scales.copy_in(copy.destination, host[copy.source].data() + blocks.page_bytes());
      }
      if (round % 10 != 9) continue;
      exec.fence();
      ASSERT_TRUE(blocks.matches());
      ASSERT_TRUE(scales.matches());
    }
  };
  if (with_scales) {
    run(PoolTransfer(exec, block_view, strided_scales(scales, groups), num_host_pages));
  } else {
    run(PoolTransfer(exec, block_view, num_host_pages));
  }
}

template <class ExecSpace>
class PoolTransfers : public testing::Test {
 protected:
  using memory_space = typename ExecSpace::memory_space;
  using blocks_type  = Kokkos::View<float*** [page_size][num_heads][head_size], memory_space>;
  static constexpr std::size_t page_bytes =
      kv_dim * num_layers * page_size * num_heads * head_size * sizeof(float);
};
TYPED_TEST_SUITE(PoolTransfers, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(PoolTransfers, RandomTransfersFloat) {
  for (auto const padding : {std::size_t(0), std::size_t(3), std::size_t(64)})
    check_random_transfers<float>(TypeParam{}, 1 + padding, padding, false);
}

TYPED_TEST(PoolTransfers, RandomTransfersOneByte) {
  for (auto const padding : {std::size_t(0), std::size_t(1), std::size_t(7)})
    check_random_transfers<std::int8_t>(TypeParam{}, 100 + padding, padding, false);
}

TYPED_TEST(PoolTransfers, RandomTransfersWithScales) {
  for (auto const padding : {std::size_t(0), std::size_t(5)}) {
    check_random_transfers<std::int8_t>(TypeParam{}, 200 + padding, padding, true);
    check_random_transfers<float>(TypeParam{}, 300 + padding, padding, true);
  }
}

TYPED_TEST(PoolTransfers, RandomTransfersOnAnotherInstance) {
  auto const instances = Kokkos::Experimental::partition_space(TypeParam{}, std::vector<int>{1, 1});
  check_random_transfers<float>(instances[1], 400, 2, true);
}

// The manager knows transfers by their interface alone.
TYPED_TEST(PoolTransfers, ThroughTheInterface) {
  typename TestFixture::blocks_type const blocks("blocks", num_pages, kv_dim, num_layers);
  Kokkos::deep_copy(blocks, 2.5f);
  Kokkos::fence();
  PoolTransfer pool(TypeParam{}, blocks, 2);
  PageTransfer& transfer = pool;
  transfer.download(std::vector<PageCopy>{{11, 1}});
  auto const contents = transfer.read(1);
  ASSERT_EQ(contents.size(), TestFixture::page_bytes);
  for (std::size_t at = 0; at < contents.size(); at += sizeof(float)) {
    float number;
    std::memcpy(&number, contents.data() + at, sizeof(number));
    ASSERT_EQ(number, 2.5f);
  }
}

int& num_fences() {
  static int result = 0;
  return result;
}

void count_fence(char const* name, std::uint32_t, std::uint64_t*) {
  num_fences() += std::string(name).starts_with("KokkosKV::PoolTransfer") ? 1 : 0;
}

// As the tools of Kokkos see it: where nothing was launched there is nothing to wait for.
TYPED_TEST(PoolTransfers, WaitsOnceForWhatWasLaunched) {
  typename TestFixture::blocks_type const blocks("blocks", num_pages, kv_dim, num_layers);
  PoolTransfer transfer(TypeParam{}, blocks, 3);
  Bytes const contents(TestFixture::page_bytes);
  auto const fences_of = [](auto const& call) {
    num_fences() = 0;
    Kokkos::Tools::Experimental::set_begin_fence_callback(&count_fence);
    call();
    Kokkos::Tools::Experimental::set_begin_fence_callback(nullptr);
    return num_fences();
  };
  auto const down  = [&] { transfer.download(std::vector<PageCopy>{{4, 0}, {5, 1}}); };
  auto const up    = [&] { transfer.upload(std::vector<PageCopy>{{2, 7}}); };
  auto const none  = [&] { transfer.upload({}); };
  auto const read  = [&] { transfer.read(2); };
  auto const write = [&] { transfer.write(2, contents); };
  EXPECT_EQ(fences_of(read), 0);
  EXPECT_EQ(fences_of(write), 0);
  EXPECT_EQ(fences_of(down), 0);
  EXPECT_EQ(fences_of(read), 1);
  EXPECT_EQ(fences_of(write), 0);
  EXPECT_EQ(fences_of(up), 0);
  EXPECT_EQ(fences_of(write), 1);
  EXPECT_EQ(fences_of(read), 0);
  EXPECT_EQ(fences_of(none), 0);
  EXPECT_EQ(fences_of(read), 0);
}

TYPED_TEST(PoolTransfers, EmptyPool) {
  typename TestFixture::blocks_type const blocks("blocks", 0, kv_dim, num_layers);
  PoolTransfer transfer(TypeParam{}, blocks, 0);
  EXPECT_EQ(transfer.page_bytes(), TestFixture::page_bytes);
  EXPECT_EQ(transfer.num_host_pages(), 0u);
  transfer.download({});
  transfer.upload({});
  expect_refusal<LookupTableError>("download: copies[0].source: found 0, expected below 0 (pages)",
                                   [&] { transfer.download(std::vector<PageCopy>{{0, 0}}); });
}

TYPED_TEST(PoolTransfers, Refusals) {
  TypeParam const exec;
  typename TestFixture::blocks_type const blocks("blocks", num_pages, kv_dim, num_layers);
  PoolTransfer transfer(exec, blocks, 3);
  Bytes const ones(TestFixture::page_bytes, std::byte(0x3F));
  for (std::uint32_t page = 0; page < 3; ++page) transfer.write(page, ones);

  // Good copies stand before the bad one: nothing of the call may happen.
  auto const refuse = [&]<class Error>(Error const*, std::string const& message, bool is_upload,
                                       PageCopy bad) {
    std::vector<PageCopy> const copies{{1, 2}, bad, {0, 0}};
    expect_refusal<Error>(message,
                          [&] { is_upload ? transfer.upload(copies) : transfer.download(copies); });
  };
  constexpr LookupTableError const* page = nullptr;
  constexpr ShapeError const* host_page  = nullptr;
  refuse(page, "download: copies[1].source: found 12, expected below 12 (pages)", false, {12, 0});
  refuse(host_page, "download: copies[1].destination: found 3, expected below 3 (host pages)",
         false, {11, 3});
  refuse(page, "upload: copies[1].destination: found 4294967295, expected below 12 (pages)", true,
         {0, null_page});
  refuse(host_page, "upload: copies[1].source: found 3, expected below 3 (host pages)", true,
         {3, 0});
  expect_refusal<ShapeError>("read: host_page: found 3, expected below 3 (host pages)",
                             [&] { transfer.read(3); });
  expect_refusal<ShapeError>("write: host_page: found 4, expected below 3 (host pages)",
                             [&] { transfer.write(4, ones); });
  expect_refusal<ShapeError>(
      "write: contents.size(): found 3, expected " + std::to_string(TestFixture::page_bytes),
      [&] { transfer.write(0, std::span(ones).first(3)); });
  exec.fence();
  for (std::uint32_t kept = 0; kept < 3; ++kept)
    EXPECT_TRUE(std::ranges::equal(transfer.read(kept), ones));
  auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, blocks);
  EXPECT_TRUE(std::all_of(host.data(), host.data() + host.size(), [](float x) { return x == 0; }));
}

TYPED_TEST(PoolTransfers, RefusesPagesThatAreNotPacked) {
  using memory_space = typename TypeParam::memory_space;
  using strided_type = Kokkos::View<float******, Kokkos::LayoutStride, memory_space>;
  TypeParam const exec;
  Kokkos::View<float*, memory_space> const array("array", 4096);
  auto const view = [&](std::size_t pages, std::size_t pitch, std::size_t layer) {
    return strided_type(
        array.data(), Kokkos::LayoutStride(pages, pitch, 2, 2 * layer, 2, layer, 4, 6, 2, 3, 3, 1));
  };
  expect_refusal<ShapeError>("PoolTransfer: blocks.stride(2): found 30, expected 24",
                             [&] { PoolTransfer(exec, view(3, 120, 30), 1); });
  expect_refusal<ShapeError>("PoolTransfer: blocks.stride(0): found 95, expected at least 96",
                             [&] { PoolTransfer(exec, view(3, 95, 24), 1); });
  expect_refusal<ShapeError>("PoolTransfer: scales.stride(0): found 90, expected at least 96",
                             [&] { PoolTransfer(exec, view(3, 96, 24), view(3, 90, 24), 1); });
  expect_refusal<ShapeError>("PoolTransfer: scales.extent(0): found 4, expected 3",
                             [&] { PoolTransfer(exec, view(3, 96, 24), view(4, 96, 24), 1); });
}

}  // namespace KokkosKVTest
