// convert_vector(): what registers do is what convert_value() does to each element, for every
// 16-bit value, and for floats on both sides of every point where rounding changes.
#include <gtest/gtest.h>

#include <KokkosKV.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace KokkosKVTest {
namespace {

using KokkosKV::bf16;
using KokkosKV::convert_value;
using KokkosKV::convert_vector;
using KokkosKV::half;
using KokkosKV::SimdVector;

/// The bits of a value. Registers quieten a NaN that signals, which no computation tells apart.
std::uint32_t bits_of(float value) {
  auto const bits = Kokkos::bit_cast<std::uint32_t>(value);
  return value != value ? bits | 0x00400000u : bits;
}
std::uint32_t bits_of(half value) { return value.bits; }
std::uint32_t bits_of(bf16 value) { return value.bits; }

template <class To, int Width, class From>
void check_width(std::vector<From> const& values) {
  ASSERT_EQ(values.size() % Width, 0u);
  for (std::size_t first = 0; first < values.size(); first += Width) {
    SimdVector<From, Width> vector;
    for (int i = 0; i < Width; ++i) vector[i] = values[first + static_cast<std::size_t>(i)];
    auto const converted = convert_vector<To>(vector);
    for (int i = 0; i < Width; ++i) {
      ASSERT_EQ(bits_of(converted[i]), bits_of(convert_value<To>(vector[i])))
          << "element " << i << " of " << Width << ", bits " << std::hex << bits_of(vector[i]);
    }
  }
}

template <class To, class From>
void check_widths(std::vector<From> const& values) {
  check_width<To, 1>(values);
  check_width<To, 2>(values);
  check_width<To, 4>(values);
  check_width<To, 8>(values);
  check_width<To, 16>(values);
  check_width<To, 32>(values);
}

template <class T>
std::vector<T> all_values() {
  std::vector<T> result(0x10000);
  for (std::size_t i = 0; i < result.size(); ++i) result[i].bits = static_cast<std::uint16_t>(i);
  return result;
}

/// Every upper half of a float with lower halves on, just before and just behind the middles
/// between neighbouring values of both formats, and between those.
std::vector<float> rounding_points() {
  std::vector<float> result;
  for (std::uint32_t upper = 0; upper < 0x10000u; ++upper) {
    for (std::uint32_t const lower : {0x0000u, 0x0001u, 0x0FFFu, 0x1000u, 0x1001u, 0x2FFFu, 0x3000u,
                                      0x3001u, 0x7FFFu, 0x8000u, 0x8001u, 0xFFFFu}) {
      result.push_back(Kokkos::bit_cast<float>(upper << 16 | lower));
    }
  }
  return result;
}

TEST(VectorConversions, EverySixteenBitValueToFloat) {
  check_widths<float>(all_values<bf16>());
  check_widths<float>(all_values<half>());
}

TEST(VectorConversions, FloatsAroundEveryRoundingPoint) {
  auto const floats = rounding_points();
  check_widths<bf16>(floats);
  check_widths<half>(floats);
}

}  // namespace
}  // namespace KokkosKVTest
