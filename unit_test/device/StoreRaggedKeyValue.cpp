// Device instantiations of kv_cache_store_ragged_key_value().
#include <DeviceShapes.hpp>

namespace KokkosKVTest::device {

void instantiate_store_ragged_key_value(exec_space const& exec, numbers_type const& offsets) {
  for_each_shape([&]<class Shape>(Shape) {
    typename Shape::cache_type const keys, values;
    KokkosKV::RaggedShape const shape{};
    RaggedView<storage_type> const rows;
    KokkosKV::kv_cache_store_ragged_key_value(exec, keys, values, offsets, rows, rows);
    KokkosKV::kv_cache_store_ragged_key_value(exec, keys, values, shape, offsets, Elements{},
                                              Elements{});
  });
}

}  // namespace KokkosKVTest::device
