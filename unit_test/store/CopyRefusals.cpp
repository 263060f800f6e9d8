// Refusals of copy_pages(), word for word.
#include <StoreRefusal.hpp>

#include <numeric>

namespace KokkosKVTest {

using KokkosKV::ConflictError;
using KokkosKV::LookupTableError;
using KokkosKV::null_page;
using KokkosKV::ShapeError;

template <class ExecSpace>
class CopyRefusals : public StoreRefusal<ExecSpace> {
 protected:
  using typename StoreRefusal<ExecSpace>::memory_space;

  /// Refused with and without execution space.
  template <class Error, class Sources, class Destinations>
  void copy_refuses_views(std::string const& message, Sources const& sources,
                          Destinations const& destinations) const {
    auto const pool = this->collection(TestBatch{{0}, {{0}}});
    this->template refuses<Error>("copy_pages: " + message, [&] {
      KokkosKV::copy_pages(ExecSpace{}, pool, sources, destinations);
    });
    this->template refuses<Error>("copy_pages: " + message,
                                  [&] { KokkosKV::copy_pages(pool, sources, destinations); });
  }

  template <class Error>
  void copy_refuses(std::string const& message, Numbers const& sources,
                    Numbers const& destinations) const {
    copy_refuses_views<Error>(message, to_view<memory_space>(sources),
                              to_view<memory_space>(destinations));
  }
};
TYPED_TEST_SUITE(CopyRefusals, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(CopyRefusals, ListsOfDifferentLength) {
  this->template copy_refuses<ShapeError>("dst_pages.extent(0): found 1, expected 2", {0, 1}, {2});
  this->template copy_refuses<ShapeError>("dst_pages.extent(0): found 1, expected 0", {}, {2});
}

TYPED_TEST(CopyRefusals, Strides) {
  using memory_space = typename TestFixture::memory_space;
  auto const packed  = to_view<memory_space>({0, 1});
  auto const spread  = to_strided_view<memory_space>({2, 3});
  this->template copy_refuses_views<ShapeError>("src_pages.stride(0): found 2, expected 1", spread,
                                                packed);
  this->template copy_refuses_views<ShapeError>("dst_pages.stride(0): found 2, expected 1", packed,
                                                spread);
}

TYPED_TEST(CopyRefusals, PagesOutsideThePool) {
  this->template copy_refuses<LookupTableError>("src_pages(1): found 6, expected below 6 (pages)",
                                                {0, 6}, {2, 3});
  this->template copy_refuses<LookupTableError>("dst_pages(0): found 99, expected below 6 (pages)",
                                                {0, 1}, {99, 3});
  // There is nothing to copy from or to where there is no page.
  this->template copy_refuses<LookupTableError>(
      "src_pages(0): found 4294967295, expected below 6 (pages)", {null_page}, {3});
  this->template copy_refuses<LookupTableError>(
      "dst_pages(0): found 4294967295, expected below 6 (pages)", {3}, {null_page});
}

TYPED_TEST(CopyRefusals, DestinationTwice) {
  this->template copy_refuses<ConflictError>(
      "dst_pages(2): found page 4 which dst_pages(0) names too, expected a destination that no "
      "other entry names",
      {0, 1, 2}, {4, 3, 4});
}

TYPED_TEST(CopyRefusals, DestinationIsAlsoASource) {
  this->template copy_refuses<ConflictError>(
      "dst_pages(1): found page 0 which src_pages(0) names too, expected a destination that no "
      "other entry names",
      {0, 1}, {3, 0});
  this->template copy_refuses<ConflictError>(
      "dst_pages(0): found page 1 which src_pages(1) names too, expected a destination that no "
      "other entry names",
      {0, 1}, {1, 3});
  this->template copy_refuses<ConflictError>(
      "dst_pages(0): found page 5 which src_pages(0) names too, expected a destination that no "
      "other entry names",
      {5}, {5});
}

TYPED_TEST(CopyRefusals, FirstOfSeveralFaults) {
  Numbers sources, destinations;
  for (std::uint32_t pair = 0; pair < 1000; ++pair) {
    sources.push_back(pair < 300 ? 0 : pair);
    destinations.push_back(pair < 7 ? 5 : pair);
  }
  for (int repeat = 0; repeat < 5; ++repeat) {
    this->template copy_refuses<LookupTableError>("dst_pages(7): found 7, expected below 6 (pages)",
                                                  sources, destinations);
    this->template copy_refuses<ConflictError>(
        "dst_pages(1): found page 5 which dst_pages(0) names too, expected a destination that no "
        "other entry names",
        Numbers(1000, 0), Numbers(1000, 5));
  }
}

TYPED_TEST(CopyRefusals, AllowsOneSourceForSeveralPages) {
  using memory_space = typename TestFixture::memory_space;
  auto const pool    = this->collection(TestBatch{{0}, {{0}}});
  auto expected      = this->memory.snapshot();
  KokkosKV::copy_pages(TypeParam{}, pool, to_view<memory_space>({1, 1}),
                       to_view<memory_space>({0, 4}));
  Kokkos::fence();
  for (std::size_t i = 0; i < pool.page_elements(); ++i) {
    auto const first                           = this->memory.guard;
    expected[first + i]                        = expected[first + this->page_pitch + i];
    expected[first + 4 * this->page_pitch + i] = expected[first + this->page_pitch + i];
  }
  EXPECT_EQ(this->memory.snapshot(), expected);
}

// The check takes time in proportion to the entries, however many share a source.
TYPED_TEST(CopyRefusals, AllowsOneSourceForVeryManyPages) {
  using memory_space           = typename TestFixture::memory_space;
  constexpr std::uint32_t last = 300'000;
  Kokkos::View<float*** [1][1][1], Kokkos::LayoutRight, memory_space> const blocks("blocks",
                                                                                   last + 1, 2, 1);
  auto const batch = TestBatch{{0}, {{0}}};
  auto const pool  = batch.collection(blocks, KokkosKV::unchecked);
  Kokkos::deep_copy(Kokkos::subview(blocks, last, Kokkos::ALL, 0, 0, 0, 0), 7.0f);
  Numbers destinations(last);
  std::iota(destinations.begin(), destinations.end(), 0u);
  KokkosKV::copy_pages(TypeParam{}, pool, to_view<memory_space>(Numbers(last, last)),
                       to_view<memory_space>(destinations));
  Kokkos::fence();
  auto const copied = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, blocks);
  for (std::uint32_t page = 0; page < last; ++page) {
    ASSERT_EQ(copied(page, 0, 0, 0, 0, 0), 7.0f) << page;
    ASSERT_EQ(copied(page, 1, 0, 0, 0, 0), 7.0f) << page;
  }
}

}  // namespace KokkosKVTest
