// A team for each row.
#include "model/RowKernels.hpp"

#include "model/Norm.hpp"

namespace llama_generate {
namespace {

struct Normalise {
  Matrix in, out;

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto const row       = static_cast<std::size_t>(team.league_rank());
    float const* const x = &in(row, 0);
    float* const to      = &out(row, 0);
    float const scale    = inverse_root_mean_square(team, x, in.extent(1));
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, in.extent(1)),
                         [&](std::size_t i) { to[i] = scale * x[i]; });
  }
};

struct SwiGlu {
  Matrix in, out;

  KOKKOS_FUNCTION void operator()(Team const& team) const {
    auto const row          = static_cast<std::size_t>(team.league_rank());
    float const* const gate = &in(row, 0);
    float const* const up   = gate + out.extent(1);
    float* const to         = &out(row, 0);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, out.extent(1)), [&](std::size_t i) {
      to[i] = gate[i] / (1 + Kokkos::exp(-gate[i])) * up[i];
    });
  }
};

template <class Kernel>
void launch(execution_space const& exec, std::string const& label, Kernel const& kernel) {
  Kokkos::parallel_for(label,
                       Kokkos::TeamPolicy<execution_space>(
                           exec, static_cast<int>(kernel.out.extent(0)), 1, is_host ? 1 : 32),
                       kernel);
}

}  // namespace

void normalise(execution_space const& exec, Matrix const& in, Matrix const& out) {
  launch(exec, "llama_generate::normalise", Normalise{in, out});
}

void swiglu(execution_space const& exec, Matrix const& in, Matrix const& out) {
  launch(exec, "llama_generate::swiglu", SwiGlu{in, out});
}

}  // namespace llama_generate
