// What is compiled: the shape of a page is a compile-time constant of the cache.
#pragma once

#include <KokkosKV.hpp>
#include <cstdint>
#include <functional>
#include <memory>

#include "model/Arrays.hpp"
#include "model/ModelConfig.hpp"
#include "model/Weights.hpp"

namespace llama_generate {

class LanguageModel;

/// Key/value heads, their size, and the tokens of a page.
struct CompiledPages {
  KokkosKV::KVCacheStaticParams heads;
  int page_size;
  bool only_bf16;  ///< no other cache type is compiled
};

/// Each costs build time. Those of stories260K, then those of larger shapes.
inline constexpr CompiledPages compiled_pages[] = {{{4, 8}, 1, false},  {{4, 8}, 5, false},
                                                   {{4, 8}, 16, false}, {{4, 8}, 64, false},
                                                   {{8, 64}, 16, true}, {{8, 128}, 16, true}};

using WeightsFactory = std::function<AnyWeights()>;

/// Makes a model with cache elements of type T: float, KokkosKV::half or KokkosKV::bf16.
/// \param make_weights  called where the model is compiled
/// \return nothing where this page size or these heads are not compiled
template <class T>
std::unique_ptr<LanguageModel> make_paged_model(execution_space const& exec,
                                                ModelConfig const& config,
                                                WeightsFactory const& make_weights, int page_size,
                                                std::uint32_t num_pages);

}  // namespace llama_generate
