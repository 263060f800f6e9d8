// From run-time shape and page size to the cache compiled for them.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <string_view>
#include <utility>

#include "replay/PagedCacheUnderTest.hpp"

namespace ragged_store {

template <class T>
inline constexpr std::string_view type_name = "";
template <>
inline constexpr std::string_view type_name<float> = "float";
template <>
inline constexpr std::string_view type_name<KokkosKV::half> = "half";
template <>
inline constexpr std::string_view type_name<KokkosKV::bf16> = "bf16";
template <>
inline constexpr std::string_view type_name<std::int8_t> = "int8";

/// False for a shape whose heads and head size an earlier one has too: it shares that one's code.
template <std::size_t Shape>
consteval bool is_first_of_its_kind() {
  for (std::size_t earlier = 0; earlier < Shape; ++earlier) {
    if (model_shapes[earlier].params == model_shapes[Shape].params) return false;
  }
  return true;
}

template <class T>
std::unique_ptr<CacheUnderTest> make_cache(CacheGeometry const& geometry, std::uint32_t num_pages,
                                           std::size_t input_elements) {
  std::unique_ptr<CacheUnderTest> cache;
  auto const try_variant = [&]<std::size_t Shape, std::size_t Page>() {
    constexpr auto params = model_shapes[Shape].params;
    constexpr int size    = page_sizes[Page].tokens;
    if constexpr (is_first_of_its_kind<Shape>() && is_compiled(page_sizes[Page], type_name<T>)) {
      if (geometry.shape.params == params && geometry.page_size == size) {
        cache = std::make_unique<PagedCacheUnderTest<T, params, size>>(geometry.shape.num_layers,
                                                                       num_pages, input_elements);
      }
    }
  };
  auto const try_shape = [&]<std::size_t Shape, std::size_t... Page>(std::index_sequence<Page...>) {
    (try_variant.template operator()<Shape, Page>(), ...);
  };
  [&]<std::size_t... Shape>(std::index_sequence<Shape...>) {
    (try_shape.template operator()<Shape>(std::make_index_sequence<std::size(page_sizes)>{}), ...);
  }(std::make_index_sequence<std::size(model_shapes)>{});
  return cache;
}

}  // namespace ragged_store
