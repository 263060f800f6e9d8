// Rotary embedding of rows in a View, in the cache or on their way into it: check, then one launch.
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
#include <projection/impl/KokkosKV_RopeKernel.hpp>
#include <store/impl/KokkosKV_StoreCheck.hpp>
#include <store/impl/KokkosKV_StoreLaunch.hpp>

namespace KokkosKV::Impl {

inline constexpr auto rope_names       = store_names("rope_ragged", "input_row_offsets");
inline constexpr auto rope_cache_names = store_names("rope_key_cache", "input_row_offsets");
inline constexpr auto rope_store_names = store_names("rope_store_ragged", "input_row_offsets");

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
template <class ExecSpace, class Other, class... Rest>
std::uint32_t const* position_data(char const* function, std::size_t num_rows, Other const&,
                                   Rest const&... rest) {
  return position_data<ExecSpace>(function, num_rows, rest...);
}

/// Checks frequencies against the heads that they are to rotate.
/// \param what  the name of head_size
template <class ExecSpace, class Frequencies>
void check_frequencies(char const* function, Frequencies const& frequencies, int head_size,
                       char const* what = "the head size") {
  static_assert(
      Kokkos::SpaceAccessibility<ExecSpace, typename Frequencies::memory_space>::accessible,
      "KokkosKV: frequencies must be accessible from the execution space");
  if (frequencies.rotary_dim() > head_size) {
    throw ShapeError(function, "frequencies.rotary_dim()", std::to_string(frequencies.rotary_dim()),
                     "at most " + std::to_string(head_size) + ", " + what);
  }
}

/// Rotates rows that were checked in shape.
/// \param rotated       RotatedInPlace or RotatedStore
/// \param writes_cache  whether the rows go to the cache, where no two may meet
template <class ExecSpace, class Frequencies, class Cache, class Rotated, class... Options>
void rope_rows(ArgumentNames const& names, ExecSpace const& exec, LaunchConfig config,
               Frequencies const& frequencies, Cache const& cache, RaggedRows const& rows,
               Rotated const& rotated, bool writes_cache, Options const&... options) {
  check_rope_options<Options...>();
  check_frequencies<ExecSpace>(names.function, frequencies, rotated.heads.head_size);
  auto const* position_ids = position_data<ExecSpace>(names.function, rows.num_rows, options...);
  if constexpr (is_checked_v<Options...>) {
    check_contents(exec, names, rows, store_limits(cache), writes_cache);
  }
  launch_rope(std::string("KokkosKV::") + names.function, exec, rows, config, rotated, frequencies,
              position_ids);
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
  auto const rows  = ragged_rows(names, cache, "queries",
                                 {queries.extent(0), static_cast<std::size_t>(Cache::num_heads),
                                  static_cast<std::size_t>(Cache::head_size)},
                                 offsets, cache.cache_lengths());
  auto const heads = view_heads<ExecSpace>(names.function, "queries", queries);
  rope_rows(names, exec, config, frequencies, cache, rows, RotatedInPlace{heads}, false,
            options...);
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
  rope_rows(names, exec, config, frequencies, cache, rows, RotatedInPlace{heads}, true, options...);
}

/// Rows on their way into a key cache.
template <class ExecSpace, class Frequencies, class Cache, class Input, class Offsets,
          class... Options>
void rope_store(ExecSpace const& exec, LaunchConfig config, Frequencies const& frequencies,
                Kokkos::Array<std::size_t, 3> const& input_shape, Offsets const& offsets,
                Transfer<Cache, Input> const& keys, Options const&... options) {
  check_key_cache<Cache>();
  check_types<ExecSpace, Offsets>(keys);
  auto const& names = rope_store_names;
  auto const& cache = keys.cache;
  auto const rows   = store_rows_of(names, cache, input_shape, offsets);
  rope_rows(names, exec, config, frequencies, cache, rows, rotated_store(keys), true, options...);
}

}  // namespace KokkosKV::Impl

#endif
