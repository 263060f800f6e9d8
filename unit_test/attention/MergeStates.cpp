// merge_attention_states() against its definition in double precision, and facts.
#include <gtest/gtest.h>

#include <KokkosKV.hpp>
#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <ExecutionSpaces.hpp>
#include <reference/Random.hpp>
#include <reference/Rounding.hpp>

namespace KokkosKVTest {

using KokkosKV::bf16;
using KokkosKV::convert_value;
using KokkosKV::half;
using KokkosKV::merge_attention_states;

constexpr float infinity     = std::numeric_limits<float>::infinity();
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

/// What a call gets and gives, on the host: states `[row][state]`.
template <class In>
struct MergeCase {
  std::size_t heads = 1, head_size = 1;
  std::vector<std::size_t> counts;  ///< states of each row
  std::vector<In> outputs;          ///< [state of all rows][head][dim]
  std::vector<float> lses;          ///< [state of all rows][head]

  std::size_t num_states() const { return lses.size() / heads; }
};

/// Half of a unit in the last place relative to a value, and what is lost near zero.
template <class T>
double rounding(double value) {
  double const relative = std::is_same_v<T, float>  ? 0x1p-24
                          : std::is_same_v<T, half> ? 0x1p-11
                                                    : 0x1p-8;
  double const absolute = std::is_same_v<T, half> ? 0x1p-25 : 0.0;
  return std::fabs(value) * relative + absolute;
}

template <class In>
MergeCase<In> random_case(Random& random, bool equal_counts) {
  MergeCase<In> result;
  result.heads      = random.between(1, 4);
  result.head_size  = random.pick<std::size_t>({1, 7, 8, 9, 64, 70, 128});
  auto const rows   = random.below(7);
  auto const states = random.between(1, 5);
  float const range = random.pick({1.0f, 30.0f, 10000.0f});
  for (std::size_t row = 0; row < rows; ++row) {
    result.counts.push_back(equal_counts ? states : random.below(6));
  }
  for (auto const count : result.counts) {
    for (std::size_t i = 0; i < count * result.heads; ++i) {
      bool const empty = random.chance(25);
      auto const unit  = [&] { return static_cast<float>(random.below(20001)) / 10000.0f - 1.0f; };
      result.lses.push_back(empty ? -infinity : unit() * range);
      for (std::size_t d = 0; d < result.head_size; ++d) {
        result.outputs.push_back(convert_value<In>(empty ? not_a_number : unit()));
      }
    }
  }
  return result;
}

template <class ExecSpace>
class MergeStates : public testing::Test {
 protected:
  using memory_space = typename ExecSpace::memory_space;

  template <class ViewType>
  static void upload(ViewType const& view, auto const& value_at) {
    auto const host = Kokkos::create_mirror_view(view);
    value_at(host);
    Kokkos::deep_copy(view, host);
  }

  /// Runs the ragged form, and the one of equal counts where it applies, and compares each element.
  template <class Out, class Layout, class In>
  static void check(MergeCase<In> const& test, bool equal_counts) {
    auto const rows = test.counts.size();
    std::vector<std::uint32_t> starts(rows + 1, 0);
    for (std::size_t row = 0; row < rows; ++row) {
      starts[row + 1] = starts[row] + static_cast<std::uint32_t>(test.counts[row]);
    }
    Kokkos::View<std::uint32_t*, memory_space> const offsets("KokkosKV::test", rows + 1);
    upload(offsets, [&](auto const& host) {
      for (std::size_t row = 0; row <= rows; ++row) host(row) = starts[row];
    });
    Kokkos::View<In***, Layout, memory_space> const outputs("KokkosKV::test", test.num_states(),
                                                            test.heads, test.head_size);
    Kokkos::View<float**, Layout, memory_space> const lses("KokkosKV::test", test.num_states(),
                                                           test.heads);
    upload(outputs, [&](auto const& host) {
      for (std::size_t i = 0; i < test.outputs.size(); ++i) {
        host(i / test.head_size / test.heads, i / test.head_size % test.heads, i % test.head_size) =
            test.outputs[i];
      }
    });
    upload(lses, [&](auto const& host) {
      for (std::size_t i = 0; i < test.lses.size(); ++i)
        host(i / test.heads, i % test.heads) = test.lses[i];
    });
    merged<Out, Layout>(test, starts, [&](auto const& output, auto const& lse) {
      merge_attention_states(ExecSpace{}, offsets, outputs, lses, output, lse);
    });
    if (!equal_counts || rows == 0) return;

    auto const count = test.counts[0];
    Kokkos::View<In****, Layout, memory_space> const equal_outputs("KokkosKV::test", count, rows,
                                                                   test.heads, test.head_size);
    Kokkos::View<float***, Layout, memory_space> const equal_lses("KokkosKV::test", count, rows,
                                                                  test.heads);
    upload(equal_outputs, [&](auto const& host) {
      for (std::size_t i = 0; i < test.outputs.size(); ++i) {
        auto const state = i / test.head_size / test.heads;
        host(state % count, state / count, i / test.head_size % test.heads, i % test.head_size) =
            test.outputs[i];
      }
    });
    upload(equal_lses, [&](auto const& host) {
      for (std::size_t i = 0; i < test.lses.size(); ++i) {
        host(i / test.heads % count, i / test.heads / count, i % test.heads) = test.lses[i];
      }
    });
    merged<Out, Layout>(test, starts, [&](auto const& output, auto const& lse) {
      merge_attention_states(ExecSpace{}, equal_outputs, equal_lses, output, lse);
    });
  }

 private:
  /// The results lie inside larger Views whose other elements must stay as they are.
  template <class Out, class Layout, class In, class Call>
  static void merged(MergeCase<In> const& test, std::vector<std::uint32_t> const& starts,
                     Call const& call) {
    auto const rows = test.counts.size();
    Kokkos::View<Out***, Layout, memory_space> const all("KokkosKV::test", rows + 2, test.heads + 1,
                                                         test.head_size + 3);
    Kokkos::View<float**, Layout, memory_space> const all_lses("KokkosKV::test", rows + 2,
                                                               test.heads + 1);
    Kokkos::deep_copy(all, convert_value<Out>(77.0f));
    Kokkos::deep_copy(all_lses, 77.0f);
    auto const inner = [](std::size_t size) { return std::make_pair(std::size_t(1), size + 1); };
    auto const first = [](std::size_t size) { return std::make_pair(std::size_t(0), size); };
    call(Kokkos::subview(all, inner(rows), first(test.heads), inner(test.head_size)),
         Kokkos::subview(all_lses, inner(rows), first(test.heads)));
    Kokkos::fence("KokkosKV::test");
    auto const output = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, all);
    auto const lse    = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, all_lses);
    for (std::size_t r = 0; r < rows + 2; ++r) {
      for (std::size_t h = 0; h < test.heads + 1; ++h) {
        bool const inside = r > 0 && r <= rows && h < test.heads;
        if (!inside) {
          ASSERT_EQ(lse(r, h), 77.0f);
        } else {
          check_row<Out>(test, starts[r - 1], starts[r], h, lse(r, h),
                         [&](std::size_t d) { return output(r, h, d + 1); });
        }
        for (std::size_t d = 0; d < test.head_size + 3; ++d) {
          if (!inside || d == 0 || d > test.head_size) {
            ASSERT_EQ(convert_value<float>(output(r, h, d)), 77.0f);
          }
        }
      }
    }
  }

  template <class Out, class In, class Found>
  static void check_row(MergeCase<In> const& test, std::size_t begin, std::size_t end,
                        std::size_t head, float lse, Found const& found) {
    double largest = -std::numeric_limits<double>::infinity(), sum = 0;
    auto const lse_of = [&](std::size_t i) {
      return static_cast<double>(test.lses[i * test.heads + head]);
    };
    for (auto i = begin; i < end; ++i) largest = std::max(largest, lse_of(i));
    auto const weight = [&](std::size_t i) {
      return std::isinf(lse_of(i)) ? 0.0 : std::exp(lse_of(i) - largest);
    };
    for (auto i = begin; i < end; ++i) sum += weight(i);
    double const expected_lse = largest + std::log(sum);
    if (sum == 0) {
      ASSERT_EQ(lse, -infinity);
    } else {
      ASSERT_NEAR(lse, expected_lse, 3e-7 * (std::fabs(expected_lse) + 4));
    }
    for (std::size_t d = 0; d < test.head_size; ++d) {
      double expected = 0, scale = 0;
      for (auto i = begin; i < end; ++i) {
        if (weight(i) == 0) continue;
        auto const value = exact_value(test.outputs[(i * test.heads + head) * test.head_size + d]);
        expected += weight(i) * value / sum;
        scale = std::max(scale, std::fabs(value));
      }
      ASSERT_NEAR(exact_value(found(d)), expected, 2e-6 * scale + rounding<Out>(expected)) << d;
    }
  }
};
TYPED_TEST_SUITE(MergeStates, DefaultSpaces, ExecutionSpaceName);

TYPED_TEST(MergeStates, RandomStates) {
  Random random(3);
  for (int round = 0; round < 150; ++round) {
    SCOPED_TRACE(round);
    bool const equal = round % 2 == 0;
    this->template check<float, Kokkos::LayoutRight>(random_case<float>(random, equal), equal);
    this->template check<half, Kokkos::LayoutRight>(random_case<half>(random, equal), equal);
    this->template check<bf16, Kokkos::LayoutRight>(random_case<float>(random, equal), equal);
    this->template check<float, Kokkos::LayoutLeft>(random_case<bf16>(random, equal), equal);
    if (this->HasFatalFailure()) return;
  }
}

// A sum of states without keys is a state without keys, and one with keys beside it stays exact.
TYPED_TEST(MergeStates, StatesWithoutKeys) {
  auto const merge = [&](std::vector<float> const& lses, std::vector<float> const& outputs) {
    MergeCase<float> const test{1, 2, {lses.size()}, outputs, lses};
    this->template check<float, Kokkos::LayoutRight>(test, true);
  };
  merge({-infinity, -infinity}, {0, 0, 0, 0});
  merge({-infinity, -infinity, -infinity}, {not_a_number, not_a_number, 0, 0, not_a_number, 0});
  merge({}, {});

  using memory_space = typename TestFixture::memory_space;
  for (int order = 0; order < 2; ++order) {
    Kokkos::View<float****, memory_space> const outputs("KokkosKV::test", 2, 1, 1, 2);
    Kokkos::View<float***, memory_space> const lses("KokkosKV::test", 2, 1, 1);
    auto const host_outputs    = Kokkos::create_mirror_view(outputs);
    auto const host_lses       = Kokkos::create_mirror_view(lses);
    host_lses(order, 0, 0)     = -infinity;
    host_lses(1 - order, 0, 0) = 0.5f;
    for (int d = 0; d < 2; ++d) {
      host_outputs(order, 0, 0, d)     = not_a_number;
      host_outputs(1 - order, 0, 0, d) = static_cast<float>(d + 1);
    }
    Kokkos::deep_copy(outputs, host_outputs);
    Kokkos::deep_copy(lses, host_lses);
    Kokkos::View<float***, memory_space> const output("KokkosKV::test", 1, 1, 2);
    Kokkos::View<float**, memory_space> const lse("KokkosKV::test", 1, 1);
    merge_attention_states(TypeParam{}, outputs, lses, output, lse);
    auto const found     = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, output);
    auto const found_lse = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, lse);
    EXPECT_EQ(found(0, 0, 0), 1.0f);
    EXPECT_EQ(found(0, 0, 1), 2.0f);
    EXPECT_EQ(found_lse(0, 0), 0.5f);
  }
}

}  // namespace KokkosKVTest
