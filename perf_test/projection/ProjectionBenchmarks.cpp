// What lies around the matrices of a layer: rotary embedding, norms, added rows and gathers,
// against parallel memcpy of as many bytes.
#include <benchmark/benchmark.h>

#include <KokkosKV.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "../Benchmarks.hpp"
#include "../PairedTiming.hpp"
#include "../ParallelMemcpy.hpp"
#include "../store/StoreSetup.hpp"

namespace KokkosKV::Perf {
namespace {

constexpr std::size_t batch = 64;

using exec_space = Kokkos::DefaultExecutionSpace;

/// A batch whose sequences have nothing in the cache yet.
template <class T, int PageSize>
struct NewBatch {
  using setup_type = StoreSetup<T, PageSize>;

  explicit NewBatch(Sizes const& sizes)
      : setup(sizes.num_layers, std::vector<std::uint32_t>(batch, 0),
              mixed_lengths(batch, sizes.input_bytes / setup_type::token_bytes)) {}

  std::size_t bytes() const { return setup.num_tokens * setup_type::token_bytes; }
  RaggedShape shape() const { return {setup.num_tokens, bench_heads, bench_head_size}; }

  /// Measures `work(turn)`, which reads and writes `accesses` times the rows' bytes, against a
  /// memcpy of the rows from one plane of the pool to another.
  template <class Work>
  void measure(benchmark::State& state, int accesses, Work const& work) const {
    PairedWork const amount{.bytes           = accesses * static_cast<double>(bytes()),
                            .times_reference = accesses / 2.0};
    measure_pairs(
        state, amount,
        [&](int turn) {
          parallel_memcpy(exec_space{}, setup.reference_target(turn, bytes()),
                          setup.reference_target(turn + 1, bytes()), bytes());
        },
        work);
  }

  setup_type setup;
};

template <class T, int PageSize>
void rope_keys(benchmark::State& state, Sizes const& sizes) {
  NewBatch<T, PageSize> const rows(sizes);
  RopeFrequencies<> const frequencies({.rotary_dim = bench_head_size});
  rows.measure(state, 2, [&](int turn) {
    rope_key_cache(exec_space{}, frequencies, rows.setup.cache(turn), rows.shape(),
                   rows.setup.offsets, unchecked);
  });
}

template <class T, int PageSize>
void rope_store(benchmark::State& state, Sizes const& sizes) {
  NewBatch<T, PageSize> const rows(sizes);
  RopeFrequencies<> const frequencies({.rotary_dim = bench_head_size});
  auto const input = rows.setup.make_rows();
  rows.measure(state, 2, [&](int turn) {
    rope_store_ragged(exec_space{}, frequencies, rows.setup.cache(turn), rows.setup.offsets, input,
                      unchecked);
  });
}

template <class T, int PageSize>
void norm_keys(benchmark::State& state, Sizes const& sizes) {
  NewBatch<T, PageSize> const rows(sizes);
  Kokkos::View<T*> const weight("weight", bench_head_size);
  rows.measure(state, 2, [&](int turn) {
    rms_norm_key_cache(exec_space{}, rows.setup.cache(turn), rows.shape(), rows.setup.offsets,
                       weight, RmsNormParams{}, unchecked);
  });
}

template <class T, int PageSize>
void add_rows(benchmark::State& state, Sizes const& sizes) {
  NewBatch<T, PageSize> const rows(sizes);
  auto const input = rows.setup.make_rows();
  rows.measure(state, 3, [&](int turn) {
    kv_cache_ragged_radd(exec_space{}, rows.setup.cache(turn), SequenceRange{0, batch},
                         rows.setup.offsets, input, unchecked);
  });
}

/// Rows of 4 KiB in random order.
template <class T>
void gather(benchmark::State& state, Sizes const& sizes) {
  constexpr std::size_t dim = 4096 / sizeof(T);
  auto const num_rows       = sizes.input_bytes / 4096;
  using matrix_type         = Kokkos::View<T**, Kokkos::LayoutRight>;
  auto const source         = make_data<matrix_type>("source", num_rows, dim);
  auto const output         = make_data<matrix_type>("output", num_rows, dim);
  std::vector<std::uint32_t> order(num_rows);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin(), order.end(), std::mt19937(3));
  auto const indices = device_vector("indices", order);
  measure_pairs(
      state, 2.0 * static_cast<double>(sizes.input_bytes), 1,
      [&](int) { parallel_memcpy(exec_space{}, output.data(), source.data(), sizes.input_bytes); },
      [&](int) { gather_rows(exec_space{}, source, indices, output, unchecked); });
}

}  // namespace

void register_projection_benchmarks(Scale scale) {
  Sizes const sizes(scale);
  auto const register_case = [&]<class T>(std::string const& name, auto const& body) {
    benchmark::RegisterBenchmark("projection/" + name + "/" + type_name<T>(), body)
        ->UseManualTime()
        ->Iterations(sizes.iterations);
  };
  auto const register_type = [&]<class T>() {
    register_case.template operator()<T>(
        "rope_key_cache", [sizes](benchmark::State& state) { rope_keys<T, 16>(state, sizes); });
    register_case.template operator()<T>(
        "rope_store_ragged", [sizes](benchmark::State& state) { rope_store<T, 16>(state, sizes); });
    register_case.template operator()<T>(
        "rms_norm_key_cache", [sizes](benchmark::State& state) { norm_keys<T, 16>(state, sizes); });
    register_case.template operator()<T>(
        "ragged_radd", [sizes](benchmark::State& state) { add_rows<T, 16>(state, sizes); });
    register_case.template operator()<T>(
        "gather_rows", [sizes](benchmark::State& state) { gather<T>(state, sizes); });
  };
  register_type.template operator()<float>();
  register_type.template operator()<bf16>();
}

}  // namespace KokkosKV::Perf
