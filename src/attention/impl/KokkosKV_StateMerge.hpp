// Merging of attention states behind its public overloads: check, then one launch.
#ifndef KOKKOSKV_IMPL_STATEMERGE_HPP
#define KOKKOSKV_IMPL_STATEMERGE_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <cache/KokkosKV_Errors.hpp>
#include <cache/KokkosKV_Unchecked.hpp>
#include <cache/impl/KokkosKV_Check.hpp>
#include <cache/impl/KokkosKV_LengthCheck.hpp>
#include <format/KokkosKV_Convert.hpp>
#include <kokkos_ext/KokkosKV_HostExecution.hpp>
#include <kokkos_ext/impl/KokkosKV_Teams.hpp>

namespace KokkosKV::Impl {

/// Outputs `[row, head, dim]` and lses `[row, head]` with a stride for each dimension.
template <class T>
struct StateArray {
  T const* outputs;
  float const* lses;
  Kokkos::Array<std::size_t, 3> output_strides;
  Kokkos::Array<std::size_t, 2> lse_strides;
};

/// The states of a row: `count` of them, the strides being those from one to the next.
struct StateRange {
  std::size_t output_begin;
  std::size_t lse_begin;
  std::size_t output_stride;
  std::size_t lse_stride;
  std::size_t count;
};

/// The weight exp(-inf) of a sink that is not there.
inline constexpr float no_sink = -Kokkos::Experimental::infinity_v<float>;

/// As many states for every row.
template <class T>
struct EqualStates {
  using value_type = T;

  StateArray<T> array;
  std::size_t output_stride;
  std::size_t lse_stride;
  std::size_t count;

  KOKKOS_FUNCTION std::size_t row(std::size_t index) const { return index; }
  KOKKOS_FUNCTION float sink(std::size_t /*head*/) const { return no_sink; }
  KOKKOS_FUNCTION StateRange states_of(std::size_t row) const {
    return {row * array.output_strides[0], row * array.lse_strides[0], output_stride, lse_stride,
            count};
  }
};

/// States [offsets[row], offsets[row + 1]) of a list.
template <class T>
struct RaggedStates {
  using value_type = T;

  StateArray<T> array;
  std::uint32_t const* offsets;
  std::size_t num_states;

  KOKKOS_FUNCTION std::size_t row(std::size_t index) const { return index; }
  KOKKOS_FUNCTION float sink(std::size_t /*head*/) const { return no_sink; }
  KOKKOS_FUNCTION StateRange states_of(std::size_t row) const {
    // Unchecked offsets may be anything, and still nothing outside the list is read.
    std::size_t const end   = offsets[row + 1] < num_states ? offsets[row + 1] : num_states;
    std::size_t const begin = offsets[row] < end ? offsets[row] : end;
    return {begin * array.output_strides[0], begin * array.lse_strides[0], array.output_strides[0],
            array.lse_strides[0], end - begin};
  }
};

/// The states of a plan, for the rows that have them, with learned logits that count once.
struct PlanStates {
  using value_type = float;

  StateArray<float> array;
  std::uint32_t const* offsets;
  std::uint32_t const* rows;
  float const* sinks;  ///< null = none

  KOKKOS_FUNCTION std::size_t row(std::size_t index) const { return rows[index]; }
  KOKKOS_FUNCTION float sink(std::size_t head) const {
    return sinks == nullptr ? no_sink : sinks[head];
  }
  KOKKOS_FUNCTION StateRange states_of(std::size_t row) const {
    std::size_t const begin = offsets[row];
    return {begin * array.output_strides[0], begin * array.lse_strides[0], array.output_strides[0],
            array.lse_strides[0], offsets[row + 1] - begin};
  }
};

/// Elements of a head that are summed together, so that an exponential serves several of them.
inline constexpr int merge_tile = 8;

/// One thread for a row and head, its lanes on parts of the head.
template <class States, class Out>
struct MergeKernel {
  using Input = typename States::value_type;

  States states;
  Out* output;
  float* lse;
  Kokkos::Array<std::size_t, 3> output_strides;
  Kokkos::Array<std::size_t, 2> lse_strides;
  std::size_t num_rows;
  int num_heads;
  int head_size;
  std::size_t rows_per_team;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto const begin   = static_cast<std::size_t>(member.league_rank()) * rows_per_team;
    auto const left    = num_rows - begin;
    auto const rows    = static_cast<int>(left < rows_per_team ? left : rows_per_team);
    auto const& kernel = *this;
    auto const merge   = [&kernel, &member, begin](int pair) {
      int const row = pair / kernel.num_heads;
      kernel.merge_pair(member, kernel.states.row(begin + static_cast<std::size_t>(row)),
                          static_cast<std::size_t>(pair - row * kernel.num_heads));
    };
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, rows * num_heads), merge);
  }

 private:
  /// Everything of one row and head.
  struct Pair {
    Input const* outputs;
    float const* lses;
    StateRange range;
    std::size_t dim_stride;
    Out* output;
    std::size_t output_stride;
    int head_size;
    float sink;
    float largest = -Kokkos::Experimental::infinity_v<float>;
    float sum     = 0;

    /// Without keys there is nothing to subtract; exp(-inf - (-inf)) would be NaN.
    KOKKOS_FUNCTION float weight(std::size_t state) const {
      float const value = lses[state * range.lse_stride];
      if (value == -Kokkos::Experimental::infinity_v<float>) return 0;
      return Kokkos::exp(value - largest);
    }

    KOKKOS_FUNCTION void sum_weights() {
      for (std::size_t i = 0; i < range.count; ++i) {
        largest = Kokkos::fmax(largest, lses[i * range.lse_stride]);
      }
      // Where no state has keys, a sink alone gives no result either.
      bool const has_keys = largest != -Kokkos::Experimental::infinity_v<float>;
      if (has_keys) largest = Kokkos::fmax(largest, sink);
      float lost = 0;
      for (std::size_t i = 0; i < range.count; ++i) add_exactly(sum, lost, weight(i));
      if (has_keys) add_exactly(sum, lost, Kokkos::exp(sink - largest));
    }

    /// With what the additions so far have lost (Kahan, Further remarks on reducing truncation
    /// errors, 1965): a long sequence has many states.
    KOKKOS_FUNCTION static void add_exactly(float& total, float& lost, float term) {
      float const exact = term - lost;
      float const after = total + exact;
      // Of an infinite total nothing is lost.
      lost  = Kokkos::isfinite(after) ? (after - total) - exact : 0.0f;
      total = after;
    }

    KOKKOS_FUNCTION float log_sum_exp() const {
      return sum == 0 ? -Kokkos::Experimental::infinity_v<float> : largest + Kokkos::log(sum);
    }

    /// Elements [part * merge_tile, (part + 1) * merge_tile) of the head.
    KOKKOS_FUNCTION void merge_part(int part) const {
      int const first        = part * merge_tile;
      int const width        = head_size - first < merge_tile ? head_size - first : merge_tile;
      float sums[merge_tile] = {};
      float lost[merge_tile] = {};
      for (std::size_t i = 0; i < range.count; ++i) {
        float const factor = weight(i);
        if (factor == 0) continue;
        auto const* const from =
            outputs + (i * range.output_stride + static_cast<std::size_t>(first) * dim_stride);
        for (int d = 0; d < merge_tile; ++d) {
          if (d < width) {
            add_exactly(
                sums[d], lost[d],
                factor * convert_value<float>(from[static_cast<std::size_t>(d) * dim_stride]));
          }
        }
      }
      for (int d = 0; d < merge_tile; ++d) {
        if (d < width) {
          output[static_cast<std::size_t>(first + d) * output_stride] =
              convert_value<Out>(sum == 0 ? 0.0f : sums[d] / sum);
        }
      }
    }
  };

  template <class Member>
  KOKKOS_FUNCTION void merge_pair(Member const& member, std::size_t row, std::size_t head) const {
    auto const& array = states.array;
    auto const range  = states.states_of(row);
    Pair pair{array.outputs + (range.output_begin + head * array.output_strides[1]),
              array.lses + (range.lse_begin + head * array.lse_strides[1]),
              range,
              array.output_strides[2],
              output + (row * output_strides[0] + head * output_strides[1]),
              output_strides[2],
              head_size,
              states.sink(head)};
    pair.sum_weights();
    auto const merge_part = [&pair](int part) { pair.merge_part(part); };
    int const parts       = (head_size + merge_tile - 1) / merge_tile;
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, parts), merge_part);
    if (lse == nullptr) return;
    auto* const row_lse  = lse + (row * lse_strides[0] + head * lse_strides[1]);
    auto const write_lse = [&pair, row_lse]() { *row_lse = pair.log_sum_exp(); };
    Kokkos::single(Kokkos::PerThread(member), write_lse);
  }
};

/// Merges the states of `num_rows` rows; `lse` may be null.
template <class ExecSpace, class States, class Output>
void launch_merge(ExecSpace const& exec, States const& states, std::size_t num_rows,
                  Output const& output, float* lse,
                  Kokkos::Array<std::size_t, 2> const& lse_strides) {
  using out_type          = typename Output::non_const_value_type;
  std::size_t const heads = output.extent(1), head_size = output.extent(2);
  if (num_rows * heads == 0) return;
  MergeKernel<States, out_type> kernel{states,
                                       output.data(),
                                       lse,
                                       strides<3>(output),
                                       lse_strides,
                                       num_rows,
                                       static_cast<int>(heads),
                                       static_cast<int>(head_size),
                                       1};
  TeamShape team;
  if constexpr (is_host_execution_v<ExecSpace>) {
    kernel.rows_per_team = host_chunk_length(
        exec, heads * std::max<std::size_t>(1, head_size) * sizeof(float), num_rows);
  } else {
    constexpr int team_threads = 128;
    int const parts            = std::max(1, (kernel.head_size + merge_tile - 1) / merge_tile);
    team                       = device_team_shape(exec, parts, team_threads, kernel);
    kernel.rows_per_team =
        std::max<std::size_t>(1, static_cast<std::size_t>(team.team_size) / heads);
  }
  int const num_teams = league_size(kernel.num_rows, kernel.rows_per_team);
  Kokkos::parallel_for(
      "KokkosKV::merge_attention_states",
      Kokkos::TeamPolicy<ExecSpace>(exec, num_teams, team.team_size, team.vector_length), kernel);
}

/// Finds the first offset that is out of order.
struct StateOffsetCheck {
  std::uint32_t const* offsets;
  std::size_t last;
  std::size_t num_states;

  KOKKOS_FUNCTION void operator()(std::size_t i, std::size_t& first) const {
    bool const bad = offsets[i] < (i == 0 ? 0 : offsets[i - 1]) || (i == 0 && offsets[i] != 0) ||
                     (i == last && offsets[i] != num_states);
    if (bad && i < first) first = i;
  }
};

inline constexpr char const* merge_name = "merge_attention_states";

template <class ExecSpace, class Offsets>
void check_state_offsets(ExecSpace const& exec, Offsets const& offsets, std::size_t num_states) {
  std::size_t first = no_fault;
  auto const count  = offsets.extent(0);
  Kokkos::parallel_reduce(
      "KokkosKV::merge_attention_states::check",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::size_t>>(exec, 0, count),
      StateOffsetCheck{offsets.data(), count - 1, num_states}, Kokkos::Min<std::size_t>(first));
  if (first == no_fault) return;
  std::uint32_t const found  = fetch(exec, offsets, first);
  std::uint32_t const before = first == 0 ? 0 : fetch(exec, offsets, first - 1);
  auto const expected        = first == 0 && found != 0 ? std::string("0")
                               : found < before ? "at least state_offsets(" + std::to_string(first - 1) +
                                               ") = " + std::to_string(before)
                                                : std::to_string(num_states) + " (states)";
  throw RaggedError(merge_name, indexed("state_offsets", first), std::to_string(found), expected);
}

template <class ExecSpace, class... Views>
void check_merge_types() {
  static_assert(
      (Kokkos::SpaceAccessibility<ExecSpace, typename Views::memory_space>::accessible && ...),
      "KokkosKV: states and results must be accessible from the execution space");
}

template <class T>
inline constexpr bool is_state_type =
    std::is_same_v<T, float> || std::is_same_v<T, half> || std::is_same_v<T, bf16>;

/// Compares the trailing extents of the inputs with those of the output.
template <class Outputs, class Lses, class Output, class Lse>
void check_merge_shapes(Outputs const& outputs, Lses const& lses, Output const& output,
                        Lse const& lse) {
  static_assert(is_state_type<typename Outputs::non_const_value_type> &&
                    is_state_type<typename Output::value_type>,
                "KokkosKV: outputs must be float, half or bf16");
  static_assert(std::is_same_v<typename Lses::non_const_value_type, float> &&
                    std::is_same_v<typename Lse::value_type, float>,
                "KokkosKV: log-sum-exps must be float");
  auto const check = [](char const* name, auto const& view, std::size_t dimension,
                        std::size_t expected) {
    check_equal(merge_name, std::string(name) + ".extent(" + std::to_string(dimension) + ")",
                view.extent(dimension), expected);
  };
  constexpr std::size_t rank = Outputs::rank();
  check("outputs", outputs, rank - 2, output.extent(1));
  check("outputs", outputs, rank - 1, output.extent(2));
  check("lses", lses, 0, outputs.extent(0));
  check("lses", lses, rank - 2, output.extent(1));
  check("lse", lse, 0, output.extent(0));
  check("lse", lse, 1, output.extent(1));
  if constexpr (rank == 4) {
    check("outputs", outputs, 1, output.extent(0));
    check("lses", lses, 1, output.extent(0));
  }
}

template <class ExecSpace, class Outputs, class Lses, class Output, class Lse>
void merge_equal_states(ExecSpace const& exec, Outputs const& outputs, Lses const& lses,
                        Output const& output, Lse const& lse) {
  check_merge_types<ExecSpace, Outputs, Lses, Output, Lse>();
  check_merge_shapes(outputs, lses, output, lse);
  using value_type = typename Outputs::non_const_value_type;
  auto const out   = strides<4>(outputs);
  auto const in    = strides<3>(lses);
  EqualStates<value_type> const states{
      {outputs.data(), lses.data(), {out[1], out[2], out[3]}, {in[1], in[2]}},
      out[0],
      in[0],
      static_cast<std::size_t>(outputs.extent(0))};
  launch_merge(exec, states, output.extent(0), output, lse.data(), strides<2>(lse));
}

template <class... Options, class ExecSpace, class Offsets, class Outputs, class Lses, class Output,
          class Lse>
void merge_ragged_states(ExecSpace const& exec, Offsets const& offsets, Outputs const& outputs,
                         Lses const& lses, Output const& output, Lse const& lse) {
  static_assert((std::is_same_v<Options, unchecked_t> && ...),
                "KokkosKV: the only option of merge_attention_states is KokkosKV::unchecked");
  static_assert(std::is_same_v<typename Offsets::non_const_value_type, std::uint32_t>,
                "KokkosKV: state_offsets must be uint32");
  check_merge_types<ExecSpace, Offsets, Outputs, Lses, Output, Lse>();
  check_merge_shapes(outputs, lses, output, lse);
  check_equal(merge_name, "state_offsets.extent(0)", offsets.extent(0), output.extent(0) + 1);
  auto const* const data  = contiguous_data(merge_name, "state_offsets", offsets);
  using value_type        = typename Outputs::non_const_value_type;
  std::size_t const count = outputs.extent(0);
  if constexpr (is_checked_v<Options...>) check_state_offsets(exec, offsets, count);
  RaggedStates<value_type> const states{
      {outputs.data(), lses.data(), strides<3>(outputs), strides<2>(lses)}, data, count};
  launch_merge(exec, states, output.extent(0), output, lse.data(), strides<2>(lse));
}

}  // namespace KokkosKV::Impl

#endif
