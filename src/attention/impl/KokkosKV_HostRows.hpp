// Query rows into the order of a host kernel, and results out of it.
#ifndef KOKKOSKV_IMPL_HOSTROWS_HPP
#define KOKKOSKV_IMPL_HOSTROWS_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <attention/impl/KokkosKV_AttentionCall.hpp>
#include <kokkos_ext/impl/KokkosKV_HostVector.hpp>

namespace KokkosKV::Impl {

/// Calls `visit(i, element)` for float `i` of a row's vectors and the element that it is, as long
/// as `element < size`.
template <class Row, class Visit>
inline void for_each_element(int size, Visit const& visit) {
  using format = typename Row::format;
  if constexpr (format::ordered) {
    for (int element = 0; element < size; ++element) visit(element, element);
  } else {
    for (int chunk = 0; chunk < Row::chunks; ++chunk) {
      int const first  = chunk * format::elements;
      bool const whole = first + format::elements <= size;
      for (int v = 0; v < format::vectors; ++v) {
        int const i = (chunk * format::vectors + v) * host_lanes;
        for (int lane = 0; lane < host_lanes; ++lane) {
          int const element = first + format::index(v, lane);
          if (whole || element < size) visit(i + lane, element);
        }
      }
    }
  }
}

/// Calls `function(stride)`, with a constant where elements are neighbours.
template <class Function>
inline void with_stride(std::size_t stride, Function const& function) {
  if (stride == 1) {
    function(std::integral_constant<std::size_t, 1>{});
  } else {
    function(stride);
  }
}

/// Loads the scaled query of a pair: float `i` of the row goes to `to[i * to_stride]`. Nothing is
/// written where the row is filled up.
template <class Row, class Call>
inline void load_query(Call const& call, QueryPair const& pair, float* to, std::size_t to_stride) {
  auto const* const from = call.queries.at(pair.row, pair.query_head);
  float const scale      = call.rule.scale;
  with_stride(call.queries.strides[2], [from, scale, to, to_stride](auto stride) {
    for_each_element<Row>(
        Call::head_size, [from, scale, to, to_stride, stride](int i, int element) {
          to[static_cast<std::size_t>(i) * to_stride] =
              convert_value<float>(from[static_cast<std::size_t>(element) * stride]) * scale;
        });
  });
}

/// Writes the result of a pair from weighted sums; false where one of them is no number.
/// \param sums  float `i` of the row at `sums[i * sum_stride]`
template <class Row, class Call>
inline bool write_result(Call const& call, AttentionUnit const& unit, QueryPair const& pair,
                         float largest, float total, float const* sums, std::size_t sum_stride) {
  using output_type = typename Call::output_type;
  auto const target = call.target(unit, pair);
  auto const result = call.normalization(unit, pair.query_head, largest, total);
  // An exponent of ones; as a number, so that the loop needs no branch.
  std::uint32_t no_number = 0;
  auto const write        = [&](auto* to, auto stride) {
    using to_type = std::remove_pointer_t<decltype(to)>;
    for_each_element<Row>(call.value_head_size, [&](int i, int element) {
      float const value = sums[static_cast<std::size_t>(i) * sum_stride] * result.factor;
      no_number |=
          std::uint32_t((std::bit_cast<std::uint32_t>(value) & 0x7F800000u) == 0x7F800000u);
      to[static_cast<std::size_t>(element) * stride] = convert_value<to_type>(value);
    });
  };
  if (target.state != nullptr) {
    write(target.state, std::integral_constant<std::size_t, 1>{});
  } else {
    output_type* const output = target.output;
    with_stride(target.stride, [&](auto stride) { write(output, stride); });
  }
  if (target.lse != nullptr) *target.lse = result.lse;
  return no_number == 0;
}

}  // namespace KokkosKV::Impl

#endif
