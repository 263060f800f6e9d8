// Device instantiations of kv_cache_load_ragged().
#include <DeviceShapes.hpp>

namespace KokkosKVTest::device {

void instantiate_load_ragged(exec_space const& exec, numbers_type const& first_tokens,
                             numbers_type const& offsets) {
  for_each_shape([&]<class Shape>(Shape) {
    typename Shape::cache_type const cache;
    KokkosKV::kv_cache_load_ragged(exec, cache, first_tokens, offsets, RaggedView<storage_type>());
    KokkosKV::kv_cache_load_ragged(exec, cache, first_tokens, offsets, RaggedView<other_type>());
  });
}

}  // namespace KokkosKVTest::device
