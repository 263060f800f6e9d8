// From run-time heads and page size to the model compiled for them.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include "model/CompiledModels.hpp"
#include "model/PagedModel.hpp"

namespace llama_generate {

template <class T>
std::unique_ptr<LanguageModel> make_paged_model(execution_space const& exec,
                                                ModelConfig const& config,
                                                WeightsFactory const& make_weights, int page_size,
                                                std::uint32_t num_pages) {
  std::unique_ptr<LanguageModel> model;
  auto const try_pages = [&]<std::size_t Index>() {
    constexpr auto heads = compiled_pages[Index].heads;
    constexpr int size   = compiled_pages[Index].page_size;
    if constexpr (!compiled_pages[Index].only_bf16 || std::is_same_v<T, KokkosKV::bf16>) {
      if (page_size != size || static_cast<int>(config.num_kv_heads) != heads.num_heads ||
          static_cast<int>(config.head_size()) != heads.head_size) {
        return;
      }
      model = std::make_unique<PagedModel<T, heads, size>>(exec, config, make_weights(), num_pages);
    }
  };
  [&]<std::size_t... Index>(std::index_sequence<Index...>) {
    (try_pages.template operator()<Index>(), ...);
  }(std::make_index_sequence<std::size(compiled_pages)>{});
  return model;
}

}  // namespace llama_generate
