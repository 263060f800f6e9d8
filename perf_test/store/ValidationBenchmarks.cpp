// What the check of contents costs: here `roofline` is the unchecked time over the checked time.
#include <benchmark/benchmark.h>

#include <KokkosKV.hpp>
#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../Benchmarks.hpp"
#include "../PairedTiming.hpp"
#include "StoreSetup.hpp"

namespace KokkosKV::Perf {
namespace {

/// \param cached  tokens that each sequence has in the cache already
template <class T, int PageSize>
void validation(benchmark::State& state, Sizes const& sizes, std::uint32_t cached,
                std::vector<std::uint32_t> const& lengths, int repeats) {
  using setup_type = StoreSetup<T, PageSize>;
  setup_type const setup(sizes.num_layers, std::vector<std::uint32_t>(lengths.size(), cached),
                         lengths);
  auto const rows  = setup.make_rows();
  auto const cache = setup.cache(0);
  Kokkos::DefaultExecutionSpace const exec;
  auto const store = [&](auto... options) {
    for (int i = 0; i < repeats; ++i) {
      kv_cache_store_ragged(exec, cache, setup.offsets, rows, options...);
    }
  };
  measure_pairs(
      state,
      2.0 * static_cast<double>(setup.num_tokens) * setup_type::token_bytes *
          static_cast<double>(repeats),
      repeats, [&](int) { store(unchecked); }, [&](int) { store(); });
}

}  // namespace

void register_validation_benchmarks(Scale scale) {
  Sizes const sizes(scale);
  register_cases("store/validation/prefill", sizes.iterations,
                 [sizes]<class T, int PageSize>(benchmark::State& state) {
                   auto const tokens = sizes.input_bytes / StoreSetup<T, PageSize>::token_bytes;
                   validation<T, PageSize>(state, sizes, 0, mixed_lengths(64, tokens), 1);
                 });
  register_cases("store/validation/decode", sizes.iterations,
                 [sizes]<class T, int PageSize>(benchmark::State& state) {
                   validation<T, PageSize>(state, sizes, 255, std::vector<std::uint32_t>(256, 1),
                                           16);
                 });
}

}  // namespace KokkosKV::Perf
