// Queries, keys and values that are stored as they are computed, against the bare matrix product of
// the same size followed by a memcpy of its keys and values: what the store costs beyond that.
#include <benchmark/benchmark.h>

#include <KokkosKV.hpp>
#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <projection_gemm/KokkosKV_MatmulStoreRagged.hpp>
#include <string>
#include <vector>

#include "../Benchmarks.hpp"
#include "../PairedTiming.hpp"
#include "../ParallelMemcpy.hpp"
#include "../store/StoreSetup.hpp"

namespace KokkosKV::Perf {
namespace {

using exec_space  = Kokkos::DefaultExecutionSpace;
using matrix_type = Kokkos::View<float**, Kokkos::LayoutRight>;

/// A layer's attention, and a step of it.
struct Layer {
  std::size_t dim;  ///< of hidden states, and of a query row
  std::size_t sequences;
  std::uint32_t cached;  ///< tokens of each sequence
  std::uint32_t added;   ///< likewise
  int iterations;

  std::size_t rows() const { return sequences * added; }
  std::string name() const {
    return "dim:" + std::to_string(dim) + "/rows:" + std::to_string(rows());
  }
};

/// Numbers that are no zeros, which multiply at another speed on some machines.
matrix_type make_matrix(std::string const& label, std::size_t rows, std::size_t columns) {
  auto const matrix = make_data<matrix_type>(label, rows, columns);
  Kokkos::deep_copy(matrix, 0.125f);
  return matrix;
}

template <class T>
void qkv_store(benchmark::State& state, Layer const& layer) {
  using setup_type       = StoreSetup<T, 16>;
  constexpr auto kv_size = std::size_t(bench_heads) * bench_head_size;
  auto const outputs     = layer.dim + 2 * kv_size;
  setup_type const setup(4, std::vector<std::uint32_t>(layer.sequences, layer.cached),
                         std::vector<std::uint32_t>(layer.sequences, layer.added));
  auto const hidden  = make_matrix("hidden", layer.rows(), layer.dim);
  auto const weight  = make_matrix("weight", outputs, layer.dim);
  auto const product = make_matrix("product", layer.rows(), outputs);
  Kokkos::View<float***, Kokkos::LayoutRight> const queries(
      "queries", layer.rows(), layer.dim / bench_head_size, bench_head_size);
  ProjectionPlan<float> const plan(2 * kv_size, layer.rows());
  auto const stored_bytes = layer.rows() * 2 * kv_size * sizeof(T);
  auto const collection   = setup.collection();
  exec_space const exec;
  PairedWork const amount{.flops = 2.0 * static_cast<double>(layer.rows()) *
                                   static_cast<double>(outputs) * static_cast<double>(layer.dim)};
  measure_pairs(
      state, amount,
      [&](int turn) {
        KokkosBlas::gemm(exec, "N", "T", 1.0f, hidden, weight, 0.0f, product);
        parallel_memcpy(exec, setup.reference_target(turn, stored_bytes), product.data(),
                        stored_bytes);
      },
      [&](int turn) {
        auto const at = static_cast<std::size_t>(turn) % collection.num_layers();
        qkv_matmul_store_ragged(exec, plan, collection.get_key_cache(at),
                                collection.get_value_cache(at), setup.offsets, hidden,
                                LinearWeights{weight}, queries, unchecked);
      });
}

}  // namespace

void register_matmul_store_benchmarks(Scale scale) {
  // Prompts and decoding, for a small model and one whose queries have 4 times the heads.
  std::vector<Layer> layers{
      {1024, 16, 0, 256, 15}, {1024, 64, 500, 1, 60}, {4096, 4, 0, 256, 9}, {4096, 64, 500, 1, 30}};
  if (scale == Scale::smoke) layers = {{256, 3, 20, 5, 2}, {256, 3, 20, 1, 2}};
  auto const register_type = [&]<class T>() {
    for (auto const& layer : layers) {
      benchmark::RegisterBenchmark(
          std::string("projection/qkv_store/") + type_name<T>() + "/" + layer.name(),
          [layer](benchmark::State& state) { qkv_store<T>(state, layer); })
          ->UseManualTime()
          ->Iterations(layer.iterations);
    }
  };
  register_type.template operator()<float>();
  register_type.template operator()<bf16>();
}

}  // namespace KokkosKV::Perf
