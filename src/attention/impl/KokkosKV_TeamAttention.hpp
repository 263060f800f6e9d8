// Attention on devices: a team for each unit, with tiles of keys and values in its scratch memory.
#ifndef KOKKOSKV_IMPL_TEAMATTENTION_HPP
#define KOKKOSKV_IMPL_TEAMATTENTION_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include <attention/KokkosKV_AttentionShape.hpp>
#include <attention/impl/KokkosKV_AttentionCall.hpp>
#include <attention/impl/KokkosKV_PlanSizes.hpp>
#include <cache/KokkosKV_Errors.hpp>
#include <kokkos_ext/KokkosKV_HostExecution.hpp>
#include <kokkos_ext/KokkosKV_SimdVector.hpp>

namespace KokkosKV::Impl {

/// Scratch that every execution space grants a team.
inline constexpr std::size_t team_scratch_budget = std::size_t(31) << 10;

/// Keys of a tile: fewer where heads are large.
inline constexpr int team_tile_keys(std::size_t row_bytes) {
  constexpr std::size_t tile_bytes = std::size_t(14) << 10;
  int keys                         = 32;
  while (keys > 4 && static_cast<std::size_t>(keys) * (row_bytes + max_access_bytes) > tile_bytes) {
    keys /= 2;
  }
  return keys;
}

/// What a team knows of a pair beside its sums.
struct PairState {
  QueryPair pair;
  float slope;
  float largest;
  float total;
  float total_lost;
  float rescale;
};

/// Bytes of scratch that a pair needs.
inline std::size_t team_pair_bytes(int head_size, int value_row_size) {
  constexpr int most_keys = 32;
  return static_cast<std::size_t>(head_size + 2 * value_row_size + most_keys) * sizeof(float) +
         sizeof(PairState);
}

/// One unit a team (FlashAttention's loop over tiles of keys, Dao et al., 2022): logits of all
/// pairs and keys of a tile, then weights, then weighted values, each step spread over the whole
/// team.
template <class Call, bool Aligned>
struct TeamAttention {
  using key_type     = typename Call::key_type;
  using element_type = typename Call::element_type;

  static constexpr int key_width   = vector_width<key_type>(Call::head_size);
  static constexpr int value_width = vector_width<element_type>(Call::value_row_size);
  /// Rows of a tile are spread so that threads with neighbouring keys meet no bank twice.
  template <class T>
  static constexpr int row_stride(int size) {
    return size + static_cast<int>(max_access_bytes / sizeof(T));
  }
  static constexpr int key_stride   = row_stride<key_type>(Call::head_size);
  static constexpr int value_stride = row_stride<element_type>(Call::value_row_size);
  static constexpr std::size_t row_bytes =
      std::max(static_cast<std::size_t>(key_stride) * sizeof(key_type),
               static_cast<std::size_t>(value_stride) * sizeof(element_type));
  static constexpr int tile_keys = team_tile_keys(row_bytes);

  Call call;
  int max_pairs;
  int head_size = Call::head_size;

  static constexpr std::size_t scratch_bytes(int pairs) {
    constexpr std::size_t padding = 8 * max_access_bytes;
    return static_cast<std::size_t>(tile_keys) * row_bytes +
           static_cast<std::size_t>(pairs) *
               (static_cast<std::size_t>(Call::head_size + 2 * Call::value_row_size + tile_keys) *
                    sizeof(float) +
                sizeof(PairState)) +
           padding;
  }

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto const& unit = call.units[member.league_rank()];
    int const pairs  = static_cast<int>(unit.num_pairs);
    auto const place = [&member](std::size_t bytes) {
      return member.team_scratch(0).get_shmem_aligned(static_cast<std::ptrdiff_t>(bytes),
                                                      max_access_bytes);
    };
    auto const reals = [&place, pairs](int of_pair) {
      return static_cast<float*>(place(static_cast<std::size_t>(pairs) *
                                       static_cast<std::size_t>(of_pair) * sizeof(float)));
    };
    Scratch const scratch{
        place(static_cast<std::size_t>(tile_keys) * row_bytes),
        reals(Call::head_size),
        reals(call.value_head_size),
        reals(call.value_head_size),
        reals(tile_keys),
        static_cast<PairState*>(place(static_cast<std::size_t>(pairs) * sizeof(PairState)))};
    begin(member, unit, pairs, scratch);
    member.team_barrier();
    auto range = scratch.states[0].pair.keys;
    for (int i = 1; i < pairs; ++i) range = range.joined(scratch.states[i].pair.keys);
    for (auto key = unit.key_begin; key < unit.key_end; key += tile_keys) {
      auto const left = unit.key_end - key;
      int const count =
          left < static_cast<std::uint32_t>(tile_keys) ? static_cast<int>(left) : tile_keys;
      if (range.misses(key, key + static_cast<std::uint32_t>(count))) continue;
      attend_tile(member, unit, pairs, scratch, key, count);
    }
    write(member, unit, pairs, scratch);
  }

 private:
  struct Scratch {
    void* tile;      ///< keys, then values
    float* queries;  ///< `[pairs, head_size]`, scaled
    float* sums;     ///< `[pairs, value_head_size]`
    float* lost;     ///< likewise: what the additions to the sums have lost
    float* scores;   ///< `[pairs, tile_keys]`
    PairState* states;
  };

  template <class Member>
  KOKKOS_FUNCTION void begin(Member const& member, AttentionUnit const& unit, int pairs,
                             Scratch const& scratch) const {
    auto const& task      = call;
    auto const begin_pair = [&task, &unit, &scratch](int i) {
      auto const pair   = task.pair(unit, unit.head_begin, static_cast<std::uint32_t>(i));
      scratch.states[i] = {
          pair, task.slope(pair.query_head), -Kokkos::Experimental::infinity_v<float>, 0, 0, 0};
    };
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, pairs), begin_pair);
    int const dims   = call.value_head_size;
    auto const clear = [&scratch](int i) {
      scratch.sums[i] = 0;
      scratch.lost[i] = 0;
    };
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, pairs * dims), clear);
    auto const load_element = [&task, &unit, &scratch](int i) {
      int const index        = i / Call::head_size;
      int const dim          = i - index * Call::head_size;
      auto const pair        = task.pair(unit, unit.head_begin, static_cast<std::uint32_t>(index));
      auto const* const from = task.queries.at(pair.row, pair.query_head);
      scratch.queries[i] =
          convert_value<float>(from[static_cast<std::size_t>(dim) * task.queries.strides[2]]) *
          task.rule.scale;
    };
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, pairs * Call::head_size), load_element);
  }

  /// Copies a head's rows of neighbouring tokens; zeros where there is no page.
  template <int Width, int Size, int Stride, class Member, class Cache, class T>
  KOKKOS_FUNCTION static void load_rows(Member const& member, Cache const& cache,
                                        std::uint32_t sequence, int head, std::uint32_t first,
                                        int count, T* tile) {
    constexpr int per_row         = Size / Width;
    constexpr std::size_t promise = Aligned ? alignof(SimdVector<T, Width>) : 0;
    auto const load               = [&cache, sequence, head, first, tile](int i) {
      int const row    = i / per_row;
      int const dim    = (i - row * per_row) * Width;
      auto const token = first + static_cast<std::uint32_t>(row);
      auto const page  = cache.page(sequence, token);
      SimdVector<T, Width> loaded{};
      if (cache.is_mapped(page)) {
        loaded = load_vector<Width, promise>(
            static_cast<T const*>(cache.row(page, Cache::slot(token), head) + dim));
      }
      store_vector<Width, alignof(SimdVector<T, Width>)>(tile + (row * Stride + dim), loaded);
    };
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, count * per_row), load);
  }

  template <class Member>
  KOKKOS_FUNCTION void attend_tile(Member const& member, AttentionUnit const& unit, int pairs,
                                   Scratch const& scratch, std::uint32_t first, int count) const {
    auto const head = static_cast<int>(unit.head_begin);
    // The tile before may still be in use.
    member.team_barrier();
    load_rows<key_width, Call::head_size, key_stride>(member, call.keys, unit.sequence, head, first,
                                                      count, static_cast<key_type*>(scratch.tile));
    member.team_barrier();
    auto const& kernel = *this;
    auto const dot     = [&kernel, &unit, &scratch, first, count](int i) {
      int const index   = i / tile_keys;
      int const key     = i - index * tile_keys;
      scratch.scores[i] = key < count ? kernel.logit(unit, scratch, index, key, first)
                                          : -Kokkos::Experimental::infinity_v<float>;
    };
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, pairs * tile_keys), dot);
    member.team_barrier();
    // The keys are no longer needed: values take their place while the weights are computed.
    load_rows<value_width, Call::value_row_size, value_stride>(
        member, call.values, unit.sequence, head, first, count,
        static_cast<element_type*>(scratch.tile));
    auto const weigh = [&scratch, &member](int i) {
      weigh_pair(member, scratch.states[i], scratch.scores + i * tile_keys);
    };
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, pairs), weigh);
    member.team_barrier();
    int const parts = (call.value_head_size + value_width - 1) / value_width;
    auto const add  = [&kernel, &scratch, parts, count](int i) {
      int const index = i / parts;
      kernel.add_values(scratch, index, (i - index * parts) * value_width, count);
    };
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, pairs * parts), add);
  }

  KOKKOS_FUNCTION float logit(AttentionUnit const& unit, Scratch const& scratch, int index, int key,
                              std::uint32_t first) const {
    constexpr float hidden = -Kokkos::Experimental::infinity_v<float>;
    auto const& state      = scratch.states[index];
    auto const token       = first + static_cast<std::uint32_t>(key);
    if (!state.pair.keys.contains(token)) return hidden;
    if (!call.keys.is_mapped(call.keys.page(unit.sequence, token)) ||
        !call.values.is_mapped(call.values.page(unit.sequence, token))) {
      return hidden;
    }
    auto const* const row   = static_cast<key_type const*>(scratch.tile) + key * key_stride;
    auto const* const query = scratch.queries + index * Call::head_size;
    float sum               = 0;
    // A bound that the compiler does not know: unrolled, the loop would need more registers than
    // there are.
    for (int dim = 0; dim < head_size; dim += key_width) {
      auto const loaded =
          load_vector<key_width, alignof(SimdVector<key_type, key_width>)>(row + dim);
      for (int i = 0; i < key_width; ++i) sum += query[dim + i] * convert_value<float>(loaded[i]);
    }
    if (call.rule.soft_cap != 0) sum = call.rule.soft_cap * Kokkos::tanh(sum / call.rule.soft_cap);
    if (call.rule.alibi_slopes != nullptr) {
      sum += state.slope * static_cast<float>(static_cast<std::int32_t>(token) -
                                              static_cast<std::int32_t>(state.pair.position));
    }
    if constexpr (Call::has_functors) sum = call.rule.apply(call.index(state.pair, token), sum);
    return sum;
  }

  /// Logits of a tile become weights relative to the largest logit so far.
  template <class Member>
  KOKKOS_FUNCTION static void weigh_pair(Member const& member, PairState& state, float* scores) {
    constexpr float none = -Kokkos::Experimental::infinity_v<float>;
    float top            = none;
    auto const maximum   = [scores](int key, float& largest) {
      largest = Kokkos::fmax(largest, scores[key]);
    };
    Kokkos::parallel_reduce(Kokkos::ThreadVectorRange(member, tile_keys), maximum,
                            Kokkos::Max<float>(top));
    // The least float stands for no maximum in some versions of Kokkos.
    if (top == Kokkos::reduction_identity<float>::max()) top = none;
    float const before  = state.largest;
    float const largest = Kokkos::fmax(before, top);
    // Without a visible key so far there is nothing to subtract; -inf - (-inf) would be NaN.
    float const base   = largest == none ? 0.0f : largest;
    float sum          = 0;
    auto const weights = [scores, base](int key, float& partial) {
      scores[key] = Kokkos::exp(scores[key] - base);
      partial += scores[key];
    };
    Kokkos::parallel_reduce(Kokkos::ThreadVectorRange(member, tile_keys), weights, sum);
    auto const update = [&state, before, largest, base, sum]() {
      state.rescale = Kokkos::exp(before - base);
      state.largest = largest;
      add_exactly(state.total, state.total_lost, state.rescale, sum);
    };
    Kokkos::single(Kokkos::PerThread(member), update);
  }

  /// total * factor + term, with what the additions so far have lost (Kahan, Further remarks on
  /// reducing truncation errors, 1965).
  KOKKOS_FUNCTION static void add_exactly(float& total, float& lost, float factor, float term) {
    float const before = total * factor;
    lost *= factor;
    if (term != 0) {
      float const exact = term - lost;
      float const after = before + exact;
      // Of an infinite total nothing is lost.
      lost  = Kokkos::isfinite(after) ? (after - before) - exact : 0.0f;
      total = after;
    } else {
      // What a row does not see must not change a bit of it.
      total = before;
    }
  }

  /// Adds the weighted values of a tile to some elements of a pair.
  KOKKOS_FUNCTION void add_values(Scratch const& scratch, int index, int dim, int count) const {
    auto const* const weights = scratch.scores + index * tile_keys;
    auto const* const column  = static_cast<element_type const*>(scratch.tile) + dim;
    float sums[value_width]   = {};
    for (int key = 0; key < count; ++key) {
      float const weight = weights[key];
      // A key that is not seen must not count, whatever its value is.
      if (weight == 0) continue;
      auto const loaded = load_vector<value_width, alignof(SimdVector<element_type, value_width>)>(
          column + key * value_stride);
      for (int i = 0; i < value_width; ++i) sums[i] += weight * convert_value<float>(loaded[i]);
    }
    float const rescale = scratch.states[index].rescale;
    int const first     = index * call.value_head_size + dim;
    for (int i = 0; i < value_width; ++i) {
      if (dim + i < call.value_head_size)
        add_exactly(scratch.sums[first + i], scratch.lost[first + i], rescale, sums[i]);
    }
  }

  template <class Member>
  KOKKOS_FUNCTION void write(Member const& member, AttentionUnit const& unit, int pairs,
                             Scratch const& scratch) const {
    member.team_barrier();
    auto const& task         = call;
    int const dims           = call.value_head_size;
    auto const write_element = [&task, &unit, &scratch, dims](int i) {
      int const index   = i / dims;
      int const dim     = i - index * dims;
      auto const& state = scratch.states[index];
      auto const target = task.target(unit, state.pair);
      auto const result =
          task.normalization(unit, state.pair.query_head, state.largest, state.total);
      float const value = scratch.sums[i] * result.factor;
      if (target.state != nullptr) {
        target.state[dim] = value;
      } else {
        target.output[static_cast<std::size_t>(dim) * target.stride] =
            convert_value<typename Call::output_type>(value);
      }
      if (dim == 0 && target.lse != nullptr) *target.lse = result.lse;
    };
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, pairs * dims), write_element);
  }
};

/// How plans and calls use teams.
struct TeamForm {
  template <class ExecSpace>
  static PlanSizes plan_sizes(ExecSpace const& exec, AttentionShape const& shape) {
    constexpr std::uint32_t most_pairs = 16;
    auto const value_row               = value_row_size(shape);
    auto const row_bytes =
        static_cast<std::size_t>(std::max(shape.head_size, value_row)) * sizeof(float) +
        max_access_bytes;
    auto const tile_bytes = static_cast<std::size_t>(team_tile_keys(row_bytes)) * row_bytes;
    auto const left       = team_scratch_budget - tile_bytes;
    auto const fitting    = left / team_pair_bytes(shape.head_size, value_row);
    auto const pairs =
        std::clamp<std::uint32_t>(static_cast<std::uint32_t>(fitting), 1, most_pairs);
    auto const group = static_cast<std::uint32_t>(shape.num_query_heads / shape.num_kv_heads);
    // A tile is at least a row of a whole group, in units of as many pairs as fit.
    return {{std::max(pairs, group), 0, pairs, static_cast<std::size_t>(exec.concurrency())}, 0, 0};
  }

  template <class ExecSpace, class Call, class Plan>
  static void launch(ExecSpace const& exec, Call const& call, Plan const& plan) {
    bool const aligned =
        call.keys.is_aligned(alignment<typename Call::key_type>(Call::head_size)) &&
        call.values.is_aligned(alignment<typename Call::element_type>(Call::value_row_size));
    if (aligned) {
      launch_kernel(
          exec, TeamAttention<Call, true>{call, static_cast<int>(plan.sizes().limits.unit_pairs)},
          plan.num_units());
    } else {
      launch_kernel(
          exec, TeamAttention<Call, false>{call, static_cast<int>(plan.sizes().limits.unit_pairs)},
          plan.num_units());
    }
  }

 private:
  /// Of the vectors that a row is made of, in bytes.
  template <class T>
  static constexpr std::size_t alignment(int size) {
    return static_cast<std::size_t>(vector_width<T>(size)) * sizeof(T);
  }

  template <class ExecSpace, class Kernel>
  static void launch_kernel(ExecSpace const& exec, Kernel const& kernel, std::size_t num_units) {
    using policy_type          = Kokkos::TeamPolicy<ExecSpace>;
    constexpr int team_threads = 128;
    auto const bytes           = Kernel::scratch_bytes(kernel.max_pairs);
    auto const limit           = static_cast<std::size_t>(policy_type::scratch_size_max(0));
    if (bytes > limit) {
      throw ShapeError("paged_attention", "team scratch", std::to_string(bytes),
                       "at most " + std::to_string(limit) + " bytes, what the device grants");
    }
    auto const scratch = Kokkos::PerTeam(static_cast<int>(bytes));
    int const lanes    = std::min(32, policy_type::vector_length_max());
    policy_type probe(exec, 1, 1, lanes);
    probe.set_scratch_size(0, scratch);
    int const size = std::max(
        1, std::min(team_threads / lanes, probe.team_size_max(kernel, Kokkos::ParallelForTag{})));
    policy_type policy(exec, static_cast<int>(num_units), is_host_execution_v<ExecSpace> ? 1 : size,
                       lanes);
    policy.set_scratch_size(0, scratch);
    Kokkos::parallel_for("KokkosKV::paged_attention", policy, kernel);
  }
};

}  // namespace KokkosKV::Impl

#endif
