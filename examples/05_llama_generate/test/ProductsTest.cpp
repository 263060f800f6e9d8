// Linear layers of the model against the same sums in double, over random shapes. NaN stands in the
// rows after the input, a canary in the rows after the output.
#include "model/Products.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include <projection/KokkosKV_RopeFrequencies.hpp>

#include "model/Norm.hpp"
#include "model/PackLinear.hpp"
#include "model/WeightSources.hpp"

namespace llama_generate {
namespace {

using Rows  = std::vector<std::vector<double>>;
using Parts = std::vector<LinearPart<RandomMatrix>>;

constexpr float canary           = -12345;
constexpr std::size_t guard_rows = 2;

/// Rows of a larger matrix, whose other rows have a value of their own.
struct GuardedRows {
  Matrix all;
  Matrix rows;

  GuardedRows(std::size_t num_rows, std::size_t num_columns, float guard)
      : all("rows", num_rows + guard_rows, num_columns),
        rows(Kokkos::subview(all, Kokkos::pair<std::size_t, std::size_t>(0, num_rows),
                             Kokkos::ALL)) {
    Kokkos::deep_copy(all, guard);
  }

  void fill(Rows const& values) const {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), all);
    for (std::size_t r = 0; r < values.size(); ++r) {
      for (std::size_t c = 0; c < values[r].size(); ++c) {
        host(r, c) = static_cast<float>(values[r][c]);
      }
    }
    Kokkos::deep_copy(all, host);
  }

  /// Expects `values` within `tolerance` relative to the larger of 1 and the value.
  void expect(Rows const& values, double tolerance) const {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), all);
    for (std::size_t r = 0; r < host.extent(0); ++r) {
      for (std::size_t c = 0; c < host.extent(1); ++c) {
        if (r >= values.size()) {
          ASSERT_EQ(host(r, c), canary) << "row " << r << " column " << c;
        } else {
          auto const wanted = values[r][c];
          ASSERT_NEAR(static_cast<double>(host(r, c)), wanted,
                      tolerance * std::fmax(1, std::fabs(wanted)))
              << "row " << r << " column " << c;
        }
      }
    }
  }
};

struct Shape {
  std::size_t rows;
  std::size_t inputs;
  std::size_t outputs;
};

class Products : public testing::TestWithParam<WeightType> {
 protected:
  static constexpr double tolerance = 2e-5;

  std::mt19937 m_random{20261};

  std::size_t draw(std::size_t smallest, std::size_t largest) {
    return std::uniform_int_distribution<std::size_t>(smallest, largest)(m_random);
  }

  Rows draw_rows(std::size_t rows, std::size_t columns) {
    std::normal_distribution<float> normal(0.3f, 1.5f);
    Rows result(rows, std::vector<double>(columns));
    for (auto& row : result) {
      for (auto& value : row) value = static_cast<double>(normal(m_random));
    }
    return result;
  }

  /// The corners of tiles, then random ones.
  std::vector<Shape> shapes() {
    auto const lanes = std::size_t(num_lanes);
    std::vector<Shape> result{{0, 8, 8},
                              {1, 1, 1},
                              {1, 64, tile_panels * lanes},
                              {tile_rows, lanes, lanes},
                              {tile_rows + 1, lanes + 1, tile_panels * lanes + 1},
                              {2 * tile_rows - 1, 3, 2 * tile_panels * lanes - 1}};
    for (int i = 0; i < 20; ++i) result.push_back({draw(1, 11), draw(1, 150), draw(1, 150)});
    return result;
  }

  /// As the storage type has it.
  static double rounded(float weight) {
    return with_weight_type(GetParam(), [&]<class T>(std::type_identity<T>) {
      return static_cast<double>(
          KokkosKV::convert_value<float>(KokkosKV::convert_value<T>(weight)));
    });
  }

  static Rows normalised(Rows rows) {
    for (auto& row : rows) {
      double squares = 0;
      for (auto const value : row) squares += value * value;
      auto const mean = squares / static_cast<double>(row.size());
      for (auto& value : row) value /= std::sqrt(mean + static_cast<double>(norm_epsilon));
    }
    return rows;
  }

  template <class Source>
  static Rows product(Rows const& in, LinearPart<Source> const& part) {
    Rows result;
    for (auto const& row : in) {
      auto& sums = result.emplace_back(part.num_outputs, 0.0);
      for (std::size_t output = 0; output < part.num_outputs; ++output) {
        for (std::size_t input = 0; input < row.size(); ++input) {
          sums[output] += row[input] * rounded(part.source(output, input));
        }
      }
    }
    return result;
  }

  LinearPart<RandomMatrix> draw_part(std::size_t inputs, std::size_t outputs) {
    return {RandomMatrix(m_random(), inputs), outputs};
  }

  GuardedRows input(Rows const& values, std::size_t columns) {
    GuardedRows const result(values.size(), columns, NAN);
    result.fill(values);
    return result;
  }
};

TEST_P(Products, normalised_rows) {
  for (auto const& shape : shapes()) {
    auto const values = draw_rows(shape.rows, shape.inputs);
    auto const part   = draw_part(shape.inputs, shape.outputs);
    GuardedRows const out(shape.rows, shape.outputs, canary);
    project_normalised({}, input(values, shape.inputs).rows,
                       make_linear(GetParam(), "weights", shape.inputs, false, Parts{part}),
                       out.rows);
    out.expect(product(normalised(values), part), tolerance);
  }
}

TEST_P(Products, added_rows) {
  for (auto const& shape : shapes()) {
    auto const values = draw_rows(shape.rows, shape.inputs);
    auto const part   = draw_part(shape.inputs, shape.outputs);
    auto wanted       = draw_rows(shape.rows, shape.outputs);
    GuardedRows const out(shape.rows, shape.outputs, canary);
    out.fill(wanted);
    project_and_add({}, input(values, shape.inputs).rows,
                    make_linear(GetParam(), "weights", shape.inputs, false, Parts{part}), out.rows);
    auto const added = product(values, part);
    for (std::size_t r = 0; r < shape.rows; ++r) {
      for (std::size_t c = 0; c < shape.outputs; ++c) wanted[r][c] += added[r][c];
    }
    out.expect(wanted, tolerance);
  }
}

TEST_P(Products, gated_rows) {
  for (auto const& shape : shapes()) {
    auto const values = draw_rows(shape.rows, shape.inputs);
    auto const gate   = draw_part(shape.inputs, shape.outputs);
    auto const up     = draw_part(shape.inputs, shape.outputs);
    GuardedRows const out(shape.rows, shape.outputs, canary);
    project_gated(
        {}, input(values, shape.inputs).rows,
        make_linear<Alternating<RandomMatrix>>(GetParam(), "weights", shape.inputs, true,
                                               {{{gate.source, up.source}, 2 * shape.outputs}}),
        out.rows);
    auto const gates = product(normalised(values), gate);
    auto wanted      = product(normalised(values), up);
    for (std::size_t r = 0; r < shape.rows; ++r) {
      for (std::size_t c = 0; c < shape.outputs; ++c) {
        wanted[r][c] *= gates[r][c] / (1 + std::exp(-gates[r][c]));
      }
    }
    out.expect(wanted, tolerance);
  }
}

TEST_P(Products, rotated_queries_and_keys) {
  for (auto const& shape : shapes()) {
    auto const head_size          = 2 * draw(1, 40);
    auto const heads              = draw(1, 3);
    constexpr std::size_t context = 300;
    KokkosKV::RopeFrequencies<memory_space> const frequencies({
        .rotary_dim = static_cast<int>(head_size),
        .theta      = 10000,
        .form       = KokkosKV::RopeForm::interleaved,
    });
    std::array<LinearPart<RandomMatrix>, 3> const parts{
        draw_part(shape.inputs, 2 * heads * head_size), draw_part(shape.inputs, heads * head_size),
        draw_part(shape.inputs, heads * head_size)};
    auto const values = draw_rows(shape.rows, shape.inputs);
    Kokkos::View<std::uint32_t*, memory_space> const positions("positions", shape.rows);
    auto const host = Kokkos::create_mirror_view(positions);
    for (std::size_t r = 0; r < shape.rows; ++r) {
      host(r) = static_cast<std::uint32_t>(r == 0 ? context - 1 : draw(0, context - 1));
    }
    Kokkos::deep_copy(positions, host);

    std::vector<GuardedRows> outs;
    std::vector<Rows> wanted;
    for (auto const& part : parts) {
      outs.emplace_back(shape.rows, part.num_outputs, canary);
      wanted.push_back(product(normalised(values), part));
    }
    project_attention(
        {}, input(values, shape.inputs).rows,
        make_linear(GetParam(), "weights", shape.inputs, true, Parts(parts.begin(), parts.end())),
        Rotary(frequencies, context), positions, {outs[0].rows, outs[1].rows, outs[2].rows});
    for (auto* const rows : {&wanted[0], &wanted[1]}) {
      for (std::size_t r = 0; r < shape.rows; ++r) {
        auto& row = (*rows)[r];
        for (std::size_t first = 0; first < row.size(); first += 2) {
          auto const pair  = first % head_size / 2;
          auto const angle = host(r) * std::pow(10000.0, -2.0 * static_cast<double>(pair) /
                                                             static_cast<double>(head_size));
          auto const a     = row[first];
          auto const b     = row[first + 1];
          row[first]       = a * std::cos(angle) - b * std::sin(angle);
          row[first + 1]   = a * std::sin(angle) + b * std::cos(angle);
        }
      }
    }
    for (std::size_t i = 0; i < outs.size(); ++i) outs[i].expect(wanted[i], tolerance);
  }
}

TEST_P(Products, a_row_does_not_depend_on_its_batch) {
  constexpr std::size_t inputs  = 67;
  constexpr std::size_t outputs = 45;
  auto const values             = draw_rows(2 * tile_rows + 3, inputs);
  auto const weights =
      make_linear(GetParam(), "weights", inputs, false, Parts{draw_part(inputs, outputs)});
  GuardedRows const together(values.size(), outputs, canary);
  project_normalised({}, input(values, inputs).rows, weights, together.rows);
  auto const all = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), together.rows);
  for (std::size_t r = 0; r < values.size(); ++r) {
    GuardedRows const alone(1, outputs, canary);
    project_normalised({}, input({values[r]}, inputs).rows, weights, alone.rows);
    auto const one = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), alone.rows);
    for (std::size_t c = 0; c < outputs; ++c) ASSERT_EQ(one(0, c), all(r, c)) << r << " " << c;
  }
}

INSTANTIATE_TEST_SUITE_P(, Products,
                         testing::Values(WeightType::floats, WeightType::halves,
                                         WeightType::bf16s));

}  // namespace
}  // namespace llama_generate
