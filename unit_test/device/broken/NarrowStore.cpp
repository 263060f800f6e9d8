// Caught as: StoreRow<.*: stores of less than 16 bytes: 4x
// A store that moves element by element although the head is wide and everything is aligned.
#include <DeviceShapes.hpp>

namespace KokkosKVTest::device {

using cache_type = Shape<16, 8, 128>::cache_type;

/// Has the name of the library's own kernel for aligned rows, by which such kernels are known.
template <class Cache, class Input, bool Aligned>
struct StoreRow {
  Cache cache;
  Input input;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto* const target     = cache.row(cache.page(0, 0), 0, 0);
    auto const* const from = input.data;
    auto const store_part  = [&](int i) { target[i] = from[i]; };
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, 1024), store_part);
  }
};

void broken_store(exec_space const& exec) {
  using input_type = KokkosKV::Impl::ViewRows<storage_type const>;
  Kokkos::parallel_for("KokkosKV::test", Kokkos::TeamPolicy<exec_space>(exec, 1, 1),
                       StoreRow<cache_type, input_type, true>{});
}

}  // namespace KokkosKVTest::device
