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
      Rotation<real> rotations[Pairs];
      for (int i = 0; i < Pairs; ++i) {
        rotations[i] = rotation_by<real>(position * frequencies.turns[part * Pairs + i]);
        rotations[i].cosine *= frequencies.factor;
        rotations[i].sine *= frequencies.factor;
      }
      for (int head = 0; head < num_heads; ++head) {
        rotate_head(source, target, at, head, part * Pairs, frequencies.num_pairs, rotations);
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
  KOKKOS_FUNCTION static void rotate_pair(Rotation<real> const& by, real& x, real& y) {
    auto const before = x;
    x                 = before * by.cosine - y * by.sine;
    y                 = before * by.sine + y * by.cosine;
  }

  template <class Source, class Target>
  KOKKOS_FUNCTION static void rotate_head(Source const& source, Target const& target,
                                          RowLocation const& at, int head, int first, int num_pairs,
                                          Rotation<real> const (&rotations)[Pairs]) {
    if constexpr (Interleaved && Aligned) {
      constexpr int width = 2 * Pairs;
      auto both = convert_vector<real>(source.template load<width, true>(at, head, 2 * first));
      for (int i = 0; i < Pairs; ++i) rotate_pair(rotations[i], both[2 * i], both[2 * i + 1]);
      target.template store<width, true>(at, head, 2 * first, convert_vector<value_type>(both));
    } else {
      int const one_at   = Interleaved ? 2 * first : first;
      int const other_at = Interleaved ? one_at + 1 : first + num_pairs;
      auto one   = convert_vector<real>(source.template load<Pairs, Aligned>(at, head, one_at));
      auto other = convert_vector<real>(source.template load<Pairs, Aligned>(at, head, other_at));
      for (int i = 0; i < Pairs; ++i) rotate_pair(rotations[i], one[i], other[i]);
      target.template store<Pairs, Aligned>(at, head, one_at, convert_vector<value_type>(one));
      target.template store<Pairs, Aligned>(at, head, other_at, convert_vector<value_type>(other));
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
