// Device instantiations of merge_attention_states().
#include <DeviceShapes.hpp>

namespace KokkosKVTest::device {

template <class T>
using StateView = Kokkos::View<T****, Kokkos::LayoutRight, memory_space>;

void instantiate_merge_states(exec_space const& exec, numbers_type const& offsets) {
  RaggedView<storage_type> const output, ragged_outputs;
  Kokkos::View<float**, Kokkos::LayoutRight, memory_space> const lse, ragged_lses;
  KokkosKV::merge_attention_states(exec, offsets, ragged_outputs, ragged_lses, output, lse);
  KokkosKV::merge_attention_states(exec, StateView<storage_type>(), RaggedView<float>(), output,
                                   lse);
  KokkosKV::merge_attention_states(exec, StateView<float>(), RaggedView<float>(), output, lse);
}

}  // namespace KokkosKVTest::device
