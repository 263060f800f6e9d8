// Refusals of products that are stored, word for word; neither pool nor queries are touched.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include <ExecutionSpaces.hpp>
#include <KokkosKV.hpp>
#include <RefusalFixture.hpp>
#include <projection_gemm/KokkosKV_MatmulStoreRagged.hpp>

namespace KokkosKVTest {

using namespace KokkosKV;

template <class ExecSpace>
class MatmulRefusals : public RefusalFixture<ExecSpace> {
 protected:
  using memory_space   = typename ExecSpace::memory_space;
  using matrix         = Kokkos::View<float**, Kokkos::LayoutRight, memory_space>;
  using strided        = Kokkos::View<float**, Kokkos::LayoutStride, memory_space>;
  using bias_view      = Kokkos::View<float*, memory_space>;
  using plan_type      = ProjectionPlan<float, ExecSpace>;
  using queries_stride = Kokkos::View<float***, Kokkos::LayoutStride, memory_space>;

  static constexpr std::size_t dim = 5;

  matrix hidden{"hidden", 2, dim};
  matrix query{"query", 18, dim};
  matrix row{"row", 8, dim};
  matrix packed{"packed", 34, dim};
  plan_type plan{16, 8};

  strided strided_matrix(std::size_t rows, std::size_t row_stride, std::size_t columns,
                         std::size_t column_stride) const {
    return strided(packed.data(), Kokkos::LayoutStride(rows, row_stride, columns, column_stride));
  }

  /// With queries as good as everything that is not given.
  template <class Error, class Hidden, class Weights>
  void qkv_refuse(std::string const& message, Hidden const& states, Weights const& weights) const {
    auto const pool = this->collection(this->good);
    auto const view = to_view<memory_space>({0, 1, 2});
    this->template refuses<Error>("qkv_matmul_store_ragged: " + message, [&] {
      qkv_matmul_store_ragged(ExecSpace{}, plan, pool.get_key_cache(0), pool.get_value_cache(0),
                              view, states, weights, this->rows(), unchecked);
    });
  }

  /// Contents and shapes of a batch, in each of the three calls.
  template <class Error>
  void batches_refuse(std::string const& message, TestBatch const& batch,
                      Numbers const& offsets) const {
    auto const pool   = this->collection(batch);
    auto const keys   = pool.get_key_cache(0);
    auto const values = pool.get_value_cache(0);
    auto const view   = to_view<memory_space>(offsets);
    this->template refuses<Error>("qkv_matmul_store_ragged: " + message, [&] {
      qkv_matmul_store_ragged(plan, keys, values, view, hidden, LinearWeights{packed},
                              this->rows());
    });
    this->template refuses<Error>("kv_matmul_store_ragged: " + message, [&] {
      kv_matmul_store_ragged(ExecSpace{}, plan, keys, values, view, hidden,
                             KeyValueWeights{LinearWeights{row}, LinearWeights{row}});
    });
    this->template refuses<Error>("k_matmul_store_ragged: " + message, [&] {
      k_matmul_store_ragged(ExecSpace{}, plan, values, view, hidden, LinearWeights{row});
    });
  }
};
TYPED_TEST_SUITE(MatmulRefusals, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(MatmulRefusals, HiddenStates) {
  using matrix = typename TestFixture::matrix;
  LinearWeights const weights{this->packed};
  this->template qkv_refuse<ShapeError>("hidden.extent(1): found 0, expected at least 1",
                                        matrix("hidden", 2, 0), weights);
  this->template qkv_refuse<ShapeError>("hidden.stride(1): found 2, expected 1",
                                        this->strided_matrix(2, 10, 5, 2), weights);
  this->template qkv_refuse<ShapeError>(
      "hidden.stride(0): found 4, expected at least 5, the elements of a row",
      this->strided_matrix(2, 4, 5, 1), weights);
  this->template qkv_refuse<ShapeError>("queries.extent(0): found 2, expected 3",
                                        matrix("hidden", 3, 5), weights);
  this->template qkv_refuse<ShapeError>("weights.weight.extent(1): found 5, expected 4",
                                        matrix("hidden", 2, 4), weights);
}

TYPED_TEST(MatmulRefusals, PackedWeights) {
  using matrix = typename TestFixture::matrix;
  this->template qkv_refuse<ShapeError>("weights.weight.extent(0): found 33, expected 34",
                                        this->hidden, LinearWeights{matrix("packed", 33, 5)});
  this->template qkv_refuse<ShapeError>(
      "weights.weight.stride(1): found 2, expected 1 (or stride(0) of 1)", this->hidden,
      LinearWeights{this->strided_matrix(34, 10, 5, 2)});
  this->template qkv_refuse<ShapeError>("weights.weight.stride(0): found 4, expected at least 5",
                                        this->hidden,
                                        LinearWeights{this->strided_matrix(34, 4, 5, 1)});
  this->template qkv_refuse<ShapeError>("weights.weight.stride(1): found 33, expected at least 34",
                                        this->hidden,
                                        LinearWeights{this->strided_matrix(34, 1, 5, 33)});
  this->template qkv_refuse<ShapeError>(
      "weights.bias.extent(0): found 33, expected 34", this->hidden,
      LinearWeights{this->packed, typename TestFixture::bias_view("bias", 33)});
  Kokkos::View<float*, Kokkos::LayoutStride, typename TestFixture::memory_space> const strided(
      this->packed.data(), Kokkos::LayoutStride(34, 2));
  this->template qkv_refuse<ShapeError>("weights.bias.stride(0): found 2, expected 1", this->hidden,
                                        LinearWeights{this->packed, strided});
}

TYPED_TEST(MatmulRefusals, SeparateWeights) {
  auto const refuses = [&](std::string const& message, auto const& query, auto const& key,
                           auto const& value) {
    this->template qkv_refuse<ShapeError>(
        message, this->hidden,
        QueryKeyValueWeights{LinearWeights{query}, LinearWeights{key}, LinearWeights{value}});
  };
  refuses("weights.query.weight.extent(0): found 8, expected 18", this->row, this->row, this->row);
  refuses("weights.key.weight.extent(0): found 34, expected 8", this->query, this->packed,
          this->row);
  refuses("weights.value.weight.extent(0): found 18, expected 8", this->query, this->row,
          this->query);
}

TYPED_TEST(MatmulRefusals, Queries) {
  using queries_stride = typename TestFixture::queries_stride;
  auto const pool      = this->collection(this->good);
  auto const offsets   = to_view<typename TestFixture::memory_space>({0, 1, 2});
  auto const refuses   = [&](std::string const& message, auto... layout) {
    this->template refuses<ShapeError>("qkv_matmul_store_ragged: " + message, [&] {
      qkv_matmul_store_ragged(
          this->plan, pool.get_key_cache(0), pool.get_value_cache(0), offsets, this->hidden,
          LinearWeights{this->packed},
          queries_stride(this->row_memory.data(), Kokkos::LayoutStride(layout...)));
    });
  };
  refuses("queries.stride(2): found 2, expected 1", 2, 36, 3, 12, 6, 2);
  refuses("queries.stride(1): found 7, expected 6", 2, 21, 3, 7, 6, 1);
  refuses("queries.stride(0): found 17, expected at least 18, the elements of a row", 2, 17, 3, 6,
          6, 1);
  refuses("queries.extent(0): found 1, expected 2", 1, 18, 3, 6, 6, 1);
  refuses("weights.weight.extent(0): found 34, expected 28", 2, 18, 2, 6, 6, 1);
}

TYPED_TEST(MatmulRefusals, Plans) {
  auto const pool    = this->collection(this->good);
  auto const offsets = to_view<typename TestFixture::memory_space>({0, 1, 2});
  typename TestFixture::plan_type const keys_alone(8, 8);
  this->template refuses<ShapeError>(
      "qkv_matmul_store_ragged: plan.num_outputs(): found 8, expected at least 16", [&] {
        qkv_matmul_store_ragged(keys_alone, pool.get_key_cache(0), pool.get_value_cache(0), offsets,
                                this->hidden, LinearWeights{this->packed}, this->rows());
      });
  using plan_type = typename TestFixture::plan_type;
  this->template refuses<ShapeError>("ProjectionPlan: num_outputs: found 0, expected at least 1",
                                     [] { plan_type const plan(0, 1); });
  this->template refuses<ShapeError>("ProjectionPlan: max_rows: found 0, expected at least 1",
                                     [] { plan_type const plan(1, 0); });
}

TYPED_TEST(MatmulRefusals, Rotations) {
  using memory_space = typename TestFixture::memory_space;
  auto const pool    = this->collection(this->good);
  auto const keys    = pool.get_key_cache(0);
  auto const offsets = to_view<memory_space>({0, 1, 2});
  RopeFrequencies<memory_space> const good({.rotary_dim = 4}), wide({.rotary_dim = 6});
  LinearWeights const to_keys{this->row};
  this->template refuses<ShapeError>(
      "k_matmul_store_ragged: frequencies.rotary_dim(): found 6, expected at most 4, the head size",
      [&] { k_matmul_store_ragged(this->plan, keys, offsets, this->hidden, to_keys, wide); });
  this->template refuses<ShapeError>(
      "k_matmul_store_ragged: position_ids.extent(0): found 1, expected 2", [&] {
        k_matmul_store_ragged(this->plan, keys, offsets, this->hidden, to_keys,
                              PositionIds{to_view<memory_space>({7})}, unchecked, good);
      });
  // Nine heads of two elements.
  typename TestFixture::rows_view const narrow(this->row_memory.data(), 2, 9, 2);
  this->template refuses<ShapeError>(
      "qkv_matmul_store_ragged: frequencies.rotary_dim(): found 4, expected at most 2, the head "
      "size of queries",
      [&] {
        qkv_matmul_store_ragged(this->plan, keys, pool.get_value_cache(0), offsets, this->hidden,
                                LinearWeights{this->packed}, narrow, good);
      });
}

TYPED_TEST(MatmulRefusals, Batches) {
  this->template batches_refuse<ShapeError>("input_row_offsets.extent(0): found 2, expected 3",
                                            this->good, {0, 2});
  this->template batches_refuse<RaggedError>(
      "input_row_offsets(2): found 1, expected 2, the number of tokens", this->good, {0, 1, 1});
  this->template batches_refuse<LookupTableError>(
      "lookup_table(1, 0): found 6, expected below 6 (pages), or null_page",
      TestBatch{{3, 0}, {{0}, {6}}}, {0, 1, 2});
  this->template batches_refuse<ConflictError>(
      "lookup_table row of sequence 1: found page 5 whose slot 0 sequence 0 writes too, expected a "
      "slot of its own",
      TestBatch{{4, 4}, {{0, 5}, {2, 5}}}, {0, 1, 2});
}

TYPED_TEST(MatmulRefusals, CachesThatDoNotBelongTogether) {
  auto const pool    = this->collection(this->good);
  auto const other   = this->collection(this->good);
  auto const offsets = to_view<typename TestFixture::memory_space>({0, 1, 2});
  KeyValueWeights const weights{LinearWeights{this->row}, LinearWeights{this->row}};
  this->template refuses<ShapeError>(
      "kv_matmul_store_ragged: value_cache: found the batch of another collection, expected the "
      "lookup table and cache lengths of key_cache",
      [&] {
        kv_matmul_store_ragged(this->plan, pool.get_key_cache(0), other.get_value_cache(0), offsets,
                               this->hidden, weights, unchecked);
      });
  this->template refuses<ConflictError>(
      "kv_matmul_store_ragged: value_cache: found the same elements as key_cache, expected another "
      "cache of the collection",
      [&] {
        kv_matmul_store_ragged(this->plan, pool.get_key_cache(0), pool.get_key_cache(0), offsets,
                               this->hidden, weights, unchecked);
      });
}

}  // namespace KokkosKVTest
