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
#include <kokkos_ext/KokkosKV_SimdVector.hpp>
#include <kokkos_ext/KokkosKV_VectorMath.hpp>
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

/// Rotates the pairs of a row: each lane those of its `Pairs` neighbouring frequencies, through all
/// heads, so that angles are computed once.
/// \tparam Rotated  RotatedInPlace or RotatedStore
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
    auto const& source           = rows.source(target);
    std::uint64_t const position = position_ids != nullptr ? position_ids[at.row] : at.token;
    auto const num_heads         = rows.heads.num_heads;
    auto const& frequencies      = table;
    auto const rotate            = [&](int part) {
      real_vector cosines;
      real_vector sines;
      for (int i = 0; i < Pairs; ++i) {
        auto const rotation = rotation_by<real>(position * frequencies.turns[part * Pairs + i]);
        cosines[i]          = rotation.cosine * frequencies.factor;
        sines[i]            = rotation.sine * frequencies.factor;
      }
      for (int head = 0; head < num_heads; ++head) {
        rotate_head(source, target, at, head, part * Pairs, frequencies.num_pairs, cosines, sines);
      }
    };
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, table.num_pairs / Pairs), rotate);
    if constexpr (Rotated::copies_rest) {
      constexpr int width = Aligned && Interleaved ? 2 * Pairs : Pairs;
      auto const first    = 2 * table.num_pairs;
      auto const copy     = [&](int part) {
        auto const dim = first + part * width;
        for (int head = 0; head < num_heads; ++head) {
          target.template store<width, Aligned>(
              at, head, dim,
              convert_vector<value_type>(source.template load<width, Aligned>(at, head, dim)));
        }
      };
      Kokkos::parallel_for(
          Kokkos::ThreadVectorRange(member, (rows.heads.head_size - first) / width), copy);
    }
  }

 private:
  using real_vector = SimdVector<real, Pairs>;

  template <class Source, class Target>
  KOKKOS_FUNCTION static void rotate_head(Source const& source, Target const& target,
                                          RowLocation const& at, int head, int first, int num_pairs,
                                          real_vector const& cosines, real_vector const& sines) {
    if constexpr (Interleaved && Aligned) {
      constexpr int width = 2 * Pairs;
      auto const both =
          convert_vector<real>(source.template load<width, true>(at, head, 2 * first));
      // Of each pair, the first element turns against the sine.
      SimdVector<real, width> pair_cosines;
      SimdVector<real, width> pair_sines;
      for (int i = 0; i < width; ++i) {
        pair_cosines[i] = cosines[i / 2];
        pair_sines[i]   = i % 2 == 0 ? -sines[i / 2] : sines[i / 2];
      }
      auto const turned = map_elements([](auto const& x, auto const& other, auto const& cosine,
                                          auto const& sine) { return x * cosine + other * sine; },
                                       both, swap_neighbours(both), pair_cosines, pair_sines);
      target.template store<width, true>(at, head, 2 * first, convert_vector<value_type>(turned));
    } else {
      int const one_at   = Interleaved ? 2 * first : first;
      int const other_at = Interleaved ? one_at + 1 : first + num_pairs;
      auto const one = convert_vector<real>(source.template load<Pairs, Aligned>(at, head, one_at));
      auto const other =
          convert_vector<real>(source.template load<Pairs, Aligned>(at, head, other_at));
      auto const difference = [](auto const& a, auto const& b, auto const& by_a, auto const& by_b) {
        return a * by_a - b * by_b;
      };
      auto const sum = [](auto const& a, auto const& b, auto const& by_a, auto const& by_b) {
        return a * by_a + b * by_b;
      };
      target.template store<Pairs, Aligned>(
          at, head, one_at,
          convert_vector<value_type>(map_elements(difference, one, other, cosines, sines)));
      target.template store<Pairs, Aligned>(
          at, head, other_at,
          convert_vector<value_type>(map_elements(sum, one, other, sines, cosines)));
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
