// Device instantiations of kv_cache_ragged_radd() and kv_cache_ragged_radd_key_value().
#include <DeviceShapes.hpp>

namespace KokkosKVTest::device {

void instantiate_ragged_add(exec_space const& exec, KokkosKV::SequenceRange const& sequences,
                            numbers_type const& offsets) {
  for_each_shape([&]<class Shape>(Shape) {
    typename Shape::cache_type const keys, values;
    RaggedView<storage_type> const rows;
    KokkosKV::kv_cache_ragged_radd(exec, keys, sequences, offsets, rows);
    KokkosKV::kv_cache_ragged_radd_key_value(exec, keys, values, sequences, offsets, rows, rows);
  });
}

}  // namespace KokkosKVTest::device
