// From a checkpoint and run-time choices to a model.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "model/Checkpoint.hpp"
#include "model/LanguageModel.hpp"
#include "model/Layers.hpp"

namespace llama_generate {

struct PoolOptions {
  std::string cache_type  = "float";  ///< float, half or bf16
  int page_size           = 16;       ///< tokens
  std::uint32_t num_pages = 0;
};

/// \throws UsageError  these heads, page size or cache type are not compiled, or there is no memory
///                     for the pool
std::unique_ptr<LanguageModel> make_model(execution_space const& exec, Checkpoint const& checkpoint,
                                          PoolOptions const& pool);

}  // namespace llama_generate
