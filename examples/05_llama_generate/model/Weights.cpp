// Both kinds of weights go through the same steps; what differs is where a matrix comes from.
#include "model/Weights.hpp"

#include <span>
#include <string>
#include <utility>

#include "model/PackLinear.hpp"
#include "model/WeightSources.hpp"

namespace llama_generate {
namespace {

enum class Part { embedding, query, key, value, output, gate, up, down, classifier };

template <class T>
using HostValues = Kokkos::View<T, Kokkos::LayoutRight, Kokkos::HostSpace,
                                Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

auto uninitialised(std::string const& label) {
  return Kokkos::view_alloc("llama_generate::" + label, Kokkos::WithoutInitializing);
}

/// Matrices of a checkpoint; each is brought to the device when it is asked for.
class CheckpointSource {
 public:
  using matrix_type = StoredMatrix;

  explicit CheckpointSource(Checkpoint const& checkpoint) : m_checkpoint(checkpoint) {}

  StoredMatrix matrix(Part part, std::size_t layer, std::size_t num_inputs) const {
    auto const values  = of_layer(all(part), layer, is_in_layers(part));
    auto const outputs = values.size() / num_inputs;
    Matrix const result(uninitialised("matrix"), outputs, num_inputs);
    Kokkos::deep_copy(result, HostValues<float const**>(values.data(), outputs, num_inputs));
    return {result, gains(part, layer)};
  }

 private:
  static bool is_in_layers(Part part) {
    return part != Part::embedding && part != Part::classifier;
  }

  std::span<float const> of_layer(std::vector<float> const& all, std::size_t layer,
                                  bool in_layers) const {
    auto const size = all.size() / (in_layers ? m_checkpoint.config.num_layers : 1);
    return std::span(all).subspan(layer * size, size);
  }

  std::vector<float> const& all(Part part) const {
    switch (part) {
      case Part::embedding:
        return m_checkpoint.embedding;
      case Part::query:
        return m_checkpoint.query;
      case Part::key:
        return m_checkpoint.key;
      case Part::value:
        return m_checkpoint.value;
      case Part::output:
        return m_checkpoint.output;
      case Part::gate:
        return m_checkpoint.gate;
      case Part::up:
        return m_checkpoint.up;
      case Part::down:
        return m_checkpoint.down;
      case Part::classifier:
        break;
    }
    return m_checkpoint.classifier_or_embedding();
  }

  /// Of the norm before a matrix.
  Vector gains(Part part, std::size_t layer) const {
    std::span<float const> values;
    if (part == Part::query || part == Part::key || part == Part::value) {
      values = of_layer(m_checkpoint.attention_norm, layer, true);
    } else if (part == Part::gate || part == Part::up) {
      values = of_layer(m_checkpoint.ffn_norm, layer, true);
    } else if (part == Part::classifier) {
      values = m_checkpoint.final_norm;
    }
    Vector const result(uninitialised("gains"), values.size());
    Kokkos::deep_copy(result, HostValues<float const*>(values.data(), values.size()));
    return result;
  }

  Checkpoint const& m_checkpoint;
};

class RandomSource {
 public:
  using matrix_type = RandomMatrix;

  explicit RandomSource(std::uint64_t seed) : m_seed(seed) {}

  RandomMatrix matrix(Part part, std::size_t layer, std::size_t num_inputs) const {
    return {RandomMatrix::mix(m_seed) + (std::uint64_t(layer) << 8 | std::uint64_t(part)),
            num_inputs};
  }

 private:
  std::uint64_t m_seed;
};

template <class Source, class Table>
struct FillTable {
  Source source;
  Table to;

  KOKKOS_FUNCTION void operator()(std::size_t index) const {
    auto const row    = index / to.extent(1);
    auto const column = index % to.extent(1);
    to(row, column)   = KokkosKV::convert_value<typename Table::value_type>(source(row, column));
  }
};

template <class Source>
Weights::embedding_type make_embedding(ModelConfig const& config, Source const& source,
                                       WeightType type) {
  return with_weight_type(type, [&]<class T>(std::type_identity<T>) -> Weights::embedding_type {
    using table_type = Weights::table<T>;
    table_type const result(uninitialised("embedding"), config.vocab_size, config.dim);
    Kokkos::parallel_for(
        "llama_generate::fill_table",
        Kokkos::RangePolicy<execution_space, Kokkos::IndexType<std::size_t>>(0, result.size()),
        FillTable<Source, table_type>{source, result});
    return result;
  });
}

template <class Source>
Weights make_weights(ModelConfig const& config, Source const& source, WeightType type) {
  using matrix_type      = typename Source::matrix_type;
  using gate_up_type     = Alternating<matrix_type>;
  std::size_t const dim  = config.dim;
  std::size_t const kv   = config.kv_dim();
  std::size_t const wide = config.hidden_dim;
  auto const part = [&](Part name, std::size_t layer, std::size_t inputs, std::size_t outputs) {
    return LinearPart<matrix_type>{source.matrix(name, layer, inputs), outputs};
  };
  auto const plain = [&](std::string const& label, std::size_t inputs,
                         LinearPart<matrix_type> const& only) {
    return make_linear<matrix_type>(type, label, inputs, false, {only});
  };
  Weights result;
  result.embedding = make_embedding(config, source.matrix(Part::embedding, 0, dim), type);
  for (std::size_t layer = 0; layer < config.num_layers; ++layer) {
    gate_up_type const gate_up{source.matrix(Part::gate, layer, dim),
                               source.matrix(Part::up, layer, dim)};
    result.layers.push_back(
        {make_linear<matrix_type>(
             type, "query_key_value", dim, true,
             {part(Part::query, layer, dim, dim), part(Part::key, layer, dim, kv),
              part(Part::value, layer, dim, kv)}),
         plain("output", dim, part(Part::output, layer, dim, dim)),
         make_linear<gate_up_type>(type, "gate_up", dim, true, {{gate_up, 2 * wide}}),
         plain("down", wide, part(Part::down, layer, wide, dim))});
  }
  result.classifier = plain("classifier", dim, part(Part::classifier, 0, dim, config.vocab_size));
  Kokkos::fence("llama_generate::make_weights");
  return result;
}

std::size_t bytes_of(Linear const& linear) {
  return std::visit(
      [](auto const& panels) {
        return panels.elements.size() * sizeof(typename decltype(panels.elements)::value_type);
      },
      linear);
}

}  // namespace

std::size_t Weights::bytes_per_step() const {
  std::size_t bytes = bytes_of(classifier);
  for (auto const& layer : layers) {
    for (auto const* linear : {&layer.query_key_value, &layer.output, &layer.gate_up, &layer.down})
      bytes += bytes_of(*linear);
  }
  return bytes;
}

Weights load_weights(Checkpoint const& checkpoint, WeightType type) {
  return make_weights(checkpoint.config, CheckpointSource(checkpoint), type);
}

Weights make_random_weights(ModelConfig const& config, std::uint64_t seed, WeightType type) {
  return make_weights(config, RandomSource(seed), type);
}

}  // namespace llama_generate
