// Chooses the storage types, and says what cannot be made.
#include "model/MakeModel.hpp"

#include <exception>

#include "common/UsageError.hpp"
#include "model/CompiledModels.hpp"

namespace llama_generate {
namespace {

WeightType weight_type(std::string const& name) {
  if (name == "half") return WeightType::halves;
  if (name == "bf16") return WeightType::bf16s;
  return WeightType::floats;
}

std::unique_ptr<LanguageModel> choose(execution_space const& exec, ModelConfig const& config,
                                      WeightsFactory const& make_weights, PoolOptions const& pool) {
  if (pool.cache_type == "float") {
    return make_paged_model<float>(exec, config, make_weights, pool.page_size, pool.num_pages);
  }
  if (pool.cache_type == "half") {
    return make_paged_model<KokkosKV::half>(exec, config, make_weights, pool.page_size,
                                            pool.num_pages);
  }
  if (pool.cache_type == "bf16") {
    return make_paged_model<KokkosKV::bf16>(exec, config, make_weights, pool.page_size,
                                            pool.num_pages);
  }
  return nullptr;
}

std::unique_ptr<LanguageModel> make(execution_space const& exec, ModelConfig const& config,
                                    WeightsFactory const& make_weights, PoolOptions const& pool) {
  std::unique_ptr<LanguageModel> result;
  try {
    result = choose(exec, config, make_weights, pool);
  } catch (std::exception const&) {
    throw example::UsageError("no memory for the model and " + std::to_string(pool.num_pages) +
                              " pages (see --pages)");
  }
  if (result == nullptr) {
    throw example::UsageError("pages of " + std::to_string(pool.page_size) + " tokens of " +
                              std::to_string(config.num_kv_heads) + " key/value heads of size " +
                              std::to_string(config.head_size()) + " in " + pool.cache_type +
                              " are not compiled (see CompiledModels.hpp)");
  }
  return result;
}

}  // namespace

std::unique_ptr<LanguageModel> make_model(execution_space const& exec, Checkpoint const& checkpoint,
                                          PoolOptions const& pool, std::string const& type) {
  return make(
      exec, checkpoint.config, [&] { return load_weights(checkpoint, weight_type(type)); }, pool);
}

std::unique_ptr<LanguageModel> make_random_model(execution_space const& exec,
                                                 ModelConfig const& config, std::uint64_t seed,
                                                 PoolOptions const& pool, std::string const& type) {
  return make(
      exec, config, [&] { return make_random_weights(config, seed, weight_type(type)); }, pool);
}

}  // namespace llama_generate
