// Arithmetic on SimdVector: in registers on hosts, element by element on devices.
#ifndef KOKKOSKV_IMPL_VECTORMATH_HPP
#define KOKKOSKV_IMPL_VECTORMATH_HPP

#include <Kokkos_BitManipulation.hpp>
#include <Kokkos_Macros.hpp>

#include <bit>
#include <utility>

#include <kokkos_ext/KokkosKV_SimdVector.hpp>
#include <kokkos_ext/impl/KokkosKV_RegisterPart.hpp>

namespace KokkosKV::Impl {

/// The registers that hold a vector.
template <class T, int Width>
Registers<T, Width> in_registers(SimdVector<T, Width> const& vector) {
  return std::bit_cast<Registers<T, Width>>(vector);
}

/// `operation(registers of the vectors...)`, one register of each at a time.
template <class T, int Width, class Operation, class... Vectors>
SimdVector<T, Width> map_registers(Operation const& operation, Vectors const&... vectors) {
  Registers<T, Width> result;
  auto const map = [&](auto const&... registers) {
    for (int i = 0; i < result.count; ++i) result.parts[i] = operation(registers.parts[i]...);
  };
  map(in_registers(vectors)...);
  return std::bit_cast<SimdVector<T, Width>>(result);
}

/// Neighbours of a register change places.
struct SwapNeighbours {
  template <class Register>
  auto operator()(Register const& elements) const {
    return swap(elements, std::make_integer_sequence<int, sizeof elements / sizeof elements[0]>{});
  }

 private:
  template <class Register, int... I>
  static auto swap(Register const& elements, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(elements, elements, (I ^ 1)...);
  }
};

/// Two halves of a vector.
template <class T, int Width>
struct VectorHalves {
  SimdVector<T, Width / 2> low;
  SimdVector<T, Width / 2> high;
};

/// Element i is `operation(first[i], rest[i]...)`.
/// \param operation  of operators alone, since hosts call it with vectors of the compiler; it takes
///                   its arguments as `auto const&`
template <class Operation, class T, int Width, class... Rest>
KOKKOS_FUNCTION SimdVector<T, Width> map_elements(Operation const& operation,
                                                  SimdVector<T, Width> const& first,
                                                  Rest const&... rest) {
  if constexpr (is_register_part<T, Width>) {
    KOKKOS_IF_ON_HOST((return map_registers<T, Width>(operation, first, rest...);))
  }
  SimdVector<T, Width> result;
  for (int i = 0; i < Width; ++i) result[i] = operation(first[i], rest[i]...);
  return result;
}

/// The sum of the elements, by halves: each is rounded log2(Width) times.
template <class T, int Width>
KOKKOS_FUNCTION T sum_of_elements(SimdVector<T, Width> const& vector) {
  if constexpr (Width == 1) {
    return vector[0];
  } else {
    static_assert((Width & (Width - 1)) == 0, "KokkosKV: vectors are summed by halves");
    auto const halves = Kokkos::bit_cast<VectorHalves<T, Width>>(vector);
    auto const add    = [](auto const& a, auto const& b) { return a + b; };
    return sum_of_elements(map_elements(add, halves.low, halves.high));
  }
}

/// Neighbours change places: element i is `vector[i ^ 1]`.
template <class T, int Width>
KOKKOS_FUNCTION SimdVector<T, Width> swap_neighbours(SimdVector<T, Width> const& vector) {
  static_assert(Width % 2 == 0, "KokkosKV: elements are swapped in pairs");
  if constexpr (is_register_part<T, Width>) {
    KOKKOS_IF_ON_HOST((return map_registers<T, Width>(SwapNeighbours{}, vector);))
  }
  SimdVector<T, Width> result;
  for (int i = 0; i < Width; ++i) result[i] = vector[i ^ 1];
  return result;
}

}  // namespace KokkosKV::Impl

#endif
