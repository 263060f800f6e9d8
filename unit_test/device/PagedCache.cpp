// Device instantiations of generic_get_paged_cache().
#include <DeviceShapes.hpp>

namespace KokkosKVTest::device {

void instantiate_paged_cache(numbers_type const& lengths) {
  for_each_shape([&]<class Shape>(Shape) {
    typename Shape::blocks_type const blocks;
    typename Shape::table_type const table;
    KokkosKV::generic_get_paged_cache(blocks, lengths, table, 1u, 1u);
  });
}

}  // namespace KokkosKVTest::device
