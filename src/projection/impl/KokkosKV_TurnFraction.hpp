// Angles as binary fractions of a turn, and their sines and cosines.
#ifndef KOKKOSKV_IMPL_TURNFRACTION_HPP
#define KOKKOSKV_IMPL_TURNFRACTION_HPP

#include <Kokkos_Macros.hpp>

#include <cmath>
#include <cstdint>
#include <numbers>

namespace KokkosKV::Impl {

/// 2^-64 turns in radians.
inline constexpr double radians_per_unit = 2 * std::numbers::pi * 0x1p-64;

/// An angle in turns modulo 1, in units of 2^-64. Integer multiples of it are exact: overflow drops
/// whole turns.
inline std::uint64_t turn_fraction(double radians) {
  double const turns    = radians / (2 * std::numbers::pi);
  double const fraction = std::round(std::ldexp(turns - std::floor(turns), 64));
  // Just below a whole turn, the fraction may round up to one.
  return fraction < 0x1p64 ? static_cast<std::uint64_t>(fraction) : 0;
}

/// `1 - s / (n (n + 1)) (1 - s / ((n + 2) (n + 3)) (1 - …))`: with `s = x^2`, cos(x) for First = 1
/// and sin(x) / x for First = 2.
template <class Real, int First, int Terms>
KOKKOS_FUNCTION Real alternating_series(Real square) {
  if constexpr (Terms == 0) {
    return Real(1);
  } else {
    constexpr Real step = Real(1) / Real(First * (First + 1));
    return Real(1) - square * step * alternating_series<Real, First + 2, Terms - 1>(square);
  }
}

/// A rotation of the plane.
template <class Real>
struct Rotation {
  Real cosine;
  Real sine;
};

/// Rotation by an angle in units of 2^-64 turns. The functions of the mathematics library reduce
/// radians of any size, in loops that vector units cannot run; here the nearest quarter turn is in
/// the two leading bits, and the series for the eighth of a turn that is left end below the last
/// bit of Real.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Rotation<Real> rotation_by(std::uint64_t turns) {
  constexpr int terms         = sizeof(Real) > sizeof(float) ? 9 : 5;
  constexpr Real radians      = Real(radians_per_unit);
  constexpr auto eighth       = std::uint64_t(1) << 61;
  std::uint64_t const quarter = (turns + eighth) >> 62;
  auto const left             = static_cast<std::int64_t>(turns - (quarter << 62));
  Real const angle            = static_cast<Real>(left) * radians;
  Real const square           = angle * angle;
  Real const cosine           = alternating_series<Real, 1, terms>(square);
  Real const sine             = angle * alternating_series<Real, 2, terms>(square);
  bool const odd              = (quarter & 1u) != 0;
  Real const x                = odd ? sine : cosine;
  Real const y                = odd ? cosine : sine;
  return {((quarter + 1) & 2u) != 0 ? -x : x, (quarter & 2u) != 0 ? -y : y};
}

}  // namespace KokkosKV::Impl

#endif
