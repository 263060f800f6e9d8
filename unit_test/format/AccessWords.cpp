// Vectors as words, the form in which devices load and store them, executed on the host.
#include <gtest/gtest.h>

#include <KokkosKV.hpp>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <reference/Random.hpp>

namespace KokkosKVTest {
namespace {

using KokkosKV::SimdVector;

/// Random bytes arrive, leave, and stay what they are, and nothing beside them is written.
template <class T, int Width>
void check_round_trip() {
  using vector_type           = SimdVector<T, Width>;
  constexpr std::size_t bytes = sizeof(vector_type);
  static_assert(alignof(vector_type) == (bytes < 16 ? bytes : 16));
  alignas(64) std::array<T, 3 * Width> source, target;
  Random random(8);
  auto const bits = random_bits<T>(source.size(), random);
  std::memcpy(static_cast<void*>(source.data()), bits.data(), sizeof(source));
  std::memset(static_cast<void*>(target.data()), 0x5A, sizeof(target));
  auto expected = target;
  std::memcpy(static_cast<void*>(&expected[Width]), &source[Width], bytes);
  auto const vector = KokkosKV::Impl::load_words<vector_type>(&source[Width]);
  EXPECT_EQ(std::memcmp(&vector, &source[Width], bytes), 0);
  KokkosKV::Impl::store_words(&target[Width], vector);
  EXPECT_EQ(std::memcmp(target.data(), expected.data(), sizeof(target)), 0);
}

template <class T, int... Widths>
void check_widths() {
  (check_round_trip<T, Widths>(), ...);
}

TEST(AccessWords, RoundTrip) {
  check_widths<std::int8_t, 1, 2, 4, 8, 16, 32>();
  check_widths<KokkosKV::bf16, 1, 2, 4, 8, 16>();
  check_widths<KokkosKV::half, 1, 2, 4, 8, 16>();
  check_widths<float, 1, 2, 4, 8, 16>();
  check_widths<double, 1, 2, 4, 16>();
}

}  // namespace
}  // namespace KokkosKVTest
