// All weights go through the same steps; what differs is where a matrix comes from, and its form.
#include "model/Weights.hpp"

#include <string>
#include <utility>

#include "model/PackLinear.hpp"
#include "model/WeightSources.hpp"

namespace llama_generate {
namespace {

#ifdef LLAMA_GENERATE_KOKKOS_KERNELS
constexpr bool has_kokkos_kernels = true;
#else
constexpr bool has_kokkos_kernels = false;
#endif

template <class Source, class Table>
struct FillTable {
  Source source;
  Table to;
  std::size_t first_row;

  KOKKOS_FUNCTION void operator()(std::size_t index) const {
    auto const row    = index / to.extent(1);
    auto const column = index % to.extent(1);
    to(first_row + row, column) =
        KokkosKV::convert_value<typename Table::value_type>(source(row, column));
  }
};

template <class Source, class Table>
void fill_rows(Table const& to, std::size_t first_row, LinearPart<Source> const& part) {
  Kokkos::parallel_for("llama_generate::fill_rows",
                       Kokkos::RangePolicy<execution_space, Kokkos::IndexType<std::size_t>>(
                           0, part.num_outputs * to.extent(1)),
                       FillTable<Source, Table>{part.source, to, first_row});
}

/// How PackedWeights are made.
struct Packed {
  using weights_type = PackedWeights;

  template <class Source>
  static Linear linear(WeightType type, std::string const& label, std::size_t num_inputs,
                       LinearPart<Source> const& part) {
    return make_linear<Source>(type, label, num_inputs, false, {part});
  }
  template <class Source>
  static Linear query_key_value(WeightType type, std::size_t num_inputs,
                                std::vector<LinearPart<Source>> const& parts) {
    return make_linear(type, "query_key_value", num_inputs, true, parts);
  }
  template <class Source>
  static Linear gate_up(WeightType type, std::size_t num_inputs, LinearPart<Source> const& gate,
                        LinearPart<Source> const& up) {
    return make_linear<Alternating<Source>>(type, "gate_up", num_inputs, true,
                                            {{{gate.source, up.source}, 2 * gate.num_outputs}});
  }
};

/// How MatrixWeights are made.
struct Plain {
  using weights_type = MatrixWeights;

  template <class Source>
  static Matrix rows(std::string const& label, std::size_t num_inputs,
                     std::vector<LinearPart<Source>> const& parts) {
    std::size_t num_outputs = 0;
    for (auto const& part : parts) num_outputs += part.num_outputs;
    Matrix const result(uninitialised(label), num_outputs, num_inputs);
    std::size_t first = 0;
    for (auto const& part : parts) {
      fill_rows(result, first, part);
      first += part.num_outputs;
    }
    return result;
  }

  template <class Source>
  static Matrix linear(WeightType /*type*/, std::string const& label, std::size_t num_inputs,
                       LinearPart<Source> const& part) {
    return rows<Source>(label, num_inputs, {part});
  }
  template <class Source>
  static Matrix query_key_value(WeightType /*type*/, std::size_t num_inputs,
                                std::vector<LinearPart<Source>> const& parts) {
    return rows(std::string("query_key_value"), num_inputs, parts);
  }
  template <class Source>
  static Matrix gate_up(WeightType /*type*/, std::size_t num_inputs, LinearPart<Source> const& gate,
                        LinearPart<Source> const& up) {
    return rows<Source>("gate_up", num_inputs, {gate, up});
  }
};

template <class Form, class Source>
AnyWeights make_weights(ModelConfig const& config, Source const& source, WeightType type) {
  using weights_type     = typename Form::weights_type;
  using part_type        = LinearPart<typename Source::matrix_type>;
  std::size_t const dim  = config.dim;
  std::size_t const kv   = config.kv_dim();
  std::size_t const wide = config.hidden_dim;
  auto const part = [&](Part name, std::size_t layer, std::size_t inputs, std::size_t outputs) {
    return part_type{source.matrix(name, layer, inputs), outputs};
  };
  weights_type result;
  with_weight_type(type, [&]<class T>(std::type_identity<T>) {
    using table = typename weights_type::template table<T>;
    table const embedding(uninitialised("embedding"), config.vocab_size, dim);
    fill_rows(embedding, 0, part(Part::embedding, 0, dim, config.vocab_size));
    result.embedding = embedding;
  });
  for (std::size_t layer = 0; layer < config.num_layers; ++layer) {
    result.layers.push_back(
        {Form::query_key_value(type, dim,
                               std::vector<part_type>{part(Part::query, layer, dim, dim),
                                                      part(Part::key, layer, dim, kv),
                                                      part(Part::value, layer, dim, kv)}),
         Form::linear(type, "output", dim, part(Part::output, layer, dim, dim)),
         Form::gate_up(type, dim, part(Part::gate, layer, dim, wide),
                       part(Part::up, layer, dim, wide)),
         Form::linear(type, "down", wide, part(Part::down, layer, wide, dim))});
  }
  result.classifier =
      Form::linear(type, "classifier", dim, part(Part::classifier, 0, dim, config.vocab_size));
  Kokkos::fence("llama_generate::make_weights");
  return result;
}

template <class Source>
AnyWeights make_weights(ModelConfig const& config, Source const& source, WeightType type) {
  if constexpr (has_kokkos_kernels) {
    if (type == WeightType::floats) return make_weights<Plain>(config, source, type);
  }
  return make_weights<Packed>(config, source, type);
}

}  // namespace

AnyWeights load_weights(Checkpoint const& checkpoint, WeightType type) {
  return make_weights(checkpoint.config, CheckpointSource(checkpoint), type);
}

AnyWeights make_random_weights(ModelConfig const& config, std::uint64_t seed, WeightType type) {
  return make_weights(config, RandomSource(seed), type);
}

}  // namespace llama_generate
