// Shapes of well-known models, for runs with random weights.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/ModelConfig.hpp"

namespace llama_generate {

std::vector<std::string> model_shape_names();

/// \return nothing where no shape has this name
std::optional<ModelConfig> find_model_shape(std::string const& name);

}  // namespace llama_generate
