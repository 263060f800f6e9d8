// Page copies within a pool, against parallel memcpy of one half of the pool to the other.
#include <benchmark/benchmark.h>

#include <KokkosKV.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "../Benchmarks.hpp"
#include "../PairedTiming.hpp"
#include "../ParallelMemcpy.hpp"
#include "StoreSetup.hpp"

namespace KokkosKV::Perf {
namespace {

template <class T, int PageSize>
void copy(benchmark::State& state, Sizes const& sizes) {
  using setup_type  = StoreSetup<T, PageSize>;
  auto const tokens = sizes.input_bytes / setup_type::token_bytes;
  setup_type const setup(sizes.num_layers, {0}, {static_cast<std::uint32_t>(tokens)});
  auto const collection = setup.collection();

  // A shuffled half of the pages goes to the other half.
  std::vector<std::uint32_t> pages(collection.num_blocks());
  std::iota(pages.begin(), pages.end(), 0u);
  std::shuffle(pages.begin(), pages.end(), std::mt19937(3));
  auto const half    = static_cast<std::ptrdiff_t>(pages.size() / 2);
  auto const sources = device_vector("sources", {pages.begin(), pages.begin() + half});
  auto const destinations =
      device_vector("destinations", {pages.begin() + half, pages.begin() + 2 * half});
  auto const bytes = static_cast<std::size_t>(half) * collection.page_elements() * sizeof(T);

  Kokkos::DefaultExecutionSpace const exec;
  measure_pairs(
      state, 2.0 * static_cast<double>(bytes), 1,
      [&](int) {
        parallel_memcpy(exec, reinterpret_cast<char*>(setup.blocks.data()) + bytes,
                        setup.blocks.data(), bytes);
      },
      [&](int) { copy_pages(exec, collection, sources, destinations, unchecked); });
}

}  // namespace

void register_copy_benchmarks(Scale scale) {
  Sizes const sizes(scale);
  register_cases(
      "store/copy_pages", sizes.iterations,
      [sizes]<class T, int PageSize>(benchmark::State& state) { copy<T, PageSize>(state, sizes); });
}

}  // namespace KokkosKV::Perf
