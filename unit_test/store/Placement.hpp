// Inputs and outputs of stores and loads: Views of any stride, whose gaps hold poison, and
// functors.
#ifndef KOKKOSKV_TEST_PLACEMENT_HPP
#define KOKKOSKV_TEST_PLACEMENT_HPP

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <kokkos_ext/KokkosKV_SimdVector.hpp>
#include <reference/Arrays.hpp>
#include <reference/Random.hpp>

namespace KokkosKVTest {

enum class InputKind { layout_right, layout_left, strided, elements, vectors };
inline constexpr std::size_t num_input_kinds = 5;
inline constexpr std::size_t num_view_kinds  = 3;

inline char const* name_of(InputKind kind) {
  constexpr char const* names[] = {"LayoutRight View", "LayoutLeft View", "strided View",
                                   "element functor", "vector functor"};
  return names[static_cast<std::size_t>(kind)];
}

template <class T, std::size_t Rank>
using Stars = std::conditional_t<Rank == 3, T***, T****>;

/// Where the elements of a View lie in an array.
template <std::size_t Rank>
struct Placement {
  InputKind kind;
  std::array<std::size_t, Rank> extents;
  std::array<std::size_t, Rank> strides;
  std::size_t first = 0;
  std::size_t size  = 0;

  /// Strides by the kind; a strided View has gaps and may begin anywhere.
  static Placement make(InputKind kind, std::array<std::size_t, Rank> const& extents,
                        std::size_t element_bytes, Random& random) {
    Placement result{kind, extents, {}};
    bool const strided = kind == InputKind::strided;
    std::size_t next   = 1;
    if (strided) {
      next         = random.pick<std::size_t>({1, 1, 1, 2, 3});
      result.first = random.pick<std::size_t>({0, 0, 1, 3, 16 / element_bytes});
    }
    for (std::size_t step = 0; step < Rank; ++step) {
      auto const dimension      = kind == InputKind::layout_left ? step : Rank - 1 - step;
      result.strides[dimension] = next;
      next *= extents[dimension];
      if (strided) next += random.pick<std::size_t>({0, 0, 1, 5, 16 / element_bytes});
    }
    result.size = result.first + next;
    return result;
  }

  /// Elements in row-major order to their places; the rest of the array is `background`.
  template <class T>
  std::vector<T> spread(std::vector<T> const& values, T const& background) const {
    std::vector<T> result(size, background);
    std::array<std::size_t, Rank> index{};
    for (auto const& value : values) {
      auto at = first;
      for (std::size_t d = 0; d < Rank; ++d) at += index[d] * strides[d];
      result[at] = value;
      for (std::size_t d = Rank; d-- > 0 && ++index[d] == extents[d];) index[d] = 0;
    }
    return result;
  }

  /// Calls `use` with a View of the array's elements.
  template <class T, class MemorySpace, class Function>
  void with_view(Kokkos::View<T*, MemorySpace> const& array, Function const& use) const {
    using unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    auto const make = [&]<class Layout>(Layout) {
      Layout layout;
      for (std::size_t d = 0; d < Rank; ++d) {
        layout.dimension[d] = extents[d];
        if constexpr (std::is_same_v<Layout, Kokkos::LayoutStride>) layout.stride[d] = strides[d];
      }
      return Kokkos::View<Stars<T, Rank>, Layout, MemorySpace, unmanaged>(array.data() + first,
                                                                          layout);
    };
    if (kind == InputKind::layout_right) {
      use(make(Kokkos::LayoutRight{}));
    } else if (kind == InputKind::layout_left) {
      use(make(Kokkos::LayoutLeft{}));
    } else {
      use(make(Kokkos::LayoutStride{}));
    }
  }
};

/// Functor over packed rows that gives elements.
template <class T>
struct ElementRows {
  T const* data;
  std::size_t rows_per_sequence;  ///< unused where rows are ragged
  std::size_t num_heads;
  std::size_t head_size;

  KOKKOS_FUNCTION T operator()(std::size_t row, int head, int dim) const {
    return data[(row * num_heads + static_cast<std::size_t>(head)) * head_size +
                static_cast<std::size_t>(dim)];
  }
  KOKKOS_FUNCTION T operator()(std::size_t sequence, std::size_t position, int head,
                               int dim) const {
    return (*this)(sequence * rows_per_sequence + position, head, dim);
  }
};

/// Functor over packed rows that gives vectors. Where the promised alignment is not kept, it gives
/// the elements in reverse, which no comparison overlooks.
template <class T>
struct VectorRows {
  using value_type = T;

  T const* data;
  std::size_t rows_per_sequence;
  std::size_t num_heads;
  std::size_t head_size;

  template <int Width, std::size_t Alignment>
  KOKKOS_FUNCTION KokkosKV::SimdVector<T, Width> operator()(std::size_t row, int head,
                                                            int dim) const {
    auto const* const source = data +
                               (row * num_heads + static_cast<std::size_t>(head)) * head_size +
                               static_cast<std::size_t>(dim);
    if (reinterpret_cast<std::uintptr_t>(source) % Alignment == 0) {
      return KokkosKV::load_vector<Width, Alignment>(source);
    }
    KokkosKV::SimdVector<T, Width> reversed;
    for (int i = 0; i < Width; ++i) reversed[i] = source[Width - 1 - i];
    return reversed;
  }
  template <int Width, std::size_t Alignment>
  KOKKOS_FUNCTION KokkosKV::SimdVector<T, Width> operator()(std::size_t sequence,
                                                            std::size_t position, int head,
                                                            int dim) const {
    return operator()<Width, Alignment>(sequence * rows_per_sequence + position, head, dim);
  }
};

/// Calls `use(input)` with the values (row-major) as an input of the asked kind.
template <class MemorySpace, class T, std::size_t Rank, class Function>
void with_input(InputKind kind, std::array<std::size_t, Rank> const& extents,
                std::vector<T> const& values, Random& random, Function const& use) {
  auto const rows_per_sequence = extents[Rank - 3], heads = extents[Rank - 2],
             head_size = extents[Rank - 1];
  if (kind == InputKind::elements) {
    auto const array = to_device<MemorySpace>(values);
    use(ElementRows<T>{array.data(), rows_per_sequence, heads, head_size});
  } else if (kind == InputKind::vectors) {
    auto const array = to_device<MemorySpace>(values);
    use(VectorRows<T>{array.data(), rows_per_sequence, heads, head_size});
  } else {
    auto const place = Placement<Rank>::make(kind, extents, sizeof(T), random);
    auto const array = to_device<MemorySpace>(place.spread(values, poison<T>()));
    place.with_view(array, use);
  }
}

}  // namespace KokkosKVTest

#endif
