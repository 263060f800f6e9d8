// One new token a sequence: keys and values are read once, against reading as many bytes and doing
// nothing with them; and what reading a shared prefix once gains.
#include <benchmark/benchmark.h>

#include <KokkosKV.hpp>
#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "../Benchmarks.hpp"
#include "../PairedTiming.hpp"
#include "AttentionCheck.hpp"
#include "AttentionReferences.hpp"
#include "AttentionSetup.hpp"

namespace KokkosKV::Perf {
namespace {

using exec_space = Kokkos::DefaultExecutionSpace;

template <class T, int PageSize>
void decode(benchmark::State& state, Scale scale, AttentionBatch const& batch, int group) {
  using pool_type = AttentionPool<T, PageSize>;
  pool_type const pool(batch, pool_type::layers_for(scale, batch));
  AttentionStep<T, PageSize> const step(pool, batch, group);
  if (!check_step(state, step)) return;
  auto const bytes = step.bytes();
  measure_pairs(
      state, static_cast<double>(bytes), 1,
      [&](int turn) { parallel_read(exec_space{}, pool.part(turn, bytes), bytes); },
      [&](int turn) { step.run(turn); });
}

/// The reference reads the prefix again for every sequence: `roofline` is the gain.
template <class T, int PageSize>
void shared_prefix(benchmark::State& state, Scale scale, AttentionBatch const& batch, int group) {
  using pool_type = AttentionPool<T, PageSize>;
  using step_type = AttentionStep<T, PageSize>;
  pool_type const pool(batch, pool_type::layers_for(scale, batch));
  AttentionPlanOptions options;
  options.shared_prefixes = {{0, batch.size(), batch.shared}};
  step_type const cascade(pool, batch, group, options);
  step_type const plain(pool, batch, group);
  if (!check_step(state, cascade) || !check_step(state, plain)) return;
  measure_pairs(
      state, static_cast<double>(cascade.bytes()), 1, [&](int turn) { plain.run(turn); },
      [&](int turn) { cascade.run(turn); });
}

template <class T, int PageSize>
void register_decode(std::string const& name, Scale scale, AttentionBatch const& batch, int group) {
  register_attention_case(name + "/" + type_name<T>() + "/group:" + std::to_string(group) +
                              "/page:" + std::to_string(PageSize),
                          scale == Scale::full ? 15 : 2,
                          [scale, batch, group](benchmark::State& state) {
                            decode<T, PageSize>(state, scale, batch, group);
                          });
}

template <class T>
void register_type(Scale scale) {
  bool const full = scale == Scale::full;
  auto const even = decode_batch(full ? std::vector<std::uint32_t>(64, 4096)
                                      : std::vector<std::uint32_t>(4, 100));
  for (int const group : {1, 4}) {
    register_decode<T, 16>("decode", scale, even, group);
    register_decode<T, 64>("decode", scale, even, group);
    register_decode<T, 256>("decode", scale, even, group);
  }

  register_decode<T, 16>("long_decode", scale, decode_batch({full ? 131072u : 3000u}), 4);
  std::vector<std::uint32_t> skewed(full ? 64 : 8, full ? 100 : 10);
  skewed[0] = full ? 32768 : 1500;
  register_decode<T, 16>("skewed_decode", scale, decode_batch(skewed), 4);

  // Each has 16 to 64 tokens of its own.
  std::vector<std::uint32_t> lengths(full ? 32 : 4);
  auto const prefix = full ? 8192u : 256u;
  for (std::size_t b = 0; b < lengths.size(); ++b) {
    lengths[b] = prefix + 16 + static_cast<std::uint32_t>(b * 29 % 49);
  }
  auto sharing   = decode_batch(lengths);
  sharing.shared = prefix;
  for (int const group : {1, 4}) {
    register_attention_case(
        std::string("shared_prefix/") + type_name<T>() + "/group:" + std::to_string(group),
        full ? 11 : 2, [scale, sharing, group](benchmark::State& state) {
          shared_prefix<T, 16>(state, scale, sharing, group);
        });
  }
}

}  // namespace

void register_attention_decode_benchmarks(Scale scale) {
  register_type<float>(scale);
  register_type<bf16>(scale);
}

}  // namespace KokkosKV::Perf
