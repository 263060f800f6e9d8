// Transfers large enough for hosts to bypass the caches and to cut into many chunks.
#include <gtest/gtest.h>

#include <KokkosKV.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <ExecutionSpaces.hpp>
#include <Scenario.hpp>

namespace KokkosKVTest {

/// 2900 tokens of 3200 bytes go into pages of 64 tokens; some pages are missing.
template <class ExecSpace>
class StreamedTransfers : public testing::Test {
 protected:
  using memory_space  = typename ExecSpace::memory_space;
  using shape_type    = StaticShape<64, 8, 100>;
  using scenario_type = Scenario<float, float, shape_type, ExecSpace>;

  static constexpr std::size_t heads     = shape_type::num_heads;
  static constexpr std::size_t head_size = shape_type::head_size;

  /// \param margin  elements before the pool, and between its pages
  static scenario_type scenario(std::uint64_t margin) {
    Random random(7);
    Batch batch;
    batch.cache_lengths = {7, 130, 64};
    batch.new_lengths   = {1500, 0, 1400};
    batch.max_pages = batch.row_pitch = 24;
    auto const pages                  = shuffled_pages(100, random);
    batch.table                       = {pages.begin(), pages.begin() + 72};
    batch.table[3] = batch.table[60] = no_page;
    return {random, PoolShape{100, 1, 1, 64, heads, head_size, margin, margin}, batch};
  }

  /// Calls `check(scenario)` for aligned and for unaligned pages.
  template <class Check>
  static void for_each_alignment(Check const& check) {
    for (std::uint64_t const margin : {0, 1}) {
      auto test = scenario(margin);
      ASSERT_GE(offsets_of(test.batch.new_lengths).back() * heads * head_size * sizeof(float),
                KokkosKV::Impl::streaming_threshold);
      SCOPED_TRACE(test.describe(7));
      check(test);
    }
  }
};
TYPED_TEST_SUITE(StreamedTransfers, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(StreamedTransfers, StoreRagged) {
  using memory_space = typename TestFixture::memory_space;
  this->for_each_alignment([](auto& test) {
    auto const offsets = offsets_of(test.batch.new_lengths);
    auto const values  = random_bits<float>(
        offsets.back() * TestFixture::heads * TestFixture::head_size, test.random);
    auto expected = test.before;
    expected.store(test.batch, 0, 0, {offsets.begin(), offsets.end()}, values);
    auto const array = to_device<memory_space>(values);
    Kokkos::View<float const***, Kokkos::LayoutRight, memory_space> const rows(
        array.data(), offsets.back(), TestFixture::heads, TestFixture::head_size);
    KokkosKV::kv_cache_store_ragged(test.exec, test.collection().get_key_cache(0),
                                    to_device<memory_space>(offsets), rows);
    EXPECT_TRUE(test.matches(expected));
  });
}

TYPED_TEST(StreamedTransfers, StorePadded) {
  using memory_space = typename TestFixture::memory_space;
  this->for_each_alignment([](auto& test) {
    constexpr std::size_t max_rows = 1501;
    auto const values =
        random_bits<float>(3 * max_rows * TestFixture::heads * TestFixture::head_size, test.random);
    auto expected = test.before;
    expected.store(test.batch, 0, 0, {0, max_rows, 2 * max_rows}, values);
    auto const array = to_device<memory_space>(values);
    Kokkos::View<float const****, Kokkos::LayoutRight, memory_space> const rows(
        array.data(), 3, max_rows, TestFixture::heads, TestFixture::head_size);
    KokkosKV::kv_cache_store_padded(test.exec, test.collection().get_key_cache(0),
                                    to_device<memory_space>(test.batch.new_lengths), rows);
    EXPECT_TRUE(test.matches(expected));
  });
}

TYPED_TEST(StreamedTransfers, LoadRagged) {
  using memory_space = typename TestFixture::memory_space;
  this->for_each_alignment([](auto& test) {
    auto const offsets  = offsets_of(test.batch.new_lengths);
    auto const expected = test.before.template load<float>(
        test.batch, 0, 0, test.batch.cache_lengths, test.batch.new_lengths);
    auto const array = to_device<memory_space>(std::vector<float>(expected.size()));
    Kokkos::View<float***, Kokkos::LayoutRight, memory_space> const rows(
        array.data(), offsets.back(), TestFixture::heads, TestFixture::head_size);
    KokkosKV::kv_cache_load_ragged(test.exec, test.collection().get_key_cache(0),
                                   to_device<memory_space>(test.batch.cache_lengths),
                                   to_device<memory_space>(offsets), rows);
    EXPECT_TRUE(same_bits(to_host(array), expected, [](std::size_t) { return "output"; }));
    EXPECT_TRUE(test.matches(test.before));
  });
}

TYPED_TEST(StreamedTransfers, CopyPages) {
  using memory_space = typename TestFixture::memory_space;
  this->for_each_alignment([](auto& test) {
    auto const pages = shuffled_pages(100, test.random);
    std::vector<std::uint32_t> const sources(pages.begin(), pages.begin() + 50);
    std::vector<std::uint32_t> const destinations(pages.begin() + 50, pages.end());
    auto expected = test.before;
    for (std::size_t i = 0; i < 50; ++i) expected.copy_page(sources[i], destinations[i]);
    KokkosKV::copy_pages(test.exec, test.collection(), to_device<memory_space>(sources),
                         to_device<memory_space>(destinations));
    EXPECT_TRUE(test.matches(expected));
  });
}

}  // namespace KokkosKVTest
