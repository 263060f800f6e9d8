// Caught as: BrokenLiteral: computes in double precision
// A literal that makes a kernel of floats compute in double precision.
#include <DeviceShapes.hpp>

namespace KokkosKVTest::device {

struct BrokenLiteral {
  float* data;

  KOKKOS_FUNCTION void operator()(int i) const { data[i] = static_cast<float>(data[i] * 0.1); }
};

void broken_literal(exec_space const& exec) {
  Kokkos::parallel_for("KokkosKV::test", Kokkos::RangePolicy<exec_space>(exec, 0, 1),
                       BrokenLiteral{});
}

}  // namespace KokkosKVTest::device
