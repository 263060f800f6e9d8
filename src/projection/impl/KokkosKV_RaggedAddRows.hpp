// Adding ragged rows onto those of a cache: check, then one launch.
#ifndef KOKKOSKV_IMPL_RAGGEDADDROWS_HPP
#define KOKKOSKV_IMPL_RAGGEDADDROWS_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>
#include <type_traits>

#include <cache/KokkosKV_Errors.hpp>
#include <format/KokkosKV_Convert.hpp>
#include <kokkos_ext/impl/KokkosKV_VectorMath.hpp>
#include <projection/KokkosKV_SequenceRange.hpp>
#include <projection/impl/KokkosKV_HeadRows.hpp>
#include <store/impl/KokkosKV_RowKernels.hpp>
#include <store/impl/KokkosKV_StoreCheck.hpp>
#include <store/impl/KokkosKV_StoreLaunch.hpp>

namespace KokkosKV::Impl {

inline constexpr auto ragged_add_names = store_names("kv_cache_ragged_radd", "input_row_offsets");
inline constexpr auto ragged_add_key_value_names =
    store_names("kv_cache_ragged_radd_key_value", "input_row_offsets");

/// A cache with the View of what is added to it.
template <class Cache, class Input>
struct Addition {
  Cache cache;
  Input input;
};

/// Adds the row of an input to its slot, vector by vector.
template <class Cache, class Input, bool Aligned>
struct AddRow {
  Cache cache;
  Input input;

  static constexpr int num_vectors = vectors_per_row<Cache>;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member, RowLocation const& at) const {
    using value_type = typename Cache::value_type;
    using real       = compute_type<value_type, typename Input::value_type>;
    auto const add   = [](value_type* to, auto const& loaded) {
      constexpr int width           = cache_vector_width<Cache>;
      constexpr std::size_t promise = slot_alignment<Cache, Aligned>;
      auto const stored = load_vector<width, promise>(static_cast<value_type const*>(to));
      auto const sum    = map_elements([](auto const& a, auto const& b) { return a + b; },
                                    convert_vector<real>(stored), convert_vector<real>(loaded));
      store_vector<width, promise>(to, convert_vector<value_type>(sum));
    };
    for_each_slot_vector<Aligned>(member, at, cache, input, add);
  }
};

template <bool Aligned, class Cache, class Access>
auto add_work(Transfer<Cache, Access> const& transfer) {
  return AddRow<Cache, Access, Aligned>{transfer.cache, transfer.access};
}
template <bool Aligned, class First, class Second>
auto add_work(First const& first, Second const& second) {
  return BothRows{add_work<Aligned>(first), add_work<Aligned>(second)};
}

/// The same cache with a part of its batch.
template <class T, KVCacheStaticParams Params, int PageSize, class MemorySpace, class Scales>
PagedKVCache<T, Params, PageSize, MemorySpace, Scales> part_of_batch(
    char const* function, PagedKVCache<T, Params, PageSize, MemorySpace, Scales> const& cache,
    SequenceRange const& sequences) {
  auto const batch_size = cache.batch_size();
  if (sequences.first > batch_size) {
    throw ShapeError(function, "sequences.first", std::to_string(sequences.first),
                     "at most " + std::to_string(batch_size) + ", the batch size");
  }
  if (sequences.count > batch_size - sequences.first) {
    throw ShapeError(function, "sequences.count", std::to_string(sequences.count),
                     "at most " + std::to_string(batch_size - sequences.first) +
                         ", the sequences from " + std::to_string(sequences.first));
  }
  auto const& table     = cache.lookup_table();
  auto const row_stride = static_cast<std::size_t>(table.row(1) - table.row(0));
  return {cache.row(0, 0, 0),
          cache.num_blocks(),
          cache.page_pitch(),
          {table.row(sequences.first), row_stride, sequences.count, table.max_pages()},
          cache.cache_lengths() + sequences.first,
          cache.max_prompt_length(),
          cache.max_cache_length(),
          cache.scales()};
}

/// Of one addition, or of a key and a value addition that share their rows and table.
template <class... Options, class ExecSpace, class Offsets, class First, class... Second>
void add_rows(ArgumentNames const& names, ExecSpace const& exec, LaunchConfig config,
              SequenceRange const& sequences, Offsets const& offsets, First const& first,
              Second const&... second) {
  auto const transfer_of = [&](auto const& addition) {
    check_number_cache<std::remove_cvref_t<decltype(addition.cache)>>();
    return input_transfer(part_of_batch(names.function, addition.cache, sequences), addition.input);
  };
  auto const launch = [&](auto const& one, auto const&... other) {
    check_types<ExecSpace, Offsets, Options...>(one, other...);
    auto const& cache = one.cache;
    auto const rows =
        ragged_rows(names, cache, "input", extents<3>(first.input), offsets, cache.cache_lengths());
    (check_same_batch(names, cache, other.cache), ...);
    if constexpr (is_checked_v<Options...>) {
      check_contents(exec, names, rows, store_limits(cache), true);
    }
    auto const label = std::string("KokkosKV::") + names.function;
    constexpr std::size_t row_bytes =
        std::remove_cvref_t<decltype(one)>::row_bytes * (sizeof...(other) + 1);
    if (one.is_aligned() && (other.is_aligned() && ...)) {
      launch_rows(label, exec, rows, add_work<true>(one, other...), row_bytes, config);
    } else {
      launch_rows(label, exec, rows, add_work<false>(one, other...), row_bytes, config);
    }
  };
  launch(transfer_of(first), transfer_of(second)...);
}

}  // namespace KokkosKV::Impl

#endif
