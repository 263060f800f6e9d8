// Checks the parts of a collection and unifies their types.
#ifndef KOKKOSKV_IMPL_COLLECTIONFACTORY_HPP
#define KOKKOSKV_IMPL_COLLECTIONFACTORY_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <cache/KokkosKV_PagedKVCacheCollection.hpp>
#include <cache/KokkosKV_Unchecked.hpp>
#include <cache/impl/KokkosKV_Check.hpp>
#include <cache/impl/KokkosKV_LengthCheck.hpp>

namespace KokkosKV {
template <class ScalesView, class TableView>
struct CacheScales;
}

namespace KokkosKV::Impl {

inline constexpr char const factory_name[] = "generic_get_paged_cache";

/// True for rank 6 Views with static page size, heads and head size.
template <class Blocks>
inline constexpr bool has_static_page_v = Blocks::rank() == 6 && Blocks::rank_dynamic() <= 3;

template <class Blocks>
inline constexpr KVCacheStaticParams static_params{
    static_cast<int>(Blocks::static_extent(4)), static_cast<int>(Blocks::static_extent(5)),
    Blocks::rank_dynamic() <= 1 && Blocks::static_extent(1) == 1};

/// The run-time extents against the parameters that the caller named.
template <KVCacheStaticParams Params, int PageSize, class Blocks>
void check_static_params(Blocks const& blocks) {
  static_assert(Blocks::rank() == 6, "KokkosKV: blocks must have rank 6");
  check_equal(factory_name, "blocks.extent(1)", blocks.extent(1), Params.is_mla ? 1 : 2);
  check_equal(factory_name, "blocks.extent(3)", blocks.extent(3), PageSize);
  check_equal(factory_name, "blocks.extent(4)", blocks.extent(4), Params.num_heads);
  check_equal(factory_name, "blocks.extent(5)", blocks.extent(5), Params.head_size);
}

/// Pages must be packed within, and not overlap.
template <class ViewType>
void check_pages(std::string const& name, ViewType const& view) {
  static_assert(std::is_same_v<typename ViewType::array_layout, Kokkos::LayoutRight> ||
                    std::is_same_v<typename ViewType::array_layout, Kokkos::LayoutStride>,
                "KokkosKV: blocks and scales must be LayoutRight or LayoutStride");
  auto const extent  = extents<6>(view);
  auto const stride  = strides<6>(view);
  std::size_t packed = 1;
  for (std::size_t dimension = 5; dimension >= 1; --dimension) {
    check_equal(factory_name, name + ".stride(" + std::to_string(dimension) + ")",
                stride[dimension], packed);
    packed *= extent[dimension];
  }
  if (stride[0] < packed) {
    throw ShapeError(factory_name, name + ".stride(0)", std::to_string(stride[0]),
                     "at least " + std::to_string(packed));
  }
  if (extent[0] > null_page) {
    throw ShapeError(factory_name, name + ".extent(0)", std::to_string(extent[0]),
                     "at most " + std::to_string(null_page) + " pages");
  }
}

template <class MemorySpace, class Table>
auto unify_table(std::string const& name, Table const& table, std::size_t batch) {
  static_assert(
      Table::rank() == 2 && std::is_same_v<typename Table::non_const_value_type, std::uint32_t>,
      "KokkosKV: a lookup table must be a rank 2 View of uint32");
  static_assert(std::is_same_v<typename Table::memory_space, MemorySpace>,
                "KokkosKV: a lookup table must live in the memory space of the blocks");
  static_assert(!std::is_same_v<typename Table::array_layout, Kokkos::LayoutLeft>,
                "KokkosKV: a lookup table must be row-major");
  check_equal(factory_name, name + ".extent(0)", table.extent(0), batch);
  auto const stride = strides<2>(table);
  check_equal(factory_name, name + ".stride(1)", stride[1], 1);
  if (stride[0] < table.extent(1)) {
    throw ShapeError(factory_name, name + ".stride(0)", std::to_string(stride[0]),
                     "at least " + std::to_string(table.extent(1)));
  }
  return Kokkos::View<std::uint32_t const**, Kokkos::LayoutStride, MemorySpace>(table);
}

/// The options of one call, by type.
struct NoOption {};
inline constexpr NoOption no_option{};
template <class T>
struct is_cache_scales : std::false_type {};
template <class ScalesView, class TableView>
struct is_cache_scales<CacheScales<ScalesView, TableView>> : std::true_type {};

inline NoOption const& find_scales() { return no_option; }
template <class First, class... Rest>
auto const& find_scales(First const& first, Rest const&... rest) {
  static_assert(is_cache_scales<First>::value || std::is_same_v<First, unchecked_t>,
                "KokkosKV: the options of generic_get_paged_cache are CacheScales and unchecked");
  if constexpr (is_cache_scales<First>::value) {
    return first;
  } else {
    return find_scales(rest...);
  }
}

template <KVCacheStaticParams Params, int PageSize, class Blocks, class ScalesView>
void check_scales(Blocks const& blocks, ScalesView const& scales, bool own_table) {
  static_assert(ScalesView::rank() == 6, "KokkosKV: scales must have rank 6");
  static_assert(std::is_same_v<typename ScalesView::memory_space, typename Blocks::memory_space>,
                "KokkosKV: scales must live in the memory space of the blocks");
  // Pages of scales with a table of their own are counted on their own.
  auto const found    = extents<6>(scales);
  auto const expected = extents<6>(blocks);
  for (std::size_t dimension = own_table ? 1 : 0; dimension < 5; ++dimension) {
    check_equal(factory_name, "scales.extent(" + std::to_string(dimension) + ")", found[dimension],
                expected[dimension]);
  }
  auto const groups = scales.extent(5);
  if (groups == 0 || static_cast<std::size_t>(Params.head_size) % groups != 0) {
    throw ShapeError(factory_name, "scales.extent(5)", std::to_string(groups),
                     "a divisor of head_size = " + std::to_string(Params.head_size));
  }
  check_pages("scales", scales);
}

template <KVCacheStaticParams Params, int PageSize, class Blocks, class Lengths, class Table,
          class MaxPrompt, class MaxCache, class... Options>
auto make_collection(Blocks const& blocks, Lengths const& cache_lengths, Table const& lookup_table,
                     MaxPrompt const& max_prompt_length, MaxCache const& max_cache_length,
                     Options const&... options) {
  using memory_space = typename Blocks::memory_space;
  static_assert(
      Lengths::rank() == 1 && std::is_same_v<typename Lengths::non_const_value_type, std::uint32_t>,
      "KokkosKV: cache_lengths must be a rank 1 View of uint32");
  static_assert(std::is_same_v<typename Lengths::memory_space, memory_space>,
                "KokkosKV: cache_lengths must live in the memory space of the blocks");

  if (blocks.extent(1) != 1 && blocks.extent(1) != 2) {
    throw ShapeError(factory_name, "blocks.extent(1)", std::to_string(blocks.extent(1)),
                     "2 (keys and values) or 1 (MLA)");
  }
  check_pages("blocks", blocks);
  contiguous_data(factory_name, "cache_lengths", cache_lengths);
  auto const batch      = cache_lengths.extent(0);
  auto const table      = unify_table<memory_space>("lookup_table", lookup_table, batch);
  auto const max_prompt = length_value(factory_name, "max_prompt_length", max_prompt_length);
  auto const max_cache  = length_value(factory_name, "max_cache_length", max_cache_length);

  if constexpr (is_checked_v<Options...>) {
    check_cache_lengths(factory_name, typename memory_space::execution_space{}, cache_lengths,
                        max_cache, table.extent(1), PageSize);
  }

  auto const& scales_option = find_scales(options...);
  using scales_option_type  = std::remove_cvref_t<decltype(scales_option)>;
  if constexpr (std::is_same_v<scales_option_type, NoOption>) {
    using collection_type =
        PagedKVCacheCollection<typename Blocks::value_type, Params, PageSize, memory_space>;
    return collection_type(blocks, cache_lengths, table, max_prompt, max_cache);
  } else {
    constexpr bool own_table = requires { scales_option.lookup_table; };
    check_scales<Params, PageSize>(blocks, scales_option.scales, own_table);
    using scale_type      = typename decltype(scales_option_type::scales)::value_type;
    using collection_type = PagedKVCacheCollection<typename Blocks::value_type, Params, PageSize,
                                                   memory_space, scale_type>;
    if constexpr (own_table) {
      return collection_type(
          blocks, cache_lengths, table, max_prompt, max_cache, scales_option.scales,
          unify_table<memory_space>("scales_lookup_table", scales_option.lookup_table, batch));
    } else {
      return collection_type(blocks, cache_lengths, table, max_prompt, max_cache,
                             scales_option.scales);
    }
  }
}

}  // namespace KokkosKV::Impl

#endif
