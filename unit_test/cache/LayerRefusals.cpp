// Refusals of get_key_cache() and get_value_cache(), word for word.
#include <ExecutionSpaces.hpp>
#include <KokkosKV.hpp>
#include <support/Refusal.hpp>
#include <support/TestBatch.hpp>

namespace KokkosKVTest {

using KokkosKV::ShapeError;

template <class ExecSpace>
class LayerRefusals : public testing::Test {
 protected:
  using blocks_type = Kokkos::View<float*** [4][2][4], typename ExecSpace::memory_space>;
  TestBatch const batch{{0}, {{0}}};
};
TYPED_TEST_SUITE(LayerRefusals, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(LayerRefusals, LayerOutOfRange) {
  using blocks_type = typename TestFixture::blocks_type;
  auto const pool   = this->batch.collection(blocks_type("blocks", 2, 2, 3));
  expect_refusal<ShapeError>("get_key_cache: layer: found 3, expected below 3",
                             [&] { pool.get_key_cache(3); });
  expect_refusal<ShapeError>("get_value_cache: layer: found 4, expected below 3",
                             [&] { pool.get_value_cache(4); });
  expect_refusal<ShapeError>("get_key_cache: layer: found 18446744073709551615, expected below 3",
                             [&] { pool.get_key_cache(static_cast<std::size_t>(-1)); });
  EXPECT_NO_THROW(pool.get_key_cache(2));
  EXPECT_NO_THROW(pool.get_value_cache(2));
}

TYPED_TEST(LayerRefusals, NoLayers) {
  using blocks_type = typename TestFixture::blocks_type;
  auto const pool   = this->batch.collection(blocks_type("blocks", 2, 2, 0));
  expect_refusal<ShapeError>("get_key_cache: layer: found 0, expected below 0",
                             [&] { pool.get_key_cache(0); });
}

TYPED_TEST(LayerRefusals, ValuesOfAnMlaCache) {
  using blocks_type = typename TestFixture::blocks_type;
  auto const pool   = this->batch.collection(blocks_type("blocks", 2, 1, 3));
  // In range or not: it has none.
  for (std::size_t const layer : {0, 3}) {
    expect_refusal<ShapeError>(
        "get_value_cache: blocks.extent(1): found 1, expected 2 (an MLA cache "
        "has no value cache)",
        [&] { pool.get_value_cache(layer); });
  }
  expect_refusal<ShapeError>("get_key_cache: layer: found 3, expected below 3",
                             [&] { pool.get_key_cache(3); });
}

}  // namespace KokkosKVTest
