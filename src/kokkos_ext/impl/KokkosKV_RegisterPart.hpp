// Compiler vectors of any power of two: arithmetic on them is the arithmetic of the host's
// registers, whatever the optimiser makes of loops.
#ifndef KOKKOSKV_IMPL_REGISTERPART_HPP
#define KOKKOSKV_IMPL_REGISTERPART_HPP

#include <algorithm>
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

/// Bytes of a register of the host's vector unit.
#if defined(__AVX512F__)
inline constexpr int register_bytes = 64;
#elif defined(__AVX__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif

/// Whether hosts handle `Count` elements of type T in registers.
template <class T, int Count>
inline constexpr bool is_register_part =
    std::is_floating_point_v<T> && Count >= 4 && std::has_single_bit(static_cast<unsigned>(Count));

/// `Count` elements in as many registers as they fill: wider compiler vectors could not be passed
/// to functions without a change of the binary interface.
template <class T, int Count>
struct Registers {
  /// Elements of a register.
  static constexpr int width = std::min(Count, register_bytes / static_cast<int>(sizeof(T)));
  static constexpr int count = Count / width;

  register_part<T, width> parts[count];
};

}  // namespace KokkosKV::Impl

#endif
