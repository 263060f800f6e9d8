// Device instantiations of rope_ragged(), rope_key_cache() and rope_store_ragged().
#include <DeviceShapes.hpp>

namespace KokkosKVTest::device {

void instantiate_rope_ragged(exec_space const& exec,
                             KokkosKV::RopeFrequencies<memory_space> const& frequencies,
                             numbers_type const& offsets) {
  RaggedView<storage_type> const queries;
  KokkosKV::rope_ragged(exec, frequencies, Shape<16, 8, 128>::cache_type(), offsets, queries,
                        KokkosKV::PositionIds{offsets});
  for_each_shape([&]<class Shape>(Shape) {
    typename Shape::cache_type const keys;
    KokkosKV::rope_key_cache(exec, frequencies, keys, KokkosKV::RaggedShape{}, offsets);
    KokkosKV::rope_store_ragged(exec, frequencies, keys, offsets, RaggedView<float>());
    KokkosKV::rope_store_ragged(exec, frequencies, keys, KokkosKV::RaggedShape{}, offsets,
                                Vectors{});
  });
}

}  // namespace KokkosKVTest::device
