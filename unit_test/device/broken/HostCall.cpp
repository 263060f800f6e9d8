// Caught as: HostCall.cpp does not compile
// A kernel calls a function of the host.
#include <DeviceShapes.hpp>
#include <cstdlib>

namespace KokkosKVTest::device {

int host_only() { return std::rand(); }

struct BrokenHostCall {
  int* data;

  KOKKOS_FUNCTION void operator()(int i) const { data[i] = host_only(); }
};

void broken_host_call(exec_space const& exec) {
  Kokkos::parallel_for("KokkosKV::test", Kokkos::RangePolicy<exec_space>(exec, 0, 1),
                       BrokenHostCall{});
}

}  // namespace KokkosKVTest::device
