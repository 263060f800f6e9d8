// half and bf16 against their definition: every bit pattern, every exponent, ties and random
// numbers.
#include <gtest/gtest.h>

#include <ExecutionSpaces.hpp>
#include <KokkosKV.hpp>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <reference/Arrays.hpp>
#include <reference/Random.hpp>
#include <reference/Rounding.hpp>
#include <vector>

namespace KokkosKVTest {

using KokkosKV::bf16;
using KokkosKV::convert_value;
using KokkosKV::half;

template <class T>
bool is_nan_pattern(std::uint32_t bits) {
  return (bits & 0x7FFFu) > infinity_bits<T>;
}

/// Quiet bit of a NaN: the highest fraction bit.
template <class T>
inline constexpr std::uint32_t quiet_bit = 1u << (fraction_bits<T> - 1);

template <class T>
T from_bits(std::uint32_t bits) {
  T result;
  result.bits = static_cast<std::uint16_t>(bits);
  return result;
}

template <class T>
class SixteenBitFormats : public testing::Test {
 protected:
  /// One number by both routes, against the nearest value of the format.
  template <class Real>
  static testing::AssertionResult rounds_once(Real value) {
    auto const expected = nearest<T>(static_cast<double>(value));
    auto const found    = convert_value<T>(value);
    if (found.bits == expected.bits) return testing::AssertionSuccess();
    return testing::AssertionFailure() << value << " (" << hex(value) << ") became " << hex(found)
                                       << ", expected " << hex(expected);
  }

  /// The number, its neighbours, and all of them negative.
  template <class Real>
  static void check_around(Real value) {
    for (Real const near : {value, std::nextafter(value, Real(0)),
                            std::nextafter(value, std::numeric_limits<Real>::infinity())}) {
      ASSERT_TRUE(rounds_once(near));
      ASSERT_TRUE(rounds_once(-near));
    }
  }
};
using Formats = testing::Types<half, bf16>;
TYPED_TEST_SUITE(SixteenBitFormats, Formats);

TYPED_TEST(SixteenBitFormats, EveryPatternHasItsValue) {
  for (std::uint32_t bits = 0; bits < 0x10000u; ++bits) {
    auto const value = from_bits<TypeParam>(bits);
    auto const found = static_cast<float>(value);
    if (is_nan_pattern<TypeParam>(bits)) {
      ASSERT_TRUE(std::isnan(found)) << bits;
    } else {
      ASSERT_EQ(static_cast<double>(found), exact_value(value)) << bits;
      ASSERT_EQ(std::signbit(found), bits >= 0x8000u) << bits;
    }
    ASSERT_EQ(std::bit_cast<std::uint64_t>(convert_value<double>(value)),
              std::bit_cast<std::uint64_t>(static_cast<double>(found)));
  }
}

TYPED_TEST(SixteenBitFormats, EveryPatternComesBack) {
  for (std::uint32_t bits = 0; bits < 0x10000u; ++bits) {
    auto const value = from_bits<TypeParam>(bits);
    // A signalling NaN becomes quiet and keeps the rest of its bits.
    auto const expected = is_nan_pattern<TypeParam>(bits) ? bits | quiet_bit<TypeParam> : bits;
    ASSERT_EQ(TypeParam(static_cast<float>(value)).bits, expected);
    ASSERT_EQ(convert_value<TypeParam>(static_cast<float>(value)).bits, expected);
    ASSERT_EQ(convert_value<TypeParam>(static_cast<double>(static_cast<float>(value))).bits,
              expected);
    // No conversion, no change.
    ASSERT_EQ(convert_value<TypeParam>(value).bits, bits);
  }
}

TYPED_TEST(SixteenBitFormats, EveryNanStaysNan) {
  Random random(1);
  for (int i = 0; i < 100000; ++i) {
    // Also NaNs whose payload lies in the bits that are dropped.
    auto const low     = static_cast<std::uint32_t>(random.bits());
    auto const payload = i % 2 == 0 ? low & 0x7FFFFFu : 1u << (low % 23);
    auto const word    = 0x7F800000u | payload | (low & 0x80000000u);
    if (payload == 0) continue;
    auto const found = TypeParam(std::bit_cast<float>(word)).bits;
    ASSERT_TRUE(is_nan_pattern<TypeParam>(found)) << std::hex << word;
    ASSERT_EQ(found >> 15, word >> 31) << std::hex << word;
  }
  auto const wide = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(is_nan_pattern<TypeParam>(convert_value<TypeParam>(wide).bits));
  EXPECT_TRUE(is_nan_pattern<TypeParam>(
      convert_value<TypeParam>(std::bit_cast<double>(0x7FF0000000000001u)).bits));
}

TYPED_TEST(SixteenBitFormats, EveryExponentOfFloat) {
  Random random(2);
  for (std::uint32_t exponent = 0; exponent < 255; ++exponent) {
    TestFixture::check_around(std::bit_cast<float>(exponent << 23));
    TestFixture::check_around(std::bit_cast<float>(exponent << 23 | 0x7FFFFFu));
    for (int i = 0; i < 200; ++i) {
      auto const fraction = static_cast<std::uint32_t>(random.bits()) & 0x7FFFFFu;
      TestFixture::check_around(std::bit_cast<float>(exponent << 23 | fraction));
    }
  }
}

// Between every two neighbours of the format, subnormals and the step to infinity included.
TYPED_TEST(SixteenBitFormats, EveryTie) {
  auto const& table = magnitudes<TypeParam>();
  for (std::size_t i = 0; i + 1 < table.size(); ++i) {
    double const middle = (table[i] + table[i + 1]) / 2;
    TestFixture::check_around(middle);
    if (static_cast<double>(static_cast<float>(middle)) == middle) {
      TestFixture::check_around(static_cast<float>(middle));
    }
  }
}

TYPED_TEST(SixteenBitFormats, OverflowInfinityAndZero) {
  auto const infinity = infinity_bits<TypeParam>;
  auto const bits     = [](auto value) { return convert_value<TypeParam>(value).bits; };
  for (auto const value : {std::numeric_limits<float>::infinity(), 3.4028235e38f}) {
    EXPECT_EQ(bits(value), infinity);
    EXPECT_EQ(bits(-value), infinity | 0x8000u);
  }
  EXPECT_EQ(bits(1e300), infinity);
  EXPECT_EQ(bits(-1e300), infinity | 0x8000u);
  EXPECT_EQ(bits(std::numeric_limits<double>::infinity()), infinity);
  EXPECT_EQ(bits(0.0f), 0u);
  EXPECT_EQ(bits(-0.0f), 0x8000u);
  EXPECT_EQ(bits(-0.0), 0x8000u);
  EXPECT_EQ(bits(1e-300), 0u);
  EXPECT_EQ(bits(-1e-300), 0x8000u);
}

TYPED_TEST(SixteenBitFormats, RandomNumbers) {
  Random random(3);
  for (int i = 0; i < 2000000; ++i) {
    auto const value = std::bit_cast<float>(static_cast<std::uint32_t>(random.bits()));
    if (std::isnan(value)) continue;
    ASSERT_TRUE(TestFixture::rounds_once(value));
  }
  for (int i = 0; i < 500000; ++i) {
    ASSERT_TRUE(TestFixture::rounds_once(hard_to_round<float>(random)));
    ASSERT_TRUE(TestFixture::rounds_once(hard_to_round<double>(random)));
  }
}

// A double next to a tie rounds to the tie in float, and from there to the wrong side.
TYPED_TEST(SixteenBitFormats, DoubleDoesNotRoundTwice) {
  constexpr int fraction = fraction_bits<TypeParam>;
  double const ulp       = std::ldexp(1.0, -fraction);
  double const tie       = 1.0 + ulp / 2;
  double const above     = std::nextafter(tie, 2.0);
  double const odd_tie   = 1.0 + 1.5 * ulp;
  double const below     = std::nextafter(odd_tie, 1.0);
  EXPECT_EQ(static_cast<float>(above), static_cast<float>(tie));
  auto const one = convert_value<TypeParam>(1.0).bits;
  EXPECT_EQ(convert_value<TypeParam>(tie).bits, one);
  EXPECT_EQ(convert_value<TypeParam>(above).bits, one + 1);
  EXPECT_EQ(convert_value<TypeParam>(-above).bits, (one + 1) | 0x8000u);
  EXPECT_EQ(convert_value<TypeParam>(odd_tie).bits, one + 2);
  EXPECT_EQ(convert_value<TypeParam>(below).bits, one + 1);
  // The same at the smallest subnormal: half of it is a tie with zero.
  double const smallest = magnitudes<TypeParam>()[1];
  EXPECT_EQ(convert_value<TypeParam>(smallest / 2).bits, 0u);
  EXPECT_EQ(convert_value<TypeParam>(std::nextafter(smallest / 2, 1.0)).bits, 1u);
}

template <class T, class ExecSpace>
struct RoundKernel {
  Kokkos::View<float*, typename ExecSpace::memory_space> input;
  Kokkos::View<T*, typename ExecSpace::memory_space> output;
  KOKKOS_FUNCTION void operator()(std::size_t i) const { output(i) = T(input(i)); }
};

/// What a kernel computes is what the host computes: its arithmetic flushes no subnormal.
template <class T, class ExecSpace>
void check_kernel() {
  std::vector<float> numbers;
  for (std::uint32_t bits = 0; bits < 0x10000u; ++bits) {
    if (!is_nan_pattern<T>(bits)) numbers.push_back(static_cast<float>(from_bits<T>(bits)));
    auto const word = bits << 16 | 0x8000u;
    if ((word & 0x7F800000u) != 0x7F800000u) numbers.push_back(std::bit_cast<float>(word));
  }
  using memory_space = typename ExecSpace::memory_space;
  RoundKernel<T, ExecSpace> const kernel{to_device<memory_space>(numbers),
                                         Kokkos::View<T*, memory_space>("output", numbers.size())};
  Kokkos::parallel_for(Kokkos::RangePolicy<ExecSpace>(0, numbers.size()), kernel);
  auto const found = to_host(kernel.output);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    ASSERT_EQ(found[i].bits, nearest<T>(numbers[i]).bits) << numbers[i];
  }
}

template <class ExecSpace>
class FormatKernels : public testing::Test {};
TYPED_TEST_SUITE(FormatKernels, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(FormatKernels, RoundAsTheHostDoes) {
  check_kernel<half, TypeParam>();
  check_kernel<bf16, TypeParam>();
}

}  // namespace KokkosKVTest
