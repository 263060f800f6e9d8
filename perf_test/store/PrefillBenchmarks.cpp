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

template <class Setup>
Setup new_sequences(Sizes const& sizes, std::vector<std::uint32_t> const& lengths) {
  return Setup(sizes.num_layers, std::vector<std::uint32_t>(batch, 0), lengths);
}

/// Measures `work(turn)`, which moves all tokens of the setup into the pool, against a memcpy of as
/// many bytes. Every byte is read once and written once.
template <class Setup, class Rows, class Work>
void measure_store(benchmark::State& state, Setup const& setup, Rows const& rows,
                   Work const& work) {
  auto const bytes     = setup.num_tokens * Setup::token_bytes;
  auto const reference = [&](int turn) {
    parallel_memcpy(exec_space{}, setup.reference_target(turn, bytes), rows.data(), bytes);
  };
  measure_pairs(state, 2.0 * static_cast<double>(bytes), 1, reference, work);
}

template <class T, int PageSize>
void store_ragged(benchmark::State& state, Sizes const& sizes,
                  std::vector<std::uint32_t> const& lengths) {
  using setup_type = StoreSetup<T, PageSize>;
  auto const setup = new_sequences<setup_type>(sizes, lengths);
  auto const rows  = setup.make_rows();
  exec_space const exec;
  measure_store(state, setup, rows, [&](int turn) {
    kv_cache_store_ragged(exec, setup.cache(turn), setup.offsets, rows, unchecked);
  });
}

template <class T, int PageSize>
void store_padded(benchmark::State& state, Sizes const& sizes,
                  std::vector<std::uint32_t> const& lengths) {
  auto const setup = new_sequences<StoreSetup<T, PageSize>>(sizes, lengths);
  using rows_type  = Kokkos::View<T****, Kokkos::LayoutRight>;
  auto const rows  = make_data<rows_type>("rows", batch, std::size_t(setup.max_rows), bench_heads,
                                          bench_head_size);
  auto const valid_lengths = device_vector("valid_lengths", lengths);
  exec_space const exec;
  measure_store(state, setup, rows, [&](int turn) {
    kv_cache_store_padded(exec, setup.cache(turn), valid_lengths, rows, unchecked);
  });
}

/// The way back: the reference copies from the pool.
template <class T, int PageSize>
void load_ragged(benchmark::State& state, Sizes const& sizes,
                 std::vector<std::uint32_t> const& lengths) {
  using setup_type = StoreSetup<T, PageSize>;
  auto const setup = new_sequences<setup_type>(sizes, lengths);
  auto const rows  = setup.make_rows();
  auto const bytes = setup.num_tokens * setup_type::token_bytes;
  exec_space const exec;
  measure_pairs(
      state, 2.0 * static_cast<double>(bytes), 1,
      [&](int turn) {
        parallel_memcpy(exec, rows.data(), setup.reference_target(turn, bytes), bytes);
      },
      [&](int turn) {
        kv_cache_load_ragged(exec, setup.cache(turn), setup.lengths, setup.offsets, rows,
                             unchecked);
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
