// From weights and run-time choices to a model.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "model/Arrays.hpp"
#include "model/Checkpoint.hpp"
#include "model/LanguageModel.hpp"
#include "model/ModelConfig.hpp"

namespace llama_generate {

struct PoolOptions {
  std::string cache_type  = "float";  ///< float, half or bf16
  int page_size           = 16;       ///< tokens
  std::uint32_t num_pages = 0;
};

/// Makes a trained model.
/// \param weight_type  float, half or bf16, to which the weights are rounded
/// \throws UsageError  these heads, page size or types are not compiled, or there is no memory for
///                     the weights or the pool
std::unique_ptr<LanguageModel> make_model(execution_space const& exec, Checkpoint const& checkpoint,
                                          PoolOptions const& pool,
                                          std::string const& weight_type = "float");

/// Makes a model with random weights, to measure a shape.
std::unique_ptr<LanguageModel> make_random_model(execution_space const& exec,
                                                 ModelConfig const& config, std::uint64_t seed,
                                                 PoolOptions const& pool,
                                                 std::string const& weight_type);

}  // namespace llama_generate
