// The smallest use of the library: a pool of pages, a batch of two sequences, one store, one
// element back.
#include <KokkosKV.hpp>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <cstdio>

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const guard(argc, argv);

  // 8 pages of 4 tokens; keys and values (2) of 1 layer; 2 heads of 8 elements.
  Kokkos::View<float*** [4][2][8], Kokkos::LayoutRight> blocks("blocks", 8, 2, 1);

  // Sequence 0 has 3 tokens in the cache and gets 2 new ones; sequence 1 is new and gets 1.
  Kokkos::View<std::uint32_t*> cache_lengths("cache_lengths", 2), offsets("offsets", 3);
  Kokkos::View<std::uint32_t**, Kokkos::LayoutRight> table("table", 2, 2);
  Kokkos::parallel_for(
      "first_store::batch", 1, KOKKOS_LAMBDA(int) {
        cache_lengths(0) = 3;
        offsets(1) = 2, offsets(2) = 3;
        table(0, 0) = 5, table(0, 1) = 2;  // pages in any order
        table(1, 0) = 7, table(1, 1) = KokkosKV::null_page;
      });

  auto const cache = KokkosKV::generic_get_paged_cache(blocks, cache_lengths, table,
                                                       /*max_prompt_length=*/2u,
                                                       /*max_cache_length=*/3u);
  auto const keys  = cache.get_key_cache(0);

  // Three ragged rows; the functor computes what the model would.
  KokkosKV::kv_cache_store_ragged(
      keys, {3, 2, 8}, offsets, KOKKOS_LAMBDA(std::size_t row, int head, int dim) {
        return static_cast<float>(row * 100 + 300 + static_cast<std::size_t>(head * 8 + dim));
      });

  // Row 1 is token 4 of sequence 0: page table(0, 4 / 4), slot 4 % 4.
  float element = 0;
  Kokkos::parallel_reduce(
      "first_store::read", 1,
      KOKKOS_LAMBDA(int, float& sum) { sum += keys.load<1>(0, 1, 4, 7)[0]; }, element);
  std::printf("token 4 of sequence 0, head 1, dim 7: %g\n", static_cast<double>(element));
  return element == 415.0f ? 0 : 1;
}
