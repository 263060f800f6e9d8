// The kernel of the rotary embedding: rows that are rotated where they lie, or on their way into
// the cache.
#ifndef KOKKOSKV_IMPL_ROPEKERNEL_HPP
#define KOKKOSKV_IMPL_ROPEKERNEL_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <format/KokkosKV_Convert.hpp>
#include <kokkos_ext/KokkosKV_HostExecution.hpp>
#include <kokkos_ext/KokkosKV_SimdVector.hpp>
#include <kokkos_ext/impl/KokkosKV_VectorMath.hpp>
#include <projection/KokkosKV_RopeFrequencies.hpp>
#include <projection/impl/KokkosKV_HeadRows.hpp>
#include <projection/impl/KokkosKV_TurnFraction.hpp>
#include <store/impl/KokkosKV_RowKernels.hpp>
#include <store/impl/KokkosKV_StoreLaunch.hpp>

namespace KokkosKV::Impl {

/// RopeFrequencies as kernels see them.
template <class Real>
struct RopeTable {
  std::uint64_t const* turns;
  int num_pairs;
  Real factor;
};

/// Rows that are rotated where they lie.
/// \tparam Heads  ViewHeads or CacheHeads
template <class Heads>
struct RotatedInPlace {
  using value_type = typename Heads::value_type;
  using real       = compute_type<value_type>;

  Heads heads;

  /// Elements behind the rotated ones stay as they are.
  static constexpr bool copies_rest = false;

  template <class ExecSpace>
  static constexpr int vector_elements = lane_elements<ExecSpace, value_type>;

  KOKKOS_FUNCTION static ViewRows<value_type> const& source(ViewRows<value_type> const& target) {
    return target;
  }

  template <int Width>
  bool is_aligned() const {
    return heads.template is_aligned<Width>();
  }
};

/// Deduces the heads.
template <class Heads>
RotatedInPlace(Heads) -> RotatedInPlace<Heads>;

/// Rows of an input that are rotated on their way into the cache.
/// \tparam Input  ViewRows or FunctorRows
template <class Cache, class Input>
struct RotatedStore {
  using value_type = typename Cache::value_type;
  using input_type =
      typename decltype(std::declval<Input>().template load<1, false>({}, 0, 0))::value_type;
  using real = compute_type<value_type, input_type>;

  CacheHeads<Cache> heads;
  Input input;

  static constexpr bool copies_rest = true;

  template <class ExecSpace>
  static constexpr int vector_elements =
      std::min(lane_elements<ExecSpace, value_type>, lane_elements<ExecSpace, input_type>);

  KOKKOS_FUNCTION Input const& source(ViewRows<value_type> const&) const { return input; }

  template <int Width>
  bool is_aligned() const {
    return Cache::head_size % Width == 0 && heads.template is_aligned<Width>() &&
           input.template is_aligned<Width>();
  }
};

/// The input that a store would take.
template <class Cache, class Input>
RotatedStore<Cache, Input> rotated_store(Transfer<Cache, Input> const& keys) {
  return {{keys.cache}, keys.access};
}

/// Factors of a run of neighbouring pairs: an element becomes itself times `own`, plus or minus its
/// partner times `partner`.
/// \tparam Count  of elements, both of a pair where Interleaved
template <class Real, int Count, bool Interleaved>
struct RotationFactors {
  SimdVector<Real, Count> own;
  SimdVector<Real, Count> partner;

  KOKKOS_FUNCTION void set(int pair, Rotation<Real> const& by) {
    if constexpr (Interleaved) {
      own[2 * pair]         = by.cosine;
      own[2 * pair + 1]     = by.cosine;
      partner[2 * pair]     = -by.sine;
      partner[2 * pair + 1] = by.sine;
    } else {
      own[pair]     = by.cosine;
      partner[pair] = by.sine;
    }
  }
};

/// Pairs whose angles a lane of hosts computes before it passes through the heads, so that it reads
/// them in the order of memory.
inline constexpr int host_run_pairs = 64;

/// Rotates the pairs of a row: each lane a run of neighbouring ones, through all heads, so that
/// angles are computed once.
/// \tparam Rotated  RotatedInPlace or RotatedStore
/// \tparam Pairs    of a vector
/// \tparam Aligned  whether vectors move in one access; otherwise `Pairs` is 1
template <class Rotated, bool Interleaved, int Pairs, bool Aligned>
struct RopeRow {
  using value_type = typename Rotated::value_type;
  using real       = typename Rotated::real;

  Rotated rows;
  RopeTable<real> table;
  std::uint32_t const* position_ids;  ///< null: the token's position in its sequence

  static constexpr int num_vectors = run_time_lanes;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member, RowLocation const& at) const {
    auto const target = rows.heads.row(at);
    if (target.data == nullptr) return;
    constexpr int run_pairs =
        is_host_execution_v<typename Member::execution_space> ? host_run_pairs : Pairs;
    auto const& source           = rows.source(target);
    std::uint64_t const position = position_ids != nullptr ? position_ids[at.row] : at.token;
    auto const num_heads         = rows.heads.num_heads;
    auto const& frequencies      = table;
    auto const rotate            = [&](int run) {
      int const first = run * run_pairs;
      int const left  = frequencies.num_pairs - first;
      int const count = left < run_pairs ? left : run_pairs;
      RotationFactors<real, run_pairs * pair_elements, in_one_vector> factors;
      for (int i = 0; i < count; ++i) {
        auto by = rotation_by<real>(position * frequencies.turns[first + i]);
        by.cosine *= frequencies.factor;
        by.sine *= frequencies.factor;
        factors.set(i, by);
      }
      for (int head = 0; head < num_heads; ++head) {
        for (int i = 0; i < count; i += Pairs) {
          rotate_pairs(
              source, target, at, head, first + i, frequencies.num_pairs,
              load_vector<vector_elements, alignof(real)>(factors.own.values + i * pair_elements),
              load_vector<vector_elements, alignof(real)>(factors.partner.values +
                                                                     i * pair_elements));
        }
      }
    };
    Kokkos::parallel_for(
        Kokkos::ThreadVectorRange(member, (table.num_pairs + run_pairs - 1) / run_pairs), rotate);
    if constexpr (Rotated::copies_rest) {
      auto const first = 2 * table.num_pairs;
      auto const copy  = [&](int part) {
        auto const dim = first + part * vector_elements;
        for (int head = 0; head < num_heads; ++head) {
          target.template store<vector_elements, Aligned>(
              at, head, dim,
              convert_vector<value_type>(
                  source.template load<vector_elements, Aligned>(at, head, dim)));
        }
      };
      Kokkos::parallel_for(
          Kokkos::ThreadVectorRange(member, (rows.heads.head_size - first) / vector_elements),
          copy);
    }
  }

 private:
  /// Whether the two elements of a pair lie in the same vector.
  static constexpr bool in_one_vector  = Interleaved && Aligned;
  static constexpr int pair_elements   = in_one_vector ? 2 : 1;
  static constexpr int vector_elements = Pairs * pair_elements;

  using factor_vector = SimdVector<real, vector_elements>;

  template <class Source, class Target>
  KOKKOS_FUNCTION static void rotate_pairs(Source const& source, Target const& target,
                                           RowLocation const& at, int head, int first,
                                           int num_pairs, factor_vector const& own,
                                           factor_vector const& partner) {
    auto const load = [&](int dim) {
      return convert_vector<real>(source.template load<vector_elements, Aligned>(at, head, dim));
    };
    auto const store = [&](int dim, factor_vector const& elements) {
      target.template store<vector_elements, Aligned>(at, head, dim,
                                                      convert_vector<value_type>(elements));
    };
    auto const plus = [](auto const& a, auto const& b, auto const& by_a, auto const& by_b) {
      return a * by_a + b * by_b;
    };
    if constexpr (in_one_vector) {
      auto const both = load(2 * first);
      store(2 * first, map_elements(plus, both, swap_neighbours(both), own, partner));
    } else {
      auto const minus = [](auto const& a, auto const& b, auto const& by_a, auto const& by_b) {
        return a * by_a - b * by_b;
      };
      int const one_at   = Interleaved ? 2 * first : first;
      int const other_at = Interleaved ? one_at + 1 : first + num_pairs;
      auto const one     = load(one_at);
      auto const other   = load(other_at);
      store(one_at, map_elements(minus, one, other, own, partner));
      store(other_at, map_elements(plus, other, one, own, partner));
    }
  }
};

template <bool Interleaved, class ExecSpace, class Rows, class Rotated>
void launch_rope(std::string const& label, ExecSpace const& exec, Rows const& rows,
                 LaunchConfig config, Rotated const& rotated,
                 RopeTable<typename Rotated::real> const& table,
                 std::uint32_t const* position_ids) {
  constexpr int width      = Rotated::template vector_elements<ExecSpace>;
  constexpr int wide_pairs = Interleaved ? width / 2 : width;
  auto const row_elements  = static_cast<std::size_t>(rotated.heads.num_heads) *
                            static_cast<std::size_t>(Rotated::copies_rest ? rotated.heads.head_size
                                                                          : 2 * table.num_pairs);
  auto const row_bytes = row_elements * sizeof(typename Rotated::value_type);
  if (row_bytes == 0) return;
  if (table.num_pairs % wide_pairs == 0 && rotated.template is_aligned<width>()) {
    launch_rows(label, exec, rows,
                RopeRow<Rotated, Interleaved, wide_pairs, true>{rotated, table, position_ids},
                row_bytes, config);
  } else {
    launch_rows(label, exec, rows,
                RopeRow<Rotated, Interleaved, 1, false>{rotated, table, position_ids}, row_bytes,
                config);
  }
}

/// Rotates rows in the form of the frequencies, asynchronously on `exec`.
/// \param position_ids  of the rows, null where the cache tells their positions
template <class ExecSpace, class Rows, class Rotated, class Frequencies>
void launch_rope(std::string const& label, ExecSpace const& exec, Rows const& rows,
                 LaunchConfig config, Rotated const& rotated, Frequencies const& frequencies,
                 std::uint32_t const* position_ids) {
  using real = typename Rotated::real;
  RopeTable<real> const table{frequencies.turns().data(), frequencies.rotary_dim() / 2,
                              static_cast<real>(frequencies.attention_factor())};
  if (frequencies.form() == RopeForm::interleaved) {
    launch_rope<true>(label, exec, rows, config, rotated, table, position_ids);
  } else {
    launch_rope<false>(label, exec, rows, config, rotated, table, position_ids);
  }
}

}  // namespace KokkosKV::Impl

#endif
