// What a downstream application does first: one page pool, one store, one look at the result.
#include <KokkosKV.hpp>
#include <cstdint>
#include <cstdio>

#ifdef WITH_KOKKOS_KERNELS
#include <projection_gemm/KokkosKV_MatmulStoreRagged.hpp>
#endif

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const guard(argc, argv);
  Kokkos::View<float*** [4][2][8], Kokkos::LayoutRight> const blocks("blocks", 3, 2, 1);
  Kokkos::View<std::uint32_t*> const cache_lengths("cache_lengths", 1);
  Kokkos::View<std::uint32_t**, Kokkos::LayoutRight> const lookup_table("lookup_table", 1, 2);
  Kokkos::View<std::uint32_t*> const offsets("offsets", 2);
  Kokkos::deep_copy(lookup_table, 2);
  Kokkos::deep_copy(Kokkos::subview(offsets, 1), 3);
  Kokkos::View<float***> const keys("keys", 3, 2, 8);
  Kokkos::deep_copy(keys, 7.0f);

  auto const cache = KokkosKV::generic_get_paged_cache(blocks, cache_lengths, lookup_table, 3, 0);
  KokkosKV::kv_cache_store_ragged(cache.get_key_cache(0), offsets, keys);
#ifdef WITH_KOKKOS_KERNELS
  // The same keys as products of ones.
  Kokkos::View<float**, Kokkos::LayoutRight> const hidden("hidden", 3, 7), weight("weight", 16, 7);
  Kokkos::deep_copy(hidden, 1.0f);
  Kokkos::deep_copy(weight, 1.0f);
  Kokkos::deep_copy(blocks, 0.0f);
  KokkosKV::ProjectionPlan<float> const plan(16, 3);
  KokkosKV::k_matmul_store_ragged(plan, cache.get_key_cache(0), offsets, hidden,
                                  KokkosKV::LinearWeights{weight});
#endif
  float last = 0;
  Kokkos::deep_copy(last, Kokkos::subview(blocks, 2, 0, 0, 2, 1, 7));
  std::printf("kokkos-kv %s stored %g\n", KOKKOSKV_VERSION_STRING, static_cast<double>(last));
  return last == 7.0f ? 0 : 1;
}
