// Device instantiations of rms_norm_ragged() and rms_norm_key_cache().
#include <DeviceShapes.hpp>

namespace KokkosKVTest::device {

void instantiate_rms_norm(exec_space const& exec, numbers_type const& offsets) {
  Kokkos::View<storage_type*, memory_space> const weight;
  KokkosKV::RmsNormParams const params;
  KokkosKV::rms_norm_ragged(exec, RaggedView<storage_type>(), weight, params);
  for_each_shape([&]<class Shape>(Shape) {
    typename Shape::cache_type const keys;
    KokkosKV::rms_norm_key_cache(exec, keys, KokkosKV::RaggedShape{}, offsets, weight, params);
  });
}

}  // namespace KokkosKVTest::device
