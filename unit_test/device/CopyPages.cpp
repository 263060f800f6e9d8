// Device instantiations of copy_pages().
#include <DeviceShapes.hpp>

namespace KokkosKVTest::device {

void instantiate_copy_pages(exec_space const& exec, numbers_type const& sources,
                            numbers_type const& destinations) {
  for_each_shape([&]<class Shape>(Shape) {
    typename Shape::blocks_type const blocks;
    numbers_type const lengths;
    typename Shape::table_type const table;
    auto const pool = KokkosKV::generic_get_paged_cache(blocks, lengths, table, 1u, 1u);
    KokkosKV::copy_pages(exec, pool, sources, destinations);
  });
}

}  // namespace KokkosKVTest::device
