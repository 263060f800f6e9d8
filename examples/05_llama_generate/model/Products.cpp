// A kernel for all linear layers, and what becomes of its sums.
#include "model/Products.hpp"

#include <variant>

#include "model/Norm.hpp"

namespace llama_generate {
namespace {

/// A team has a tile of rows and one tile of panels for each thread. Rows past the end are computed
/// like the others, from the last row, and not written: so all go through the same instructions.
/// \tparam Rows    of a tile
/// \tparam Output  takes the sums of two panels of a row
template <class T, bool Normalises, std::size_t Rows, class Output>
struct Product {
  Matrix in;
  Panels<T> weights;
  Output output;
  std::size_t num_row_tiles;

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto const index     = static_cast<std::size_t>(team.league_rank());
    auto const num_rows  = in.extent(0);
    auto const first_row = index % num_row_tiles * Rows;
    float const* x[Rows];
    float scales[Rows];
    for (std::size_t r = 0; r < Rows; ++r) {
      x[r] = &in(Kokkos::min(first_row + r, num_rows - 1), 0);
      if constexpr (Normalises) scales[r] = inverse_root_mean_square(team, x[r], in.extent(1));
    }
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, team_tiles), [&](std::size_t thread) {
      auto const panel = (index / num_row_tiles * team_tiles + thread) * tile_panels;
      if (panel >= weights.num_panels) return;
      Lanes sums[Rows][tile_panels] = {};
      add_products(x, panel, sums);
      for (std::size_t r = 0; r < Rows && first_row + r < num_rows; ++r) {
        for (std::size_t p = 0; p < tile_panels; p += 2) {
          if constexpr (Normalises) {
            output(first_row + r, panel + p, sums[r][p] * scales[r], sums[r][p + 1] * scales[r]);
          } else {
            output(first_row + r, panel + p, sums[r][p], sums[r][p + 1]);
          }
        }
      }
    });
  }

  KOKKOS_FUNCTION void add_products(float const* const (&x)[Rows], std::size_t panel,
                                    Lanes (&sums)[Rows][tile_panels]) const {
    T const* w[tile_panels];
    for (std::size_t p = 0; p < tile_panels; ++p) w[p] = weights.panel(panel + p);
    auto const stride = weights.stride();
    for (std::size_t k = 0; k < weights.num_inputs; ++k) {
      for (std::size_t p = 0; p < tile_panels; ++p) {
        auto const weight = load(w[p] + k * stride);
        for (std::size_t r = 0; r < Rows; ++r) sums[r][p] += x[r][k] * weight;
      }
    }
  }
};

/// Outputs from `first` on that there are.
KOKKOS_FUNCTION std::size_t rest(std::size_t all, std::size_t first) {
  return first < all ? all - first : 0;
}

struct WriteSums {
  Matrix out;

  KOKKOS_FUNCTION void operator()(std::size_t row, std::size_t panel, Lanes a, Lanes b) const {
    auto const first = panel * num_lanes;
    float* const to  = &out(row, 0) + first;
    store(to, a, rest(out.extent(1), first));
    store(to + num_lanes, b, rest(out.extent(1), first + num_lanes));
  }
};

struct AddSums {
  Matrix out;

  KOKKOS_FUNCTION void operator()(std::size_t row, std::size_t panel, Lanes a, Lanes b) const {
    auto const first = panel * num_lanes;
    float* const to  = &out(row, 0) + first;
    add(to, a, rest(out.extent(1), first));
    add(to + num_lanes, b, rest(out.extent(1), first + num_lanes));
  }
};

struct GateSums {
  Matrix out;

  KOKKOS_FUNCTION void operator()(std::size_t row, std::size_t panel, Lanes gate, Lanes up) const {
    auto const first = panel / 2 * num_lanes;
    store(&out(row, 0) + first, gate / (1.0f + exponential(-gate)) * up,
          rest(out.extent(1), first));
  }
};

struct RotateSums {
  AttentionRows out;
  Rotary rotary;
  Indices positions;
  std::size_t first_key;    ///< panel
  std::size_t first_value;  ///< likewise

  KOKKOS_FUNCTION void operator()(std::size_t row, std::size_t panel, Lanes a, Lanes b) const {
    if (panel >= first_value) return write(out.values, row, panel - first_value, a, b);
    bool const is_key = panel >= first_key;
    auto const at     = is_key ? panel - first_key : panel;
    rotary.turn(positions(row), at / 2 * num_lanes, a, b);
    write(is_key ? out.keys : out.queries, row, at, a, b);
  }

  KOKKOS_FUNCTION static void write(Matrix const& to, std::size_t row, std::size_t panel, Lanes a,
                                    Lanes b) {
    auto const first = panel / 2 * num_lanes;
    store_pairs(&to(row, 0) + 2 * first, a, b, rest(to.extent(1) / 2, first));
  }
};

template <bool Normalises, std::size_t Rows, class T, class Output>
void launch(execution_space const& exec, Matrix const& in, Panels<T> const& weights,
            Output const& output) {
  auto const row_tiles  = (in.extent(0) + Rows - 1) / Rows;
  auto const tiles      = weights.num_panels / tile_panels;
  auto const team_count = row_tiles * ((tiles + team_tiles - 1) / team_tiles);
  Kokkos::parallel_for(
      "llama_generate::project",
      Kokkos::TeamPolicy<execution_space>(exec, static_cast<int>(team_count), 1, team_tiles),
      Product<T, Normalises, Rows, Output>{in, weights, output, row_tiles});
}

template <bool Normalises, class Output>
void project(execution_space const& exec, Matrix const& in, Linear const& linear,
             Output const& output) {
  std::visit(
      [&](auto const& weights) {
        // A single row is what memory decides: nothing is computed that is not needed.
        if (in.extent(0) == 1) {
          launch<Normalises, 1>(exec, in, weights, output);
        } else {
          launch<Normalises, tile_rows>(exec, in, weights, output);
        }
      },
      linear);
}

}  // namespace

void project_attention(execution_space const& exec, Matrix const& in, Linear const& linear,
                       Rotary const& rotary, Indices const& positions, AttentionRows const& out) {
  auto const first_key = paired_panels_of(out.queries.extent(1));
  project<true>(exec, in, linear,
                RotateSums{out, rotary, positions, first_key,
                           first_key + paired_panels_of(out.keys.extent(1))});
}

void project_gated(execution_space const& exec, Matrix const& in, Linear const& linear,
                   Matrix const& out) {
  project<true>(exec, in, linear, GateSums{out});
}

void project_normalised(execution_space const& exec, Matrix const& in, Linear const& linear,
                        Matrix const& out) {
  project<true>(exec, in, linear, WriteSums{out});
}

void project_and_add(execution_space const& exec, Matrix const& in, Linear const& linear,
                     Matrix const& out) {
  project<false>(exec, in, linear, AddSums{out});
}

}  // namespace llama_generate
