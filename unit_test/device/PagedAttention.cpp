// Device instantiations of make_attention_plan(), check_attention_pages() and paged_attention().
#include "Attention.hpp"

namespace KokkosKVTest::device {

void instantiate_paged_attention(exec_space const& exec, numbers_type const& offsets) {
  for_each_shape([&](auto shape) {
    using shape_type = decltype(shape);
    typename shape_type::cache_type const cache;
    auto const plan = KokkosKV::make_attention_plan(exec, cache, offsets, 8);
    KokkosKV::check_attention_pages(exec, plan, cache);
    RaggedView<storage_type> const output;
    Kokkos::View<float**, Kokkos::LayoutRight, memory_space> const lse;
    KokkosKV::paged_attention(exec, plan, RaggedView<float>(), cache, cache, offsets, output, lse);
    KokkosKV::paged_attention(exec, plan, RaggedView<storage_type>(), cache, cache, offsets, output,
                              KokkosKV::AttentionParams<memory_space, SomeKeys, ByDistance>());
  });
}

}  // namespace KokkosKVTest::device
