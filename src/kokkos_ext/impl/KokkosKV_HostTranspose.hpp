// Short rows, one a lane: from rows of elements in memory to a vector for each element.
#ifndef KOKKOSKV_IMPL_HOSTTRANSPOSE_HPP
#define KOKKOSKV_IMPL_HOSTTRANSPOSE_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <format/KokkosKV_Convert.hpp>
#include <kokkos_ext/impl/KokkosKV_HostConvert.hpp>
#include <kokkos_ext/impl/KokkosKV_HostVector.hpp>

namespace KokkosKV::Impl {

/// Lanes that a short row takes: a power of two that divides a vector.
constexpr int short_row_lanes(int size) {
  return std::max(4, static_cast<int>(std::bit_ceil(static_cast<unsigned>(size))));
}

/// A row of `Size` elements as floats, followed by zeros. Nothing past the row is read.
template <int Size, class T>
[[gnu::always_inline]] inline auto load_short_row(T const* row) {
  constexpr int lanes = short_row_lanes(Size);
  if constexpr (has_vector_conversion<T>) {
    register_part<std::uint16_t, lanes> bits{};
    __builtin_memcpy(&bits, row, Size * sizeof(T));
    return floats_of<T, lanes>(bits);
  } else {
    register_part<float, lanes> result{};
    if constexpr (std::is_same_v<T, float>) {
      __builtin_memcpy(&result, row, Size * sizeof(T));
    } else {
      for (int i = 0; i < Size; ++i) result[i] = convert_value<float>(row[i]);
    }
    return result;
  }
}

/// `Lanes` lanes of rows: those of rows[first], rows[first + lanes of a row] and so on.
template <int Lanes, int Size, class T>
[[gnu::always_inline]] inline auto load_short_rows(T const* const* rows, int first,
                                                   std::size_t offset) {
  if constexpr (Lanes == short_row_lanes(Size)) {
    return load_short_row<Size>(rows[first] + offset);
  } else {
    auto const low  = load_short_rows<Lanes / 2, Size>(rows, first, offset);
    auto const high = load_short_rows<Lanes / 2, Size>(rows, first + Lanes / 2, offset);
    return [&]<int... L>(std::integer_sequence<int, L...>) __attribute__((always_inline)) {
      return __builtin_shufflevector(low, high, L...);
    }(std::make_integer_sequence<int, Lanes>{});
  }
}

/// Exchanges blocks of `Step` lanes between the vectors of blocks of `Step` vectors, then those of
/// half the size: at last each square of `Count` lanes is transposed.
template <int Count, int Step = Count / 2>
[[gnu::always_inline]] inline void transpose_squares(FloatVector* vectors) {
  constexpr auto lanes = std::make_integer_sequence<int, host_lanes>{};
  unrolled<Count / 2>([&](auto i) {
    constexpr int first = i / Step * 2 * Step + i % Step;
    auto const exchange = [&]<int... L>(std::integer_sequence<int, L...>, FloatVector a,
                                        FloatVector b) __attribute__((always_inline)) {
      vectors[first] =
          __builtin_shufflevector(a, b, ((L & Step) != 0 ? host_lanes + (L ^ Step) : L)...);
      vectors[first + Step] =
          __builtin_shufflevector(a, b, ((L & Step) != 0 ? host_lanes + L : (L ^ Step))...);
    };
    exchange(lanes, vectors[first], vectors[first + Step]);
  });
  if constexpr (Step > 1) transpose_squares<Count, Step / 2>(vectors);
}

/// Lane `l` of `vectors[e]` becomes element `e` of row `l`, for short_row_lanes(Size) vectors.
/// \tparam Size    elements of a row; its lanes must fit in a vector
/// \param  rows    addresses of host_lanes rows
/// \param  offset  elements to skip at the beginning of each
template <int Size, class T>
[[gnu::always_inline]] inline void load_transposed(T const* const* rows, std::size_t offset,
                                                   FloatVector* vectors) {
  constexpr int count = short_row_lanes(Size);
  static_assert(count <= host_lanes);
  unrolled<count>([&](auto i) { vectors[i] = load_short_rows<host_lanes, Size>(rows, i, offset); });
  transpose_squares<count>(vectors);
}

/// Each lane of the rows that load_short_rows<host_lanes, Size>(rows, First, …) loads gets the
/// number that its row has in `of_rows`: first four of them into every four lanes, of which one is
/// spread then, since permutations within four lanes are the cheapest.
template <int Size, int First>
[[gnu::always_inline]] inline FloatVector spread_over_rows(FloatVector of_rows) {
  constexpr int lanes = short_row_lanes(Size);
  constexpr auto all  = std::make_integer_sequence<int, host_lanes>{};
  auto const four = [&]<int... L>(std::integer_sequence<int, L...>) __attribute__((always_inline)) {
    return __builtin_shufflevector(of_rows, of_rows,
                                   (L / lanes * lanes + First / 4 * 4 + L % 4)...);
  }(all);
  return [&]<int... L>(std::integer_sequence<int, L...>) __attribute__((always_inline)) {
    return __builtin_shufflevector(four, four, (L / 4 * 4 + First % 4)...);
  }(all);
}

}  // namespace KokkosKV::Impl

#endif
