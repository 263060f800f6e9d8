// The requests that the options ask for.
#pragma once

#include <vector>

#include "Options.hpp"
#include "Texts.hpp"
#include "serving/Request.hpp"

namespace llama_generate {

/// Texts of the command line, then token ids, then the file's; without any, BOS alone.
/// \throws UsageError  the file cannot be read or has no prompt, or something is no token
std::vector<Request> make_requests(Options const& options, Texts const& texts);

}  // namespace llama_generate
