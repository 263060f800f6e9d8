// One layer of one step: the keys and values of the new tokens go into the pages, then each new
// token attends to all tokens of its sequence up to itself. One result is computed again by hand.
#include <KokkosKV.hpp>
#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>

namespace {

constexpr int kv_heads = 2, query_heads = 4, head_size = 8;

// Stands for what the model computes of a token: numbers that differ from token to token.
enum Projection { query, key, value };
KOKKOS_FUNCTION float model(Projection what, std::size_t sequence, std::size_t token, int head,
                            int dim) {
  auto const place = static_cast<std::size_t>(7 * what + 5 * head + 11 * dim);
  return static_cast<float>((place + 13 * sequence + 3 * token) % 17) / 8 - 1;
}

// The same for ragged rows: row `r` of sequence `b` is token cache_lengths(b) + (r - offsets(b)).
struct Rows {
  Projection what;
  Kokkos::View<std::uint32_t*> cache_lengths, offsets;

  KOKKOS_FUNCTION float operator()(std::size_t row, int head, int dim) const {
    std::size_t b = 0;
    while (row >= offsets(b + 1)) ++b;
    return model(what, b, cache_lengths(b) + (row - offsets(b)), head, dim);
  }
};

}  // namespace

int main(int argc, char** argv) {
  Kokkos::ScopeGuard const guard(argc, argv);
  Kokkos::DefaultExecutionSpace const exec;

  // 18 pages of 4 tokens, 6 for each of three sequences; keys and values of 1 layer.
  Kokkos::View<float*** [4][kv_heads][head_size], Kokkos::LayoutRight> blocks("blocks", 18, 2, 1);
  Kokkos::View<std::uint32_t**, Kokkos::LayoutRight> table("table", 3, 6);
  Kokkos::View<std::uint32_t*> cache_lengths("cache_lengths", 3), offsets("offsets", 4);
  auto const cache = KokkosKV::generic_get_paged_cache(blocks, cache_lengths, table,
                                                       /*max_prompt_length=*/21u,
                                                       /*max_cache_length=*/21u);
  auto const keys = cache.get_key_cache(0), values = cache.get_value_cache(0);
  auto const store = [&](std::size_t rows) {
    KokkosKV::kv_cache_store_ragged_key_value(exec, keys, values, {rows, kv_heads, head_size},
                                              offsets, Rows{key, cache_lengths, offsets},
                                              Rows{value, cache_lengths, offsets});
  };

  // An earlier step: 21, 0 and 6 tokens.
  Kokkos::parallel_for(
      "paged_attention::earlier", 1, KOKKOS_LAMBDA(int) {
        for (std::uint32_t i = 0; i < 18; ++i) table(i / 6, i % 6) = i * 5 % 18;  // any order
        offsets(1) = offsets(2) = 21, offsets(3) = 27;
      });
  store(27);

  // This step: 1, 4 and 2 tokens more. Their keys and values are stored before they are attended
  // to.
  constexpr std::size_t rows = 7;
  Kokkos::parallel_for(
      "paged_attention::step", 1, KOKKOS_LAMBDA(int) {
        cache_lengths(0) = 21, cache_lengths(2) = 6;
        offsets(1) = 1, offsets(2) = 5, offsets(3) = 7;
      });
  store(rows);

  // One plan a step, used by all its layers. Row 6 is the last one: token 7 of sequence 2.
  auto const plan = KokkosKV::make_attention_plan(exec, keys, offsets, query_heads);
  Kokkos::View<float***> q("q", rows, query_heads, head_size);
  Kokkos::View<float***> output("output", rows, query_heads, head_size);
  Kokkos::View<float**> lse("lse", rows, query_heads);
  Rows const queries{query, cache_lengths, offsets};
  Kokkos::parallel_for(
      "paged_attention::queries", rows * query_heads * head_size, KOKKOS_LAMBDA(std::size_t i) {
        auto const row    = i / (query_heads * head_size);
        int const head    = static_cast<int>(i / head_size % query_heads);
        int const dim     = static_cast<int>(i % head_size);
        q(row, head, dim) = queries(row, head, dim);
      });
  KokkosKV::paged_attention(exec, plan, q, keys, values, offsets, output, lse);
  auto const outputs = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, output);
  auto const lses    = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, lse);

  // By hand: query head 3 of row 6 reads key/value head 3 / (4 / 2), tokens 0 to 7.
  constexpr int row = 6, head = 3, kv_head = 1, dim = 5;
  constexpr std::size_t sequence = 2, last = 7;
  double sum = 0, weighted = 0;
  for (std::size_t token = 0; token <= last; ++token) {
    double dot = 0;
    for (int d = 0; d < head_size; ++d) {
      dot += static_cast<double>(model(query, sequence, last, head, d)) *
             static_cast<double>(model(key, sequence, token, kv_head, d));
    }
    double const weight = std::exp(dot / std::sqrt(static_cast<double>(head_size)));
    sum += weight;
    weighted += weight * static_cast<double>(model(value, sequence, token, kv_head, dim));
  }
  auto const found      = static_cast<double>(outputs(row, head, dim));
  auto const found_lse  = static_cast<double>(lses(row, head));
  double const expected = weighted / sum, expected_lse = std::log(sum);
  bool const equal =
      std::fabs(found - expected) < 1e-5 && std::fabs(found_lse - expected_lse) < 1e-5;
  std::printf("row %d, head %d: element %d is %.6f, log-sum-exp is %.6f; %s\n", row, head, dim,
              found, found_lse, equal ? "equal to those by hand" : "those by hand differ");
  if (!equal) std::printf("by hand: %.6f and %.6f\n", expected, expected_lse);
  return equal ? 0 : 1;
}
