// SimdVector, its width and its loads and stores at aligned and unaligned addresses.
#include <gtest/gtest.h>

#include <KokkosKV.hpp>
#include <array>
#include <cstdint>

namespace KokkosKVTest {

using KokkosKV::bf16;
using KokkosKV::half;
using KokkosKV::load_vector;
using KokkosKV::SimdVector;
using KokkosKV::store_vector;
using KokkosKV::vector_width;

// No vector leaves a tail, and none is wider than an access.
static_assert(vector_width<float>(128) == 4 && vector_width<float>(6) == 2 &&
              vector_width<float>(5) == 1 && vector_width<float>(1) == 1);
static_assert(vector_width<double>(128) == 2 && vector_width<half>(128) == 8 &&
              vector_width<bf16>(12) == 4 && vector_width<std::int8_t>(256) == 16 &&
              vector_width<std::int8_t>(24) == 8);
static_assert(vector_width<float, 64>(128) == 16 && vector_width<float, 64>(24) == 8 &&
              vector_width<float, 4>(128) == 1);
struct Wide {
  double parts[4];
};
static_assert(vector_width<Wide>(128) == 1);

// Exactly its elements, aligned for one access where one can move it.
template <class T, int Width, std::size_t Alignment>
inline constexpr bool has_layout =
    sizeof(SimdVector<T, Width>) == Width * sizeof(T) &&
    alignof(SimdVector<T, Width>) == Alignment && SimdVector<T, Width>::width == Width &&
    std::is_trivially_copyable_v<SimdVector<T, Width>>;
static_assert(has_layout<float, 1, 4> && has_layout<float, 2, 8> && has_layout<float, 4, 16>);
static_assert(has_layout<half, 8, 16> && has_layout<bf16, 2, 4> && has_layout<std::int8_t, 16, 16>);
static_assert(has_layout<float, 3, 4> && has_layout<half, 6, 2> && has_layout<std::int8_t, 5, 1>);
static_assert(has_layout<double, 4, 16> && has_layout<float, 8, 16> && has_layout<Wide, 1, 16>);
static_assert(SimdVector<int, 3>{{4, 5, 6}}[2] == 6);

/// Moves a vector from every offset to every offset, promising `Alignment` where it holds.
template <class T, int Width, std::size_t Alignment>
void check_moves() {
  constexpr std::size_t room = 4 * Width + 16;
  alignas(64) std::array<T, room> source, target;
  for (std::size_t i = 0; i < room; ++i) source[i] = T(static_cast<float>(i + 1));
  constexpr std::size_t step = Alignment <= sizeof(T) ? 1 : Alignment / sizeof(T);
  for (std::size_t from = 0; from + Width <= room; from += step) {
    auto const vector = load_vector<Width, Alignment>(static_cast<T const*>(&source[from]));
    for (std::size_t to = 0; to + Width <= room; to += step) {
      target.fill(T(-1.0f));
      store_vector<Width, Alignment>(&target[to], vector);
      for (std::size_t i = 0; i < room; ++i) {
        bool const inside = i >= to && i < to + Width;
        ASSERT_EQ(static_cast<float>(target[i]),
                  inside ? static_cast<float>(source[from + i - to]) : -1.0f);
      }
    }
  }
}

TEST(SimdVectors, MovesAtAlignedAddresses) {
  check_moves<float, 4, 16>();
  check_moves<float, 2, 8>();
  check_moves<float, 2, 16>();
  check_moves<half, 8, 16>();
  check_moves<bf16, 4, 8>();
  check_moves<std::int8_t, 16, 16>();
  check_moves<double, 2, 16>();
}

TEST(SimdVectors, MovesAtUnalignedAddresses) {
  check_moves<float, 4, 4>();
  check_moves<float, 4, 8>();
  check_moves<half, 8, 2>();
  check_moves<half, 8, 0>();
  check_moves<std::int8_t, 16, 1>();
  check_moves<double, 2, 8>();
}

TEST(SimdVectors, MovesOfOddWidth) {
  check_moves<float, 3, 4>();
  check_moves<std::int8_t, 5, 1>();
  check_moves<float, 1, 4>();
}

}  // namespace KokkosKVTest
