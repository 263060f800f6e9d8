// What is compiled: the shape of a page is a compile-time constant of the cache.
#pragma once

#include <KokkosKV.hpp>
#include <memory>

#include "model/Checkpoint.hpp"
#include "model/Layers.hpp"

namespace llama_generate {

class LanguageModel;

/// Tokens of a page; each costs build time.
inline constexpr int compiled_page_sizes[] = {1, 5, 16, 64};

/// Key/value heads and head sizes; each costs build time. Those of stories260K.
inline constexpr KokkosKV::KVCacheStaticParams compiled_heads[] = {{4, 8}};

/// Makes a model with cache elements of type T: float, KokkosKV::half or KokkosKV::bf16.
/// \return nothing where this page size or these heads are not compiled
template <class T>
std::unique_ptr<LanguageModel> make_paged_model(execution_space const& exec,
                                                Checkpoint const& checkpoint, int page_size,
                                                std::uint32_t num_pages);

}  // namespace llama_generate
