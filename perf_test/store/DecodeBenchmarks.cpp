// One token a sequence, against a bare memcpy loop over the same slots under the same parallel
// dispatch.
#include <benchmark/benchmark.h>

#include <KokkosKV.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "../Benchmarks.hpp"
#include "../PairedTiming.hpp"
#include "StoreSetup.hpp"

namespace KokkosKV::Perf {
namespace {

using exec_space = Kokkos::DefaultExecutionSpace;

constexpr std::size_t batch = 256;

/// Nothing but copies to known slots.
template <class T>
struct CopyRows {
  Kokkos::View<T*> pool;
  Kokkos::View<std::size_t const*> slots;
  Kokkos::View<T const*> rows;
  std::size_t token_elements;
  std::size_t rows_per_team;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto const begin = static_cast<std::size_t>(member.league_rank()) * rows_per_team;
    auto const end =
        begin + rows_per_team < slots.extent(0) ? begin + rows_per_team : slots.extent(0);
    for (auto row = begin; row < end; ++row) {
      T* const to         = pool.data() + slots(row);
      T const* const from = rows.data() + row * token_elements;
      KOKKOS_IF_ON_HOST((std::memcpy(to, from, token_elements * sizeof(T));))
      KOKKOS_IF_ON_DEVICE((copy_row(member, to, from);))
    }
  }

 private:
  /// The whole team on a row, 16 bytes a thread.
  template <class Member>
  KOKKOS_FUNCTION void copy_row(Member const& member, T* to, T const* from) const {
    constexpr int width     = static_cast<int>(max_access_bytes / sizeof(T));
    auto const copy_vectors = [&](std::size_t i) {
      store_vector<width, max_access_bytes>(to + i * width,
                                            load_vector<width, max_access_bytes>(from + i * width));
    };
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, token_elements / width), copy_vectors);
  }
};

/// One decode step: its cache, and the element offsets of the slots that it writes.
template <class Setup>
struct Step {
  decltype(std::declval<Setup>().cache(0)) cache;
  Kokkos::View<std::size_t const*> slots;
};

template <class T, int PageSize>
void decode(benchmark::State& state, Sizes const& sizes, std::size_t num_steps) {
  using setup_type = StoreSetup<T, PageSize>;
  std::mt19937 random(11);
  std::uniform_int_distribution<std::uint32_t> cached(1,
                                                      sizes.input_bytes >= (64u << 20) ? 512 : 64);
  std::vector<std::uint32_t> lengths(batch);
  for (auto& length : lengths) length = cached(random);
  std::vector<std::uint32_t> const new_rows(batch, static_cast<std::uint32_t>(num_steps));
  setup_type const setup(sizes.num_layers, lengths, new_rows);
  auto const offsets = device_vector("offsets", row_offsets(std::vector<std::uint32_t>(batch, 1)));
  Kokkos::View<T***, Kokkos::LayoutRight> const rows("rows", batch, bench_heads, bench_head_size);

  // Every step has its own cache lengths: the slots are as cold as in a real decode.
  auto const host_table = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, setup.table);
  std::vector<Kokkos::View<std::uint32_t*>> step_lengths;
  std::vector<Step<setup_type>> steps;
  for (std::size_t step = 0; step < num_steps; ++step) {
    auto current = lengths;
    for (auto& length : current) length += static_cast<std::uint32_t>(step);
    step_lengths.push_back(device_vector("step_lengths", current));
    auto const longest = *std::max_element(current.begin(), current.end());
    auto const collection =
        generic_get_paged_cache(setup.blocks, step_lengths.back(), setup.table, 1, longest);
    auto const layer = step % sizes.num_layers;
    auto const cache = step / sizes.num_layers % 2 == 0 ? collection.get_key_cache(layer)
                                                        : collection.get_value_cache(layer);
    Kokkos::View<std::size_t*> const slots("slots", batch);
    auto const host_slots = Kokkos::create_mirror_view(slots);
    for (std::size_t b = 0; b < batch; ++b) {
      auto const page = host_table(b, current[b] / PageSize);
      host_slots(b)   = static_cast<std::size_t>(
          cache.row(page, static_cast<int>(current[b] % PageSize), 0) - setup.blocks.data());
    }
    Kokkos::deep_copy(slots, host_slots);
    steps.push_back({cache, slots});
  }

  exec_space const exec;
  // As the store does it: chunks of rows on hosts, a team of threads a row on devices.
  constexpr bool on_host = Impl::is_host_execution_v<exec_space>;
  auto const rows_per_team =
      on_host ? Impl::host_chunk_length(exec, setup_type::token_bytes, batch) : 1;
  int const team_size = on_host ? 1 : 128;
  auto const teams    = static_cast<int>((batch + rows_per_team - 1) / rows_per_team);
  Kokkos::View<T*> const pool(setup.blocks.data(), setup.blocks.size());
  Kokkos::View<T const*> const source(rows.data(), rows.size());
  measure_pairs(
      state,
      2.0 * static_cast<double>(num_steps * batch) * static_cast<double>(setup_type::token_bytes),
      static_cast<int>(num_steps),
      [&](int) {
        for (auto const& step : steps) {
          Kokkos::parallel_for(
              "KokkosKV::Perf::copy_rows",
              Kokkos::TeamPolicy<exec_space>(exec, teams, team_size, 1),
              CopyRows<T>{pool, step.slots, source, std::size_t(bench_heads) * bench_head_size,
                          rows_per_team});
        }
      },
      [&](int) {
        for (auto const& step : steps) {
          kv_cache_store_ragged(exec, step.cache, offsets, rows, unchecked);
        }
      });
}

}  // namespace

void register_decode_benchmarks(Scale scale) {
  Sizes const sizes(scale);
  std::size_t const steps = scale == Scale::full ? 64 : 4;
  register_cases("store/ragged_decode", scale == Scale::full ? 31 : 3,
                 [sizes, steps]<class T, int PageSize>(benchmark::State& state) {
                   decode<T, PageSize>(state, sizes, steps);
                 });
}

}  // namespace KokkosKV::Perf
