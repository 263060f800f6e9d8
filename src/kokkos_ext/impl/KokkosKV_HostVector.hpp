// Vectors of floats as wide as the host's registers: compiler vectors, so that one source serves
// every instruction set that the compiler is told to use (-march=native, or Kokkos' architecture).
#ifndef KOKKOSKV_IMPL_HOSTVECTOR_HPP
#define KOKKOSKV_IMPL_HOSTVECTOR_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include <format/KokkosKV_Bf16.hpp>
#include <format/KokkosKV_Convert.hpp>
#include <kokkos_ext/impl/KokkosKV_HostConvert.hpp>
#include <kokkos_ext/impl/KokkosKV_RegisterPart.hpp>

namespace KokkosKV::Impl {

/// Floats of a register.
inline constexpr int host_lanes = register_bytes / static_cast<int>(sizeof(float));

using FloatVector [[gnu::vector_size(host_lanes * 4)]] = float;
using IntVector [[gnu::vector_size(host_lanes * 4)]]   = std::int32_t;
using WordVector [[gnu::vector_size(host_lanes * 4)]]  = std::uint32_t;

inline constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

/// Calls `function` with the constants 0 to Count - 1: arrays that are indexed by them can stay in
/// registers.
template <int Count, class Function>
[[gnu::always_inline]] inline void unrolled(Function const& function) {
  [&]<int... Index>(std::integer_sequence<int, Index...>) __attribute__((always_inline)) {
    (function(std::integral_constant<int, Index>{}), ...);
  }(std::make_integer_sequence<int, Count>{});
}

/// A vector of one value; not as a sum with zero, which would be an addition (of -0).
template <class Vector = FloatVector, class Value>
inline Vector broadcast(Value value) {
  return [value]<int... Lanes>(std::integer_sequence<int, Lanes...>) {
    return Vector{((void)Lanes, value)...};
  }(std::make_integer_sequence<int, host_lanes>{});
}
inline IntVector broadcast_int(std::int32_t value) { return broadcast<IntVector>(value); }

/// Lane i holds first + i.
inline IntVector counting(std::int32_t first) {
  return [first]<int... Lanes>(std::integer_sequence<int, Lanes...>) {
    return IntVector{(first + Lanes)...};
  }(std::make_integer_sequence<int, host_lanes>{});
}

inline FloatVector load_lanes(float const* from) {
  FloatVector result;
  __builtin_memcpy(&result, from, sizeof result);
  return result;
}
inline void store_lanes(float* to, FloatVector vector) {
  __builtin_memcpy(to, &vector, sizeof vector);
}

/// Objects, not functions: a call through the address of one would not be inlined.
inline constexpr auto larger = [](FloatVector a, FloatVector b) { return a > b ? a : b; };
inline constexpr auto added  = [](FloatVector a, FloatVector b) { return a + b; };
inline FloatVector to_float(IntVector a) { return __builtin_convertvector(a, FloatVector); }

/// True where any lane of a comparison holds.
inline bool any(IntVector mask) {
  std::int32_t all = 0;
  for (int i = 0; i < host_lanes; ++i) all |= mask[i];
  return all != 0;
}

/// exp() of arguments up to 88, to about one unit in the last place; 0 below -87.3 (where floats
/// turn subnormal) and for -inf, NaN for NaN. Reduction by multiples of log(2) in two parts (Cody
/// and Waite, Software Manual for the Elementary Functions, 1980).
inline FloatVector exponential(FloatVector x) {
  constexpr float lowest    = -87.3f;
  constexpr float round     = 12582912.0f;  // 1.5 * 2^23: adding it leaves the nearest integer
  FloatVector const clamped = x < lowest ? broadcast(lowest) : x;
  FloatVector const shifted = clamped * 1.44269504f + round;
  FloatVector const count   = shifted - round;
  FloatVector const rest    = (clamped - count * 0.693359375f) - count * -2.12194440e-4f;
  FloatVector poly          = rest * 1.9875691500e-4f + 1.3981999507e-3f;
  poly                      = poly * rest + 8.3334519073e-3f;
  poly                      = poly * rest + 4.1665795894e-2f;
  poly                      = poly * rest + 1.6666665459e-1f;
  poly                      = poly * rest + 5.0000001201e-1f;
  poly                      = poly * (rest * rest) + rest + 1.0f;
  // The integer sits in the low bits of the shifted sum; the others fall out on the way up.
  WordVector const power = (std::bit_cast<WordVector>(shifted) + 127u) << 23;
  return x < lowest ? FloatVector{} : poly * std::bit_cast<FloatVector>(power);
}

/// tanh() with a small relative error everywhere: a polynomial near zero, the exponential beyond.
inline FloatVector hyperbolic_tangent(FloatVector x) {
  FloatVector const size   = x < 0.0f ? -x : x;
  FloatVector const square = x * x;
  FloatVector poly         = broadcast(-5.70498872745e-3f);
  poly                     = poly * square + 2.06390887954e-2f;
  poly                     = poly * square - 5.37397155531e-2f;
  poly                     = poly * square + 1.33314422036e-1f;
  poly                     = poly * square - 3.33332819422e-1f;
  FloatVector const near   = poly * square * x + x;
  FloatVector const beyond =
      1.0f - 2.0f / (exponential(size > 40.0f ? broadcast(80.0f) : size + size) + 1.0f);
  return size < 0.625f ? near : (x < 0.0f ? -beyond : beyond);
}

/// Lane i becomes the result over the lanes of vectors[i]: in each step, half of the vectors fold
/// onto the other half.
template <int Width = host_lanes / 2, class Operation>
[[gnu::always_inline]] inline FloatVector fold_each(FloatVector* vectors,
                                                    Operation const& operation) {
  constexpr auto lanes = std::make_integer_sequence<int, host_lanes>{};
  unrolled<Width>([&](auto i) {
    auto const fold = [&]<int... L>(std::integer_sequence<int, L...>, FloatVector a,
                                    FloatVector b) {
      return operation(__builtin_shufflevector(a, b, ((L & Width) != 0 ? host_lanes + L : L)...),
                       __builtin_shufflevector(
                           a, b, ((L & Width) != 0 ? host_lanes + (L ^ Width) : (L ^ Width))...));
    };
    vectors[i] = fold(lanes, vectors[i], vectors[i + Width]);
  });
  if constexpr (Width == 1) {
    return vectors[0];
  } else {
    return fold_each<Width / 2>(vectors, operation);
  }
}

/// Folds halves onto one another until blocks of `Lanes` lanes are left, each of which holds the
/// result over all blocks.
template <int Lanes, int Width = host_lanes / 2, class Operation>
[[gnu::always_inline]] inline FloatVector fold_blocks(FloatVector vector,
                                                      Operation const& operation) {
  if constexpr (Width < Lanes) {
    return vector;
  } else {
    auto const swapped = [vector]<int... L>(std::integer_sequence<int, L...>) {
      return __builtin_shufflevector(vector, vector, (L ^ Width)...);
    }(std::make_integer_sequence<int, host_lanes>{});
    return fold_blocks<Lanes, Width / 2>(operation(vector, swapped), operation);
  }
}

/// The result over all lanes.
template <class Operation>
[[gnu::always_inline]] inline float fold(FloatVector vector, Operation const& operation) {
  return fold_blocks<1>(vector, operation)[0];
}

/// Asks for a line that will be read soon.
inline void prefetch_line(void const* address) { __builtin_prefetch(address, 0, 2); }

/// A vector of neighbouring elements in their order.
struct OrderedFormat {
  static constexpr bool ordered = true;
  static constexpr int vectors  = 1;
  static constexpr int elements = host_lanes;
  static constexpr int index(int /*vector*/, int lane) { return lane; }
};

/// How neighbouring elements of a storage type become vectors of floats: `vectors` at a time, of
/// which lane `l` of vector `v` is element `index(v, l)`.
template <class T>
struct VectorFormat : OrderedFormat {
  static void load(T const* from, FloatVector* to) {
    if constexpr (has_vector_conversion<T>) {
      register_part<std::uint16_t, host_lanes> bits;
      __builtin_memcpy(&bits, from, sizeof bits);
      to[0] = floats_of<T, host_lanes>(bits);
    } else {
      FloatVector result{};
      for (int i = 0; i < host_lanes; ++i) result[i] = convert_value<float>(from[i]);
      to[0] = result;
    }
  }
};

template <>
struct VectorFormat<float> : OrderedFormat {
  static void load(float const* from, FloatVector* to) { to[0] = load_lanes(from); }
};

/// Words of two elements: the even ones are shifted up, the odd ones masked, which takes half the
/// instructions that widening in order would.
template <>
struct VectorFormat<bf16> {
  static constexpr bool ordered   = false;
  static constexpr int vectors    = 2;
  static constexpr int elements   = 2 * host_lanes;
  static constexpr bool low_first = std::endian::native == std::endian::little;
  static constexpr int index(int vector, int lane) {
    return 2 * lane + (low_first ? vector : 1 - vector);
  }

  static void load(bf16 const* from, FloatVector* to) {
    WordVector words;
    __builtin_memcpy(&words, from, sizeof words);
    to[0] = std::bit_cast<FloatVector>(words << 16);
    to[1] = std::bit_cast<FloatVector>(words & 0xFFFF0000u);
  }
};

/// A row of `Size` elements of type T as vectors of floats, the last of them filled up with zeros.
template <class T, int Size>
struct RowFormat {
  using format = VectorFormat<T>;

  static constexpr int chunks  = (Size + format::elements - 1) / format::elements;
  static constexpr int vectors = chunks * format::vectors;
  static constexpr int floats  = vectors * host_lanes;
  static constexpr int tail    = Size % format::elements;

  /// Loads a chunk; nothing past the row is read.
  static void load(T const* row, int chunk, FloatVector* to) {
    T const* const from = row + chunk * format::elements;
    if constexpr (tail != 0) {
      if (chunk == chunks - 1) {
        T filled[format::elements] = {};
        __builtin_memcpy(filled, from, tail * sizeof(T));
        format::load(filled, to);
        return;
      }
    }
    format::load(from, to);
  }
};

}  // namespace KokkosKV::Impl

#endif
