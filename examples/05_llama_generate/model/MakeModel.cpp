// Chooses the storage type, and says what cannot be made.
#include "model/MakeModel.hpp"

#include <exception>

#include "common/UsageError.hpp"
#include "model/CompiledModels.hpp"

namespace llama_generate {
namespace {

std::unique_ptr<LanguageModel> make(execution_space const& exec, Checkpoint const& checkpoint,
                                    PoolOptions const& pool) {
  if (pool.cache_type == "float") {
    return make_paged_model<float>(exec, checkpoint, pool.page_size, pool.num_pages);
  }
  if (pool.cache_type == "half") {
    return make_paged_model<KokkosKV::half>(exec, checkpoint, pool.page_size, pool.num_pages);
  }
  if (pool.cache_type == "bf16") {
    return make_paged_model<KokkosKV::bf16>(exec, checkpoint, pool.page_size, pool.num_pages);
  }
  return nullptr;
}

}  // namespace

std::unique_ptr<LanguageModel> make_model(execution_space const& exec, Checkpoint const& checkpoint,
                                          PoolOptions const& pool) {
  std::unique_ptr<LanguageModel> result;
  try {
    result = make(exec, checkpoint, pool);
  } catch (std::exception const&) {
    throw example::UsageError("no memory for the model and " + std::to_string(pool.num_pages) +
                              " pages (see --pages)");
  }
  if (result == nullptr) {
    throw example::UsageError("pages of " + std::to_string(pool.page_size) + " tokens of " +
                              std::to_string(checkpoint.config.num_kv_heads) +
                              " key/value heads of size " +
                              std::to_string(checkpoint.config.head_size()) + " in " +
                              pool.cache_type + " are not compiled (see CompiledModels.hpp)");
  }
  return result;
}

}  // namespace llama_generate
