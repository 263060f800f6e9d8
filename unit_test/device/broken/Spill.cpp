// Caught as: BrokenSpill: (spills registers|has a stack frame)
// An array that is indexed by a number of run time cannot lie in registers.
#include <DeviceShapes.hpp>

namespace KokkosKVTest::device {

struct BrokenSpill {
  float* data;
  int const* order;

  KOKKOS_FUNCTION void operator()(int i) const {
    float values[64];
    for (int j = 0; j < 64; ++j) values[order[j] % 64] = data[i + j];
    for (int j = 0; j < 64; ++j) data[i * 64 + j] = values[order[i + j] % 64];
  }
};

void broken_spill(exec_space const& exec) {
  Kokkos::parallel_for("KokkosKV::test", Kokkos::RangePolicy<exec_space>(exec, 0, 1),
                       BrokenSpill{});
}

}  // namespace KokkosKVTest::device
