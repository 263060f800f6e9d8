// As the models' authors publish them.
#include "model/ModelShapes.hpp"

#include <map>

namespace llama_generate {
namespace {

std::map<std::string, ModelConfig> shapes() {
  constexpr std::uint32_t llama3_vocab = 128256, llama3_context = 131072;
  auto const llama3 = [](ModelConfig config, double stretch) {
    config.vocab_size   = llama3_vocab;
    config.context      = llama3_context;
    config.rope_theta   = 500000;
    config.rope_scaling = KokkosKV::Llama3Rope{.factor = stretch};
    return config;
  };
  auto const sized = [](std::uint32_t dim, std::uint32_t hidden_dim, std::uint32_t layers,
                        std::uint32_t heads, std::uint32_t kv_heads) {
    ModelConfig config;
    config.dim          = dim;
    config.hidden_dim   = hidden_dim;
    config.num_layers   = layers;
    config.num_heads    = heads;
    config.num_kv_heads = kv_heads;
    return config;
  };
  auto stories       = sized(64, 172, 5, 8, 4);
  stories.vocab_size = 512;
  stories.context    = 512;
  return {{"stories260k", stories},
          {"llama3-1b", llama3(sized(2048, 8192, 16, 32, 8), 32)},
          {"llama3-3b", llama3(sized(3072, 8192, 28, 24, 8), 32)},
          {"llama3-8b", llama3(sized(4096, 14336, 32, 32, 8), 8)}};
}

}  // namespace

std::vector<std::string> model_shape_names() {
  std::vector<std::string> names;
  for (auto const& [name, config] : shapes()) names.push_back(name);
  return names;
}

std::optional<ModelConfig> find_model_shape(std::string const& name) {
  auto const all   = shapes();
  auto const found = all.find(name);
  if (found == all.end()) return std::nullopt;
  return found->second;
}

}  // namespace llama_generate
