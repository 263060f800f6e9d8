// Device instantiations of kv_cache_store_ragged().
#include <DeviceShapes.hpp>

namespace KokkosKVTest::device {

void instantiate_store_ragged(exec_space const& exec, numbers_type const& offsets) {
  for_each_shape([&]<class Shape>(Shape) {
    typename Shape::cache_type const cache;
    KokkosKV::RaggedShape const shape{};
    KokkosKV::kv_cache_store_ragged(exec, cache, offsets, RaggedView<storage_type>());
    KokkosKV::kv_cache_store_ragged(exec, cache, offsets, RaggedView<other_type>());
    KokkosKV::kv_cache_store_ragged(exec, cache, shape, offsets, Elements{});
    KokkosKV::kv_cache_store_ragged(exec, cache, shape, offsets, Vectors{});
  });
}

}  // namespace KokkosKVTest::device
