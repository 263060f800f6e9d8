// Device instantiations of kv_cache_store_padded_key_value().
#include <DeviceShapes.hpp>

namespace KokkosKVTest::device {

void instantiate_store_padded_key_value(exec_space const& exec, numbers_type const& lengths) {
  for_each_shape([&]<class Shape>(Shape) {
    typename Shape::cache_type const keys, values;
    KokkosKV::PaddedShape const shape{};
    PaddedView<storage_type> const rows;
    KokkosKV::kv_cache_store_padded_key_value(exec, keys, values, lengths, rows, rows);
    KokkosKV::kv_cache_store_padded_key_value(exec, keys, values, shape, lengths, Elements{},
                                              Elements{});
  });
}

}  // namespace KokkosKVTest::device
