// Device instantiations of cascade_attention().
#include "Attention.hpp"

namespace KokkosKVTest::device {

void instantiate_cascade_attention(exec_space const& exec,
                                   KokkosKV::AttentionPlan<exec_space> const& plan,
                                   numbers_type const& offsets) {
  typename Shape<16, 8, 128>::cache_type const cache;
  KokkosKV::cascade_attention(exec, plan, RaggedView<float>(), cache, cache, offsets,
                              RaggedView<float>(), KokkosKV::AttentionParams<memory_space>());
}

}  // namespace KokkosKVTest::device
