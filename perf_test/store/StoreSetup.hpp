// A pool with a batch in it: what every store benchmark begins with.
#ifndef KOKKOSKV_PERF_STORESETUP_HPP
#define KOKKOSKV_PERF_STORESETUP_HPP

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
#include "../HugePages.hpp"

namespace KokkosKV::Perf {

inline constexpr int bench_heads     = 8;
inline constexpr int bench_head_size = 128;

template <class T>
char const* type_name();
template <>
inline char const* type_name<float>() {
  return "float";
}
template <>
inline char const* type_name<bf16>() {
  return "bf16";
}

/// Sizes of a run. What one turn moves is larger than the last-level cache (of hosts up to about
/// half a gibibyte), so that no part of it stays there for the next turn; the pool is four times
/// that.
struct Sizes {
  std::size_t input_bytes;
  std::size_t num_layers;
  int iterations;

  explicit Sizes(Scale scale)
      : input_bytes(scale == Scale::full ? std::size_t(1) << 30 : std::size_t(1) << 20),
        num_layers(2),
        iterations(scale == Scale::full ? 15 : 3) {}
};

/// Uploads numbers.
inline auto device_vector(std::string const& label, std::vector<std::uint32_t> const& numbers) {
  Kokkos::View<std::uint32_t*> const result(Kokkos::view_alloc(Kokkos::WithoutInitializing, label),
                                            numbers.size());
  Kokkos::deep_copy(result, Kokkos::View<std::uint32_t const*, Kokkos::HostSpace>(numbers.data(),
                                                                                  numbers.size()));
  return result;
}

/// Prefix sum with a leading zero.
inline std::vector<std::uint32_t> row_offsets(std::vector<std::uint32_t> const& lengths) {
  std::vector<std::uint32_t> offsets(lengths.size() + 1, 0);
  std::partial_sum(lengths.begin(), lengths.end(), offsets.begin() + 1);
  return offsets;
}

/// Allocates pages for a batch, shuffled over a pool that they fill.
template <class T, int PageSize>
struct StoreSetup {
  using blocks_type =
      Kokkos::View<T*** [PageSize][bench_heads][bench_head_size], Kokkos::LayoutRight>;
  using rows_type = Kokkos::View<T***, Kokkos::LayoutRight>;

  static constexpr std::size_t token_bytes = std::size_t(bench_heads) * bench_head_size * sizeof(T);

  /// \param cached  tokens already in the cache, by sequence
  /// \param rows    new tokens, by sequence
  StoreSetup(std::size_t num_layers, std::vector<std::uint32_t> const& cached,
             std::vector<std::uint32_t> const& rows) {
    auto const pages_of = [&](std::size_t b) {
      return (cached[b] + rows[b] + PageSize - 1) / PageSize;
    };
    std::uint32_t total = 0, longest = 0;
    for (std::size_t b = 0; b < rows.size(); ++b) {
      total += pages_of(b);
      longest = std::max(longest, pages_of(b));
    }
    std::vector<std::uint32_t> free_pages(total);
    std::iota(free_pages.begin(), free_pages.end(), 0u);
    std::shuffle(free_pages.begin(), free_pages.end(), std::mt19937(42));

    table                 = decltype(table)("table", rows.size(), longest);
    auto const host_table = Kokkos::create_mirror_view(table);
    Kokkos::deep_copy(host_table, null_page);
    for (std::size_t b = 0, next = 0; b < rows.size(); ++b) {
      for (std::size_t page = 0; page < pages_of(b); ++page)
        host_table(b, page) = free_pages[next++];
    }
    Kokkos::deep_copy(table, host_table);

    blocks     = make_data<blocks_type>("blocks", total, std::size_t(2), num_layers);
    lengths    = device_vector("lengths", cached);
    offsets    = device_vector("offsets", row_offsets(rows));
    max_rows   = *std::max_element(rows.begin(), rows.end());
    max_cached = *std::max_element(cached.begin(), cached.end());
    num_tokens = std::accumulate(rows.begin(), rows.end(), std::size_t(0));
  }

  auto collection() const {
    return generic_get_paged_cache(blocks, lengths, table, max_rows, max_cached);
  }

  rows_type make_rows() const {
    return make_data<rows_type>("rows", num_tokens, bench_heads, bench_head_size);
  }

  /// A different part of the pool each turn: layers and keys or values in rotation.
  auto cache(int turn) const {
    auto const all   = collection();
    auto const plane = static_cast<std::size_t>(turn) % (2 * all.num_layers());
    return plane % 2 == 0 ? all.get_key_cache(plane / 2) : all.get_value_cache(plane / 2);
  }

  /// Pool memory for a reference copy of `bytes`, another part each turn.
  void* reference_target(int turn, std::size_t bytes) const {
    auto const total = blocks.size() * sizeof(T);
    auto const parts = std::max<std::size_t>(1, total / bytes);
    return reinterpret_cast<char*>(blocks.data()) + static_cast<std::size_t>(turn) % parts * bytes;
  }

  blocks_type blocks;
  Kokkos::View<std::uint32_t**, Kokkos::LayoutRight> table;
  Kokkos::View<std::uint32_t*> lengths;
  Kokkos::View<std::uint32_t*> offsets;
  std::uint32_t max_rows   = 0;
  std::uint32_t max_cached = 0;
  std::size_t num_tokens   = 0;
};

/// Registers `body<T, PageSize>(state)` for every type and page size of the table.
template <class Body>
void register_cases(std::string const& name, int iterations, Body const& body) {
  auto const add = [&]<class T, int PageSize>() {
    auto const full = name + "/" + type_name<T>() + "/page:" + std::to_string(PageSize);
    benchmark::RegisterBenchmark(
        full, [body](benchmark::State& state) { body.template operator()<T, PageSize>(state); })
        ->UseManualTime()
        ->Iterations(iterations);
  };
  auto const add_type = [&]<class T>() {
    add.template operator()<T, 16>();
    add.template operator()<T, 64>();
    add.template operator()<T, 256>();
  };
  add_type.template operator()<float>();
  add_type.template operator()<bf16>();
}

/// `count` lengths around `total / count` that add up to `total`.
inline std::vector<std::uint32_t> mixed_lengths(std::size_t count, std::size_t total) {
  std::mt19937 random(7);
  std::vector<std::uint32_t> lengths(count);
  auto const mean = static_cast<std::uint32_t>(total / count);
  std::uniform_int_distribution<std::uint32_t> deviation(0, mean / 2);
  for (std::size_t i = 0; i + 1 < count; i += 2) {
    auto const shift = deviation(random);
    lengths[i]       = mean - shift;
    lengths[i + 1]   = mean + shift;
  }
  if (count % 2 != 0) lengths[count - 1] = mean;
  return lengths;
}

/// One sequence of half the tokens beside short ones.
inline std::vector<std::uint32_t> skewed_lengths(std::size_t count, std::size_t total) {
  std::vector<std::uint32_t> lengths(count, static_cast<std::uint32_t>(total / 64 / count));
  lengths[count / 2] =
      static_cast<std::uint32_t>(total) - static_cast<std::uint32_t>(count - 1) * lengths[0];
  return lengths;
}

}  // namespace KokkosKV::Perf

#endif
