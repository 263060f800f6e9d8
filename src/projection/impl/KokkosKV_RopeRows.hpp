// Rotary embedding of rows in a View or in the cache: check, then one launch.
#ifndef KOKKOSKV_IMPL_ROPEROWS_HPP
#define KOKKOSKV_IMPL_ROPEROWS_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <projection/KokkosKV_PositionIds.hpp>
#include <projection/KokkosKV_RopeFrequencies.hpp>
#include <projection/impl/KokkosKV_HeadRows.hpp>
#include <projection/impl/KokkosKV_TurnFraction.hpp>
#include <store/impl/KokkosKV_RowKernels.hpp>
#include <store/impl/KokkosKV_StoreCheck.hpp>

namespace KokkosKV::Impl {

inline constexpr auto rope_names       = store_names("rope_ragged", "input_row_offsets");
inline constexpr auto rope_cache_names = store_names("rope_key_cache", "input_row_offsets");

/// RopeFrequencies as kernels see them.
template <class Real>
struct RopeTable {
  std::uint64_t const* turns;
  int num_pairs;
  Real factor;
};

/// Rotates the pairs of a row: each lane those of its `Pairs` neighbouring frequencies, through all
/// heads, so that angles are computed once.
template <class Heads, bool Interleaved, int Pairs, bool Aligned>
struct RopeRow {
  using value_type = typename Heads::value_type;
  using real       = compute_type<value_type>;

  Heads heads;
  RopeTable<real> table;
  std::uint32_t const* position_ids;  ///< null: the token's position in its sequence

  static constexpr int num_vectors = run_time_lanes;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member, RowLocation const& at) const {
    auto const row = heads.row(at);
    if (row.data == nullptr) return;
    std::uint64_t const position = position_ids != nullptr ? position_ids[at.row] : at.token;
    auto const num_heads         = heads.num_heads;
    auto const& frequencies      = table;
    auto const rotate            = [&](int part) {
      Rotation<real> rotations[Pairs];
      for (int i = 0; i < Pairs; ++i) {
        rotations[i] = rotation_by<real>(position * frequencies.turns[part * Pairs + i]);
        rotations[i].cosine *= frequencies.factor;
        rotations[i].sine *= frequencies.factor;
      }
      for (int head = 0; head < num_heads; ++head) {
        rotate_head(row, at, head, part * Pairs, frequencies.num_pairs, rotations);
      }
    };
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, table.num_pairs / Pairs), rotate);
  }

 private:
  using rows_type = ViewRows<value_type>;
  using pair_type = SimdVector<value_type, Pairs>;

  KOKKOS_FUNCTION static void rotate_pair(Rotation<real> const& by, value_type& first,
                                          value_type& second) {
    auto const x = convert_value<real>(first);
    auto const y = convert_value<real>(second);
    first        = convert_value<value_type>(x * by.cosine - y * by.sine);
    second       = convert_value<value_type>(x * by.sine + y * by.cosine);
  }

  KOKKOS_FUNCTION static void rotate_head(rows_type const& row, RowLocation const& at, int head,
                                          int first, int num_pairs,
                                          Rotation<real> const (&rotations)[Pairs]) {
    if constexpr (Interleaved) {
      auto both = row.template load<2 * Pairs, Aligned>(at, head, 2 * first);
      for (int i = 0; i < Pairs; ++i) rotate_pair(rotations[i], both[2 * i], both[2 * i + 1]);
      row.template store<2 * Pairs, Aligned>(at, head, 2 * first, both);
    } else {
      auto one   = row.template load<Pairs, Aligned>(at, head, first);
      auto other = row.template load<Pairs, Aligned>(at, head, first + num_pairs);
      for (int i = 0; i < Pairs; ++i) rotate_pair(rotations[i], one[i], other[i]);
      row.template store<Pairs, Aligned>(at, head, first, one);
      row.template store<Pairs, Aligned>(at, head, first + num_pairs, other);
    }
  }
};

template <bool Interleaved, class ExecSpace, class Rows, class Heads, class Table>
void launch_rope(std::string const& label, ExecSpace const& exec, Rows const& rows,
                 LaunchConfig config, Heads const& heads, Table const& table,
                 std::uint32_t const* position_ids) {
  using value_type           = typename Heads::value_type;
  constexpr int lane_width   = lane_elements<ExecSpace, value_type>;
  constexpr int wide_pairs   = Interleaved ? lane_width / 2 : lane_width;
  constexpr int vector_width = Interleaved ? 2 * wide_pairs : wide_pairs;
  auto const row_bytes       = static_cast<std::size_t>(heads.num_heads) *
                         static_cast<std::size_t>(2 * table.num_pairs) * sizeof(value_type);
  if (row_bytes == 0) return;
  if (table.num_pairs % wide_pairs == 0 && heads.template is_aligned<vector_width>()) {
    launch_rows(label, exec, rows,
                RopeRow<Heads, Interleaved, wide_pairs, true>{heads, table, position_ids},
                row_bytes, config);
  } else {
    launch_rows(label, exec, rows,
                RopeRow<Heads, Interleaved, 1, false>{heads, table, position_ids}, row_bytes,
                config);
  }
}

/// The options of a call: `unchecked`, and PositionIds.
template <class... Options>
void check_rope_options() {
  static_assert(((std::is_same_v<Options, unchecked_t> || is_position_ids_v<Options>) && ...),
                "KokkosKV: the options of a rotary embedding are KokkosKV::unchecked and "
                "KokkosKV::PositionIds");
  static_assert((static_cast<int>(is_position_ids_v<Options>) + ... + 0) <= 1,
                "KokkosKV: position ids are given once");
}

/// The position ids among a call's options, null where there are none.
template <class ExecSpace>
std::uint32_t const* position_data(char const*, std::size_t) {
  return nullptr;
}
template <class ExecSpace, class ViewType, class... Rest>
std::uint32_t const* position_data(char const* function, std::size_t num_rows,
                                   PositionIds<ViewType> const& option, Rest const&...) {
  static_assert(ViewType::rank() == 1 &&
                    std::is_same_v<typename ViewType::non_const_value_type, std::uint32_t>,
                "KokkosKV: position ids must be a rank 1 View of uint32");
  static_assert(Kokkos::SpaceAccessibility<ExecSpace, typename ViewType::memory_space>::accessible,
                "KokkosKV: position ids must be accessible from the execution space");
  check_equal(function, "position_ids.extent(0)", option.ids.extent(0), num_rows);
  return contiguous_data(function, "position_ids", option.ids);
}
template <class ExecSpace, class... Rest>
std::uint32_t const* position_data(char const* function, std::size_t num_rows, unchecked_t,
                                   Rest const&... rest) {
  return position_data<ExecSpace>(function, num_rows, rest...);
}

/// Rotates rows that were checked in shape.
/// \param writes_cache  whether the rows lie in the cache, where no two may meet
template <class ExecSpace, class Frequencies, class Cache, class Heads, class... Options>
void rope_rows(ArgumentNames const& names, ExecSpace const& exec, LaunchConfig config,
               Frequencies const& frequencies, Cache const& cache, RaggedRows const& rows,
               Heads const& heads, bool writes_cache, Options const&... options) {
  check_rope_options<Options...>();
  static_assert(
      Kokkos::SpaceAccessibility<ExecSpace, typename Frequencies::memory_space>::accessible,
      "KokkosKV: frequencies must be accessible from the execution space");
  if (frequencies.rotary_dim() > heads.head_size) {
    throw ShapeError(names.function, "frequencies.rotary_dim()",
                     std::to_string(frequencies.rotary_dim()),
                     "at most " + std::to_string(heads.head_size) + ", the head size");
  }
  auto const* position_ids = position_data<ExecSpace>(names.function, rows.num_rows, options...);
  if constexpr (is_checked_v<Options...>) {
    check_contents(exec, names, rows, store_limits(cache), writes_cache);
  }
  using real = compute_type<typename Heads::value_type>;
  RopeTable<real> const table{frequencies.turns().data(), frequencies.rotary_dim() / 2,
                              static_cast<real>(frequencies.attention_factor())};
  auto const label = std::string("KokkosKV::") + names.function;
  if (frequencies.form() == RopeForm::interleaved) {
    launch_rope<true>(label, exec, rows, config, heads, table, position_ids);
  } else {
    launch_rope<false>(label, exec, rows, config, heads, table, position_ids);
  }
}

/// Query rows.
template <class ExecSpace, class Frequencies, class Cache, class Offsets, class Queries,
          class... Options>
void rope_queries(ExecSpace const& exec, LaunchConfig config, Frequencies const& frequencies,
                  Cache const& cache, Offsets const& offsets, Queries const& queries,
                  Options const&... options) {
  check_types<ExecSpace, Offsets>(CacheHeads<Cache>{cache});
  auto const& names = rope_names;
  // Queries have heads of their own; only the rows are the batch's.
  auto const rows = ragged_rows(names, cache, "queries",
                                {queries.extent(0), static_cast<std::size_t>(Cache::num_heads),
                                 static_cast<std::size_t>(Cache::head_size)},
                                offsets, cache.cache_lengths());
  rope_rows(names, exec, config, frequencies, cache, rows,
            view_heads<ExecSpace>(names.function, "queries", queries), false, options...);
}

/// Rows just stored in a key cache.
template <class ExecSpace, class Frequencies, class Cache, class Offsets, class... Options>
void rope_keys(ExecSpace const& exec, LaunchConfig config, Frequencies const& frequencies,
               Cache const& cache, Kokkos::Array<std::size_t, 3> const& input_shape,
               Offsets const& offsets, Options const&... options) {
  check_key_cache<Cache>();
  CacheHeads<Cache> const heads{cache};
  check_types<ExecSpace, Offsets>(heads);
  auto const& names = rope_cache_names;
  auto const rows =
      ragged_rows(names, cache, "input_shape", input_shape, offsets, cache.cache_lengths());
  rope_rows(names, exec, config, frequencies, cache, rows, heads, true, options...);
}

}  // namespace KokkosKV::Impl

#endif
