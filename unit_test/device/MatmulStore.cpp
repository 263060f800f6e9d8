// Device instantiations of qkv_matmul_store_ragged() and its kin.
#include <DeviceShapes.hpp>
#include <projection_gemm/KokkosKV_MatmulStoreRagged.hpp>

namespace KokkosKVTest::device {

void instantiate_matmul_store(exec_space const& exec,
                              KokkosKV::ProjectionPlan<float, exec_space> const& plan,
                              KokkosKV::RopeFrequencies<memory_space> const& frequencies,
                              numbers_type const& offsets) {
  using matrix_type = Kokkos::View<float const**, Kokkos::LayoutRight, memory_space>;
  using bias_type   = Kokkos::View<float const*, memory_space>;
  matrix_type const hidden;
  KokkosKV::LinearWeights const weights{matrix_type(), bias_type()};
  for_each_shape([&]<class Shape>(Shape) {
    typename Shape::cache_type const keys, values;
    KokkosKV::k_matmul_store_ragged(exec, plan, keys, offsets, hidden, weights);
    KokkosKV::kv_matmul_store_ragged(exec, plan, keys, values, offsets, hidden, weights);
    KokkosKV::qkv_matmul_store_ragged(exec, plan, keys, values, offsets, hidden, weights,
                                      RaggedView<float>());
    KokkosKV::qkv_matmul_store_ragged(exec, plan, keys, values, offsets, hidden, weights,
                                      RaggedView<float>(), frequencies);
  });
}

}  // namespace KokkosKVTest::device
