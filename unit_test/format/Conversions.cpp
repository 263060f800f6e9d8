// convert_value() and convert_vector(): between all storage types, and none where none is due.
#include <gtest/gtest.h>

#include <KokkosKV.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <reference/Random.hpp>
#include <reference/Rounding.hpp>

namespace KokkosKVTest {

using KokkosKV::bf16;
using KokkosKV::convert_value;
using KokkosKV::convert_vector;
using KokkosKV::half;
using KokkosKV::SimdVector;

template <class T>
void check_unchanged() {
  for (auto const value : {std::numeric_limits<T>::min(), T(0), T(1), T(77),
                           std::numeric_limits<T>::max(), static_cast<T>(~T(0))}) {
    EXPECT_EQ(convert_value<T>(value), value);
    EXPECT_EQ((convert_vector<T>(SimdVector<T, 2>{{value, T(3)}})[0]), value);
  }
}

TEST(Conversions, IntegersStayAsTheyAre) {
  check_unchanged<std::int8_t>();
  check_unchanged<std::uint8_t>();
  check_unchanged<std::int16_t>();
  check_unchanged<std::int32_t>();
  check_unchanged<std::uint64_t>();
}

template <class From, class To>
void check_pair() {
  Random random(4);
  for (int i = 0; i < 20000; ++i) {
    auto const from  = reference_convert<From>(hard_to_round<double>(random));
    auto const found = convert_value<To>(from);
    auto const right = reference_convert<To>(from);
    ASSERT_EQ(exact_value(found), exact_value(right)) << exact_value(from);
    ASSERT_EQ(std::signbit(exact_value(found)), std::signbit(exact_value(right)));
  }
}

template <class From>
void check_from() {
  check_pair<From, half>();
  check_pair<From, bf16>();
  check_pair<From, float>();
  check_pair<From, double>();
}

TEST(Conversions, EveryPairOfFloatingPointTypes) {
  check_from<half>();
  check_from<bf16>();
  check_from<float>();
  check_from<double>();
}

// Just above the middle of two 16-bit values, by less than float or double can tell.
TEST(Conversions, LongDoublesAreRoundedOnce) {
  if (std::numeric_limits<long double>::digits < 61) GTEST_SKIP() << "long double is double";
  long double const tiny = std::ldexp(1.0L, -60);
  EXPECT_EQ(exact_value(convert_value<bf16>(1 + std::ldexp(1.0L, -8) + tiny)),
            1 + std::ldexp(1.0, -7));
  EXPECT_EQ(exact_value(convert_value<bf16>(1 + std::ldexp(1.0L, -8))), 1.0);
  EXPECT_EQ(exact_value(convert_value<half>(-1 - std::ldexp(1.0L, -11) - tiny)),
            -1 - std::ldexp(1.0, -10));
  EXPECT_EQ(exact_value(convert_value<half>(-1 - std::ldexp(1.0L, -11))), -1.0);
}

TEST(Conversions, VectorsElementByElement) {
  SimdVector<float, 4> const input{{1.0f, -2.5f, 65504.0f, 1e-8f}};
  auto const halves = convert_vector<half>(input);
  auto const back   = convert_vector<float>(halves);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(halves[i].bits, half(input[i]).bits);
  EXPECT_EQ(back[1], -2.5f);
  EXPECT_EQ(back[2], 65504.0f);
  EXPECT_EQ(back[3], 0.0f);
}

}  // namespace KokkosKVTest
