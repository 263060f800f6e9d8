// Device instantiations of gather_rows().
#include <DeviceShapes.hpp>

namespace KokkosKVTest::device {

void instantiate_gather_rows(exec_space const& exec, numbers_type const& indices) {
  using matrix_type       = Kokkos::View<storage_type**, Kokkos::LayoutRight, memory_space>;
  using other_matrix_type = Kokkos::View<other_type**, Kokkos::LayoutRight, memory_space>;
  matrix_type const source;
  KokkosKV::gather_rows(exec, source, indices, matrix_type());
  KokkosKV::gather_rows(exec, source, indices, other_matrix_type());
}

}  // namespace KokkosKVTest::device
