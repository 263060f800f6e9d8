// Long inputs: ragged, padded and skewed stores, and the load back, against parallel memcpy.
#include <benchmark/benchmark.h>

#include <KokkosKV.hpp>
#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../Benchmarks.hpp"
#include "../PairedTiming.hpp"
#include "../ParallelMemcpy.hpp"
#include "StoreSetup.hpp"

namespace KokkosKV::Perf {
namespace {

constexpr std::size_t batch = 64;

using exec_space = Kokkos::DefaultExecutionSpace;

/// Every byte is read once and written once.
template <class T, int PageSize>
double moved_bytes(std::size_t tokens) {
  return 2.0 * static_cast<double>(tokens) *
         static_cast<double>(StoreSetup<T, PageSize>::token_bytes);
}

template <class T, int PageSize>
void store_ragged(benchmark::State& state, Sizes const& sizes,
                  std::vector<std::uint32_t> const& lengths) {
  using setup_type = StoreSetup<T, PageSize>;
  setup_type const setup(sizes.num_layers, std::vector<std::uint32_t>(batch, 0), lengths);
  typename setup_type::rows_type const rows("rows", setup.num_tokens, bench_heads, bench_head_size);
  auto const bytes = setup.num_tokens * setup_type::token_bytes;
  exec_space const exec;
  measure_pairs(
      state, moved_bytes<T, PageSize>(setup.num_tokens), 1,
      [&](int turn) {
        parallel_memcpy(exec, setup.reference_target(turn, bytes), rows.data(), bytes);
      },
      [&](int turn) {
        kv_cache_store_ragged(exec, setup.cache(turn), setup.offsets, rows, unchecked);
      });
}

template <class T, int PageSize>
void load_ragged(benchmark::State& state, Sizes const& sizes,
                 std::vector<std::uint32_t> const& lengths) {
  using setup_type = StoreSetup<T, PageSize>;
  setup_type const setup(sizes.num_layers, std::vector<std::uint32_t>(batch, 0), lengths);
  typename setup_type::rows_type const rows("rows", setup.num_tokens, bench_heads, bench_head_size);
  auto const bytes = setup.num_tokens * setup_type::token_bytes;
  exec_space const exec;
  measure_pairs(
      state, moved_bytes<T, PageSize>(setup.num_tokens), 1,
      [&](int turn) {
        parallel_memcpy(exec, rows.data(), setup.reference_target(turn, bytes), bytes);
      },
      [&](int turn) {
        kv_cache_load_ragged(exec, setup.cache(turn), setup.lengths, setup.offsets, rows,
                             unchecked);
      });
}

template <class T, int PageSize>
void store_padded(benchmark::State& state, Sizes const& sizes,
                  std::vector<std::uint32_t> const& lengths) {
  using setup_type = StoreSetup<T, PageSize>;
  setup_type const setup(sizes.num_layers, std::vector<std::uint32_t>(batch, 0), lengths);
  Kokkos::View<T****, Kokkos::LayoutRight> const rows("rows", batch, setup.max_rows, bench_heads,
                                                      bench_head_size);
  auto const valid_lengths = device_vector("valid_lengths", lengths);
  auto const bytes         = setup.num_tokens * setup_type::token_bytes;
  exec_space const exec;
  measure_pairs(
      state, moved_bytes<T, PageSize>(setup.num_tokens), 1,
      [&](int turn) {
        parallel_memcpy(exec, setup.reference_target(turn, bytes), rows.data(), bytes);
      },
      [&](int turn) {
        kv_cache_store_padded(exec, setup.cache(turn), valid_lengths, rows, unchecked);
      });
}

}  // namespace

void register_prefill_benchmarks(Scale scale) {
  Sizes const sizes(scale);
  register_cases("store/ragged_prefill", sizes.iterations,
                 [sizes]<class T, int PageSize>(benchmark::State& state) {
                   auto const tokens = sizes.input_bytes / StoreSetup<T, PageSize>::token_bytes;
                   store_ragged<T, PageSize>(state, sizes, mixed_lengths(batch, tokens));
                 });
  register_cases("store/padded", sizes.iterations,
                 [sizes]<class T, int PageSize>(benchmark::State& state) {
                   auto const tokens = sizes.input_bytes / StoreSetup<T, PageSize>::token_bytes;
                   store_padded<T, PageSize>(state, sizes, mixed_lengths(batch, tokens));
                 });
  register_cases("store/skewed", sizes.iterations,
                 [sizes]<class T, int PageSize>(benchmark::State& state) {
                   auto const tokens = sizes.input_bytes / StoreSetup<T, PageSize>::token_bytes;
                   store_ragged<T, PageSize>(state, sizes, skewed_lengths(batch, tokens));
                 });
  register_cases("store/load_ragged", sizes.iterations,
                 [sizes]<class T, int PageSize>(benchmark::State& state) {
                   auto const tokens = sizes.input_bytes / StoreSetup<T, PageSize>::token_bytes;
                   load_ragged<T, PageSize>(state, sizes, mixed_lengths(batch, tokens));
                 });
}

}  // namespace KokkosKV::Perf
