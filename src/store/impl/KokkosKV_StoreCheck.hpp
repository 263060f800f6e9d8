// Host checks on shapes shared by the stores and loads, and the step from a public call to its
// launch.
#ifndef KOKKOSKV_IMPL_STORECHECK_HPP
#define KOKKOSKV_IMPL_STORECHECK_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include <cache/KokkosKV_PagedKVCache.hpp>
#include <cache/KokkosKV_Unchecked.hpp>
#include <cache/impl/KokkosKV_Check.hpp>
#include <store/impl/KokkosKV_ContentCheck.hpp>
#include <store/impl/KokkosKV_RowAccess.hpp>
#include <store/impl/KokkosKV_Rows.hpp>

namespace KokkosKV::Impl {

constexpr ArgumentNames store_names(char const* function, char const* rows) {
  return {function, rows, "cache_lengths", "max_prompt_length", "max_cache_length"};
}
inline constexpr auto ragged_store_names =
    store_names("kv_cache_store_ragged", "input_row_offsets");
inline constexpr auto ragged_key_value_names =
    store_names("kv_cache_store_ragged_key_value", "input_row_offsets");
inline constexpr auto padded_store_names = store_names("kv_cache_store_padded", "valid_lengths");
inline constexpr auto padded_key_value_names =
    store_names("kv_cache_store_padded_key_value", "valid_lengths");

/// The requirements on types, told where the user's call enters.
template <class ExecSpace, class Lengths, class... Options, class... Transfers>
void check_types(Transfers const&...) {
  static_assert(
      Lengths::rank() == 1 && std::is_same_v<typename Lengths::non_const_value_type, std::uint32_t>,
      "KokkosKV: row offsets and lengths must be rank 1 Views of uint32");
  static_assert(Kokkos::SpaceAccessibility<ExecSpace, typename Lengths::memory_space>::accessible,
                "KokkosKV: row offsets and lengths must be accessible from the execution space");
  static_assert(
      (Kokkos::SpaceAccessibility<ExecSpace,
                                  typename Transfers::cache_type::memory_space>::accessible &&
       ...),
      "KokkosKV: the cache must be accessible from the execution space");
  static_assert((std::is_same_v<Options, unchecked_t> && ...),
                "KokkosKV: the only option of a store or load is KokkosKV::unchecked");
}

/// Keys and values must have the same shape.
template <std::size_t Rank, class Keys, class Values>
void check_same_extents(ArgumentNames const& names, Keys const& keys, Values const& values) {
  auto const expected = extents<Rank>(keys);
  auto const found    = extents<Rank>(values);
  for (std::size_t dimension = 0; dimension < Rank; ++dimension) {
    check_equal(names.function, "values.extent(" + std::to_string(dimension) + ")",
                found[dimension], expected[dimension]);
  }
}

/// The last two extents of an input or output.
template <class Cache>
void check_heads(ArgumentNames const& names, char const* name, int dimension, std::size_t heads,
                 std::size_t head_size) {
  auto const at = [&](int d) { return std::string(name) + "[" + std::to_string(d) + "]"; };
  check_equal(names.function, at(dimension), heads, static_cast<std::size_t>(Cache::num_heads));
  check_equal(names.function, at(dimension + 1), head_size,
              static_cast<std::size_t>(Cache::head_size));
}

/// Checks shapes and makes the rows of a ragged call.
template <class Cache, class Offsets>
RaggedRows ragged_rows(ArgumentNames const& names, Cache const& cache, char const* shape_name,
                       Kokkos::Array<std::size_t, 3> const& shape, Offsets const& offsets,
                       std::uint32_t const* first_tokens) {
  auto const tokens = shape[0];
  check_heads<Cache>(names, shape_name, 1, shape[1], shape[2]);
  check_equal(names.function, std::string(names.rows) + ".extent(0)", offsets.extent(0),
              cache.batch_size() + 1);
  auto const* data = contiguous_data(names.function, names.rows, offsets);
  if (cache.batch_size() == 0 && tokens != 0) {
    throw ShapeError(names.function, std::string(shape_name) + "[0]", std::to_string(tokens),
                     "0 for an empty batch");
  }
  if (tokens > std::numeric_limits<std::uint32_t>::max()) {
    throw ShapeError(names.function, std::string(shape_name) + "[0]", std::to_string(tokens),
                     "at most 4294967295, what uint32 offsets can tell");
  }
  return {{tokens}, data, first_tokens, cache.batch_size()};
}

/// Checks shapes and makes the rows of a padded call.
template <class Cache, class Lengths>
PaddedRows padded_rows(ArgumentNames const& names, Cache const& cache, char const* shape_name,
                       Kokkos::Array<std::size_t, 4> const& shape, Lengths const& lengths) {
  check_equal(names.function, std::string(shape_name) + "[0]", shape[0], cache.batch_size());
  check_heads<Cache>(names, shape_name, 2, shape[2], shape[3]);
  check_equal(names.function, std::string(names.rows) + ".extent(0)", lengths.extent(0),
              cache.batch_size());
  return {contiguous_data(names.function, names.rows, lengths), cache.cache_lengths(),
          cache.batch_size(), shape[1]};
}

/// Rows of a ragged or padded store.
template <class Cache, class Offsets>
auto store_rows_of(ArgumentNames const& names, Cache const& cache,
                   Kokkos::Array<std::size_t, 3> const& shape, Offsets const& offsets) {
  return ragged_rows(names, cache, "input_shape", shape, offsets, cache.cache_lengths());
}
template <class Cache, class Lengths>
auto store_rows_of(ArgumentNames const& names, Cache const& cache,
                   Kokkos::Array<std::size_t, 4> const& shape, Lengths const& lengths) {
  return padded_rows(names, cache, "input_shape", shape, lengths);
}

/// Limits of a store into a cache.
template <class Cache>
BatchLimits<typename Cache::memory_space> store_limits(Cache const& cache) {
  return {cache.lookup_table(), cache.num_blocks(), static_cast<std::size_t>(Cache::page_size),
          cache.max_prompt_length(), cache.max_cache_length()};
}

/// Keys and values of one call must be two caches of one collection.
template <class KeyCache, class ValueCache>
void check_same_batch(ArgumentNames const& names, KeyCache const& keys, ValueCache const& values) {
  static_assert(KeyCache::page_size == ValueCache::page_size,
                "KokkosKV: key and value cache must have the same page size");
  if (!keys.lookup_table().is_same(values.lookup_table()) ||
      keys.cache_lengths() != values.cache_lengths()) {
    throw ShapeError(names.function, "value_cache", "the batch of another collection",
                     "the lookup table and cache lengths of key_cache");
  }
  check_equal(names.function, "value_cache.num_blocks()", values.num_blocks(), keys.num_blocks());
  if (keys.num_blocks() > 0 && keys.row(0, 0, 0) == values.row(0, 0, 0)) {
    throw ConflictError(names.function, "value_cache", "the same elements as key_cache",
                        "another cache of the collection");
  }
}

}  // namespace KokkosKV::Impl

#endif
