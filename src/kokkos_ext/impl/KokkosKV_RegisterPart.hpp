// Compiler vectors of any power of two: arithmetic on them is the arithmetic of the host's
// registers, whatever the optimiser makes of loops.
#ifndef KOKKOSKV_IMPL_REGISTERPART_HPP
#define KOKKOSKV_IMPL_REGISTERPART_HPP

#include <bit>
#include <type_traits>

namespace KokkosKV::Impl {

/// `Count` elements side by side: registers, or a part of one.
template <class T, int Count>
struct RegisterPart {
  typedef T type __attribute__((vector_size(Count * sizeof(T))));
};
template <class T, int Count>
using register_part = typename RegisterPart<T, Count>::type;

/// Whether hosts handle `Count` elements of type T in registers.
template <class T, int Count>
inline constexpr bool is_register_part =
    std::is_floating_point_v<T> && Count >= 4 && std::has_single_bit(static_cast<unsigned>(Count));

}  // namespace KokkosKV::Impl

#endif
