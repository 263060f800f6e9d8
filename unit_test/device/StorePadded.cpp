// Device instantiations of kv_cache_store_padded().
#include <DeviceShapes.hpp>

namespace KokkosKVTest::device {

void instantiate_store_padded(exec_space const& exec, numbers_type const& lengths) {
  for_each_shape([&]<class Shape>(Shape) {
    typename Shape::cache_type const cache;
    KokkosKV::PaddedShape const shape{};
    KokkosKV::kv_cache_store_padded(exec, cache, lengths, PaddedView<storage_type>());
    KokkosKV::kv_cache_store_padded(exec, cache, lengths, PaddedView<other_type>());
    KokkosKV::kv_cache_store_padded(exec, cache, shape, lengths, Elements{});
    KokkosKV::kv_cache_store_padded(exec, cache, shape, lengths, Vectors{});
  });
}

}  // namespace KokkosKVTest::device
