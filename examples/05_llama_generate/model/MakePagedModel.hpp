// From run-time heads and page size to the model compiled for them.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <utility>

#include "model/CompiledModels.hpp"
#include "model/PagedModel.hpp"

namespace llama_generate {

template <class T>
std::unique_ptr<LanguageModel> make_paged_model(execution_space const& exec,
                                                Checkpoint const& checkpoint, int page_size,
                                                std::uint32_t num_pages) {
  std::unique_ptr<LanguageModel> model;
  auto const& config       = checkpoint.config;
  auto const try_page_size = [&]<std::size_t Heads, std::size_t Page>() {
    constexpr auto params = compiled_heads[Heads];
    constexpr int size    = compiled_page_sizes[Page];
    if (page_size != size || static_cast<int>(config.num_kv_heads) != params.num_heads ||
        static_cast<int>(config.head_size()) != params.head_size) {
      return;
    }
    model = std::make_unique<PagedModel<T, params, size>>(exec, checkpoint, num_pages);
  };
  auto const try_heads = [&]<std::size_t Heads, std::size_t... Page>(std::index_sequence<Page...>) {
    (try_page_size.template operator()<Heads, Page>(), ...);
  };
  [&]<std::size_t... Heads>(std::index_sequence<Heads...>) {
    (try_heads.template operator()<Heads>(
         std::make_index_sequence<std::size(compiled_page_sizes)>{}),
     ...);
  }(std::make_index_sequence<std::size(compiled_heads)>{});
  return model;
}

}  // namespace llama_generate
