// The kernels, and how weights come to the device.
#include "model/Layers.hpp"

#include <type_traits>

namespace llama_generate {
namespace {

constexpr bool is_host = std::is_same_v<memory_space, Kokkos::HostSpace>;
/// A tile of outputs is one thread's work: on hosts as wide as vectors are, on devices one output,
/// whose neighbours belong to the neighbouring threads.
constexpr std::size_t tile_columns = is_host ? 16 : 1;
constexpr std::size_t tile_rows    = 4;
constexpr float epsilon            = 1e-5F;

constexpr std::size_t tiles(std::size_t elements, std::size_t size) {
  return (elements + size - 1) / size;
}

auto uninitialised(std::string const& label) {
  return Kokkos::view_alloc("llama_generate::" + label, Kokkos::WithoutInitializing);
}

template <bool Gathers>
struct RmsNorm {
  using Team = Kokkos::TeamPolicy<execution_space>::member_type;
  Matrix in;
  Indices rows;
  Vector weights;
  Matrix out;

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto const to = static_cast<std::size_t>(team.league_rank());
    auto from     = to;
    if constexpr (Gathers) from = rows(to);
    float const* const x    = &in(from, 0);
    auto const num_elements = static_cast<int>(in.extent(1));
    float squares           = 0;
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, num_elements),
        [&](int i, float& sum) { sum += x[i] * x[i]; }, squares);
    float const scale = 1 / Kokkos::sqrt(squares / static_cast<float>(num_elements) + epsilon);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, num_elements),
                         [&](int i) { out(to, i) = weights(i) * (scale * x[i]); });
  }
};

/// Rows and columns past the end are computed like the others, from the last row and from zeros,
/// and not written: so all elements go through the same instructions.
template <bool Adds>
struct Multiply {
  Matrix in, weights, out;
  std::size_t num_rows, num_outputs, column_tiles;

  KOKKOS_FUNCTION void operator()(std::size_t tile) const {
    auto const first_row    = tile / column_tiles * tile_rows;
    auto const first_column = tile % column_tiles * tile_columns;
    float const* x[tile_rows];
    for (std::size_t r = 0; r < tile_rows; ++r) {
      auto const row = first_row + r;
      x[r]           = &in(row < num_rows ? row : num_rows - 1, 0);
    }
    float sums[tile_rows][tile_columns] = {};
    auto const num_inputs               = in.extent(1);
    float const* w                      = &weights(0, first_column);
    for (std::size_t k = 0; k < num_inputs; ++k, w += weights.extent(1)) {
      for (std::size_t r = 0; r < tile_rows; ++r) {
        for (std::size_t c = 0; c < tile_columns; ++c) sums[r][c] += x[r][k] * w[c];
      }
    }
    for (std::size_t r = 0; r < tile_rows && first_row + r < num_rows; ++r) {
      for (std::size_t c = 0; c < tile_columns && first_column + c < num_outputs; ++c) {
        auto& element = out(first_row + r, first_column + c);
        element       = Adds ? element + sums[r][c] : sums[r][c];
      }
    }
  }
};

struct SwiGlu {
  Matrix in, out;

  KOKKOS_FUNCTION void operator()(std::size_t row, std::size_t column) const {
    float const gate = in(row, column);
    out(row, column) = gate / (1 + Kokkos::exp(-gate)) * in(row, column + out.extent(1));
  }
};

/// Over all elements of a matrix.
auto elements(execution_space const& exec, Matrix const& matrix) {
  return Kokkos::MDRangePolicy<execution_space, Kokkos::Rank<2>, Kokkos::IndexType<std::size_t>>(
      exec, {0, 0}, {matrix.extent(0), matrix.extent(1)});
}

/// A team of one thread for each row, so that no team size decides the order of sums.
auto rows_of(execution_space const& exec, Matrix const& matrix) {
  return Kokkos::TeamPolicy<execution_space>(exec, static_cast<int>(matrix.extent(0)), 1,
                                             is_host ? 1 : 32);
}

template <bool Adds>
void launch_multiply(execution_space const& exec, Matrix const& in, Linear const& linear,
                     Matrix const& out) {
  auto const num_rows     = in.extent(0);
  auto const column_tiles = tiles(linear.num_outputs, tile_columns);
  Kokkos::parallel_for(
      "llama_generate::multiply",
      Kokkos::RangePolicy<execution_space, Kokkos::IndexType<std::size_t>>(
          exec, 0, tiles(num_rows, tile_rows) * column_tiles),
      Multiply<Adds>{in, linear.weights, out, num_rows, linear.num_outputs, column_tiles});
}

}  // namespace

Linear make_linear(std::string const& label, std::size_t num_inputs,
                   std::initializer_list<std::span<float const>> matrices) {
  std::size_t num_outputs = 0;
  for (auto const& matrix : matrices) num_outputs += matrix.size() / num_inputs;
  Matrix const weights("llama_generate::" + label, num_inputs,
                       tiles(num_outputs, tile_columns) * tile_columns);
  auto const host = Kokkos::create_mirror_view(weights);
  Kokkos::deep_copy(host, 0);
  std::size_t column = 0;
  for (auto const& matrix : matrices) {
    for (std::size_t i = 0; i < matrix.size(); ++i) {
      host(i % num_inputs, column + i / num_inputs) = matrix[i];
    }
    column += matrix.size() / num_inputs;
  }
  Kokkos::deep_copy(weights, host);
  return {weights, num_outputs};
}

Vector make_vector(std::string const& label, std::span<float const> values) {
  Vector const result(uninitialised(label), values.size());
  Kokkos::deep_copy(
      result,
      Kokkos::View<float const*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
          values.data(), values.size()));
  return result;
}

Matrix make_matrix(std::string const& label, std::size_t num_columns,
                   std::span<float const> values) {
  auto const num_rows = values.size() / num_columns;
  Matrix const result(uninitialised(label), num_rows, num_columns);
  Kokkos::deep_copy(result, Kokkos::View<float const**, Kokkos::LayoutRight, Kokkos::HostSpace,
                                         Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                                values.data(), num_rows, num_columns));
  return result;
}

void rms_norm(execution_space const& exec, Matrix const& in, Vector const& weights,
              Matrix const& out) {
  Kokkos::parallel_for("llama_generate::rms_norm", rows_of(exec, out),
                       RmsNorm<false>{in, {}, weights, out});
}

void rms_norm_rows(execution_space const& exec, Matrix const& in, Indices const& rows,
                   Vector const& weights, Matrix const& out) {
  Kokkos::parallel_for("llama_generate::rms_norm_rows", rows_of(exec, out),
                       RmsNorm<true>{in, rows, weights, out});
}

void multiply(execution_space const& exec, Matrix const& in, Linear const& linear,
              Matrix const& out) {
  launch_multiply<false>(exec, in, linear, out);
}

void multiply_add(execution_space const& exec, Matrix const& in, Linear const& linear,
                  Matrix const& out) {
  launch_multiply<true>(exec, in, linear, out);
}

void swiglu(execution_space const& exec, Matrix const& in, Matrix const& out) {
  Kokkos::parallel_for("llama_generate::swiglu", elements(exec, out), SwiGlu{in, out});
}

}  // namespace llama_generate
