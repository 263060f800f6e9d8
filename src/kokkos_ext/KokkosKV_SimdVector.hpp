// A few neighbouring elements that move together: one 16-byte access on devices, a register on
// hosts.
#ifndef KOKKOSKV_SIMDVECTOR_HPP
#define KOKKOSKV_SIMDVECTOR_HPP

#include <Kokkos_Macros.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>

#include <kokkos_ext/impl/KokkosKV_AccessWords.hpp>

namespace KokkosKV {

/// Widest access that every supported device issues as one instruction, in bytes.
inline constexpr std::size_t max_access_bytes = 16;

/// Largest power of two that divides `elements` and fits \p Bytes: the widest vector that leaves no
/// tail in a row of `elements` elements of type T.
template <class T, std::size_t Bytes = max_access_bytes>
constexpr int vector_width(int elements) {
  int width = 1;
  while (elements % (2 * width) == 0 && 2 * static_cast<std::size_t>(width) * sizeof(T) <= Bytes) {
    width *= 2;
  }
  return width;
}

/// `Width` elements of type T, aligned for one access, or for several where they are larger than
/// the widest access.
template <class T, int Width>
struct alignas(std::has_single_bit(Width * sizeof(T))
                   ? std::min(Width * sizeof(T), max_access_bytes)
                   : alignof(T)) SimdVector {
  static_assert(Width >= 1, "KokkosKV::SimdVector: Width must be at least 1");

  using value_type           = T;      ///< type of an element
  static constexpr int width = Width;  ///< number of elements

  T values[Width];  ///< the elements

  /// Element `i`.
  KOKKOS_FUNCTION constexpr T& operator[](int i) { return values[i]; }
  /// Element `i`.
  KOKKOS_FUNCTION constexpr T const& operator[](int i) const { return values[i]; }
};

/// Loads `Width` elements. \p Alignment is the alignment of `source` in bytes that the caller
/// vouches for; where it covers the vector's own alignment, devices move the vector in accesses as
/// wide as that.
template <int Width, std::size_t Alignment, class T>
KOKKOS_FUNCTION SimdVector<T, Width> load_vector(T const* source) {
  using vector_type = SimdVector<T, Width>;
  vector_type result;
  KOKKOS_IF_ON_HOST((Impl::move_on_host(&result, source, sizeof result);))
  KOKKOS_IF_ON_DEVICE((
      if constexpr (Alignment >= alignof(vector_type)) {
        result = Impl::load_words<vector_type>(source);
      } else {
        for (int i = 0; i < Width; ++i) result[i] = source[i];
      }))
  return result;
}

/// Stores `Width` elements; \p Alignment as in load_vector().
template <int Width, std::size_t Alignment, class T>
KOKKOS_FUNCTION void store_vector(T* target, SimdVector<T, Width> const& vector) {
  KOKKOS_IF_ON_HOST((Impl::move_on_host(target, &vector, sizeof vector);))
  KOKKOS_IF_ON_DEVICE((
      if constexpr (Alignment >= alignof(SimdVector<T, Width>)) {
        Impl::store_words(target, vector);
      } else {
        for (int i = 0; i < Width; ++i) target[i] = vector[i];
      }))
}

}  // namespace KokkosKV

#endif
