// Rows by their numbers: every kind of View, repeated and absent rows, conversion.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <ExecutionSpaces.hpp>
#include <Numbers.hpp>
#include <Placement.hpp>
#include <ProjectionForms.hpp>

namespace KokkosKVTest {
namespace {

using namespace KokkosKV;

/// A placed View of one head as a View of rank 2.
template <class ViewType>
auto without_heads(ViewType const& view) {
  return Kokkos::subview(view, Kokkos::ALL, 0, Kokkos::ALL);
}

template <class ExecSpace>
class GatherRows : public testing::Test {
 protected:
  using memory_space = typename ExecSpace::memory_space;

  template <class From, class To>
  void random_rows(std::uint64_t seed, std::size_t cases) {
    for (std::size_t number = 0; number < cases && !HasFailure(); ++number) {
      Random random(seed + number);
      auto const dim          = random.template pick<std::size_t>({0, 1, 7, 64, 256, 33, 80});
      auto const num_rows     = random.between(1, 30);
      auto const num_gathered = random.below(50);
      auto const absent       = random.chance(50) ? 20 : 0;
      auto const source_kind  = static_cast<InputKind>(random.below(num_view_kinds));
      auto const output_kind  = static_cast<InputKind>(random.below(num_view_kinds));
      SCOPED_TRACE("seed " + std::to_string(seed + number) + ", " + std::to_string(num_gathered) +
                   " of " + std::to_string(num_rows) + " rows of " + std::to_string(dim) + ", " +
                   name_of(source_kind) + " to " + name_of(output_kind));
      auto const values = moderate_numbers<From>(num_rows * dim, random);
      std::vector<std::uint32_t> indices;
      std::vector<To> expected;
      for (std::size_t i = 0; i < num_gathered; ++i) {
        bool const exists = !random.chance(absent);
        auto const row    = exists ? random.below(num_rows) : num_rows + random.below(3);
        indices.push_back(static_cast<std::uint32_t>(row));
        for (std::size_t d = 0; d < dim; ++d) {
          expected.push_back(exists ? reference_convert<To>(values[row * dim + d]) : To{});
        }
      }
      using extents_type = std::array<std::size_t, 3>;
      auto const source_place =
          Placement<3>::make(source_kind, extents_type{num_rows, 1, dim}, sizeof(From), random);
      auto const output_place =
          Placement<3>::make(output_kind, extents_type{num_gathered, 1, dim}, sizeof(To), random);
      auto const source    = to_device<memory_space>(source_place.spread(values, poison<From>()));
      auto const before    = std::vector<To>(output_place.size, poison<To>());
      auto const output    = to_device<memory_space>(before);
      auto const on_device = to_device<memory_space>(indices);
      source_place.with_view(source, [&](auto const& from) {
        output_place.with_view(output, [&](auto const& to) {
          for (int const team_size : team_sizes<ExecSpace>()) {
            copy_to_device(output, before);
            auto const call = [&](auto... options) {
              gather_rows(team_size, ExecSpace{}, without_heads(from), on_device, without_heads(to),
                          options...);
            };
            absent == 0 && random.chance(50) ? call() : call(unchecked);
            Kokkos::fence();
            EXPECT_TRUE(same_bits(to_host(output), output_place.spread(expected, poison<To>()),
                                  [](std::size_t index) { return std::to_string(index); }))
                << "team size " << team_size;
          }
        });
      });
    }
  }
};
TYPED_TEST_SUITE(GatherRows, DefaultSpaces, ExecutionSpaceName);

TYPED_TEST(GatherRows, Float) { this->template random_rows<float, float>(100, 80); }
TYPED_TEST(GatherRows, Double) { this->template random_rows<double, double>(200, 40); }
TYPED_TEST(GatherRows, Bf16) { this->template random_rows<bf16, bf16>(300, 40); }
TYPED_TEST(GatherRows, HalfToFloat) { this->template random_rows<half, float>(400, 40); }
TYPED_TEST(GatherRows, FloatToBf16) { this->template random_rows<float, bf16>(500, 40); }

// So many bytes that hosts write them past their caches.
TYPED_TEST(GatherRows, ManyBytes) {
  using memory_space = typename TypeParam::memory_space;
  using matrix_type  = Kokkos::View<float**, Kokkos::LayoutRight, memory_space>;

  constexpr std::size_t num_rows = 700, num_gathered = 2300, dim = 1003;
  Random random(6);
  auto const values = moderate_numbers<float>(num_rows * dim, random);
  std::vector<std::uint32_t> indices;
  std::vector<float> expected;
  for (std::size_t i = 0; i < num_gathered; ++i) {
    auto const row = random.below(num_rows + 20);
    indices.push_back(static_cast<std::uint32_t>(row));
    for (std::size_t d = 0; d < dim; ++d) {
      expected.push_back(row < num_rows ? values[row * dim + d] : 0.0f);
    }
  }
  auto const source = to_device<memory_space>(values);
  auto const output = to_device<memory_space>(std::vector<float>(num_gathered * dim, -1.0f));
  KokkosKV::gather_rows(TypeParam{}, matrix_type(source.data(), num_rows, dim),
                        to_device<memory_space>(indices),
                        matrix_type(output.data(), num_gathered, dim), unchecked);
  Kokkos::fence();
  EXPECT_TRUE(same_bits(to_host(output), expected,
                        [](std::size_t index) { return std::to_string(index); }));
}

// The last row of every sequence, whose numbers come from the offsets.
TYPED_TEST(GatherRows, LastRowsOfSequences) {
  using memory_space = typename TypeParam::memory_space;
  auto const array   = to_device<memory_space>(std::vector<float>{10, 11, 20, 21, 30, 31, 40, 41});
  Kokkos::View<float const**, Kokkos::LayoutRight, memory_space> const rows(array.data(), 4, 2);
  Kokkos::View<float**, Kokkos::LayoutRight, memory_space> const last("last", 2, 2);
  KokkosKV::gather_rows(rows, to_device<memory_space>(std::vector<std::uint32_t>{2, 3}), last);
  Kokkos::fence();
  EXPECT_EQ(to_host(Kokkos::View<float*, memory_space>(last.data(), 4)),
            (std::vector<float>{30, 31, 40, 41}));
}

}  // namespace
}  // namespace KokkosKVTest
