// The pages of a pool, or of its scales, as bytes.
#ifndef KOKKOSKV_IMPL_PAGEBYTES_HPP
#define KOKKOSKV_IMPL_PAGEBYTES_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <string>
#include <type_traits>

#include <cache/KokkosKV_Errors.hpp>
#include <cache/KokkosKV_StaticParams.hpp>
#include <cache/impl/KokkosKV_Check.hpp>

namespace KokkosKV::Impl {

/// Bytes of a View's pages; the View must live as long.
template <class MemorySpace>
struct PageBytes {
  using bytes_type = Kokkos::View<std::byte*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  std::byte* data        = nullptr;
  std::size_t num_pages  = 0;
  std::size_t page_bytes = 0;  ///< without padding
  std::size_t pitch      = 0;  ///< from page to page

  /// Neighbouring pages; more than one only where there is no padding.
  bytes_type pages(std::size_t first, std::size_t count) const {
    return bytes_type(data + first * pitch, count * page_bytes);
  }
};

/// \throws ShapeError  pages are not packed within, overlap, or are too many
template <class ViewType>
auto page_bytes_of(char const* function, std::string const& name, ViewType const& view) {
  static_assert(ViewType::rank() == 6, "KokkosKV: blocks and scales must have rank 6");
  static_assert(
      std::is_same_v<typename ViewType::value_type, typename ViewType::non_const_value_type>,
      "KokkosKV: pages that are uploaded must not be const");
  static_assert(std::is_trivially_copyable_v<typename ViewType::value_type>,
                "KokkosKV: pages must consist of elements that are copied as bytes");
  auto const extent  = extents<6>(view);
  auto const stride  = strides<6>(view);
  std::size_t packed = 1;
  for (std::size_t dimension = 5; dimension >= 1; --dimension) {
    check_equal(function, name + ".stride(" + std::to_string(dimension) + ")", stride[dimension],
                packed);
    packed *= extent[dimension];
  }
  if (stride[0] < packed) {
    throw ShapeError(function, name + ".stride(0)", std::to_string(stride[0]),
                     "at least " + std::to_string(packed));
  }
  if (extent[0] > null_page) {
    throw ShapeError(function, name + ".extent(0)", std::to_string(extent[0]),
                     "at most " + std::to_string(null_page) + " pages");
  }
  constexpr auto element = sizeof(typename ViewType::value_type);
  return PageBytes<typename ViewType::memory_space>{
      reinterpret_cast<std::byte*>(view.data()), extent[0], packed * element, stride[0] * element};
}

}  // namespace KokkosKV::Impl

#endif
