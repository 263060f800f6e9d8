// Caught as: BrokenDivision: divides wide integers in a loop
// Page sizes that are known at run time only, divided by for each token.
#include <DeviceShapes.hpp>

namespace KokkosKVTest::device {

struct BrokenDivision {
  std::size_t* data;
  std::size_t const* page_sizes;
  std::size_t count;

  KOKKOS_FUNCTION void operator()(int i) const {
    std::size_t sum = 0;
    for (std::size_t token = 0; token < count; ++token) sum += data[token] / page_sizes[token];
    data[i] = sum;
  }
};

void broken_division(exec_space const& exec) {
  Kokkos::parallel_for("KokkosKV::test", Kokkos::RangePolicy<exec_space>(exec, 0, 1),
                       BrokenDivision{});
}

}  // namespace KokkosKVTest::device
