// The share of its reference that each case is meant to reach.
#include "Targets.hpp"

#include <array>
#include <string_view>

namespace KokkosKV::Perf {
namespace {

struct Target {
  std::string_view prefix;
  double roofline;
};

// Stores: against parallel memcpy of as many bytes; decode against a bare memcpy loop over the same
// slots. Attention: decode against reading as many bytes; a shared prefix, bf16 and mixed work
// against the time of another way to do the same; prefill against the flops of multiply-adds on
// registers or of a matrix product. Products that are stored: against the bare product and a memcpy
// of what is stored. Page manager: against the required number of blocks a second, the time in a
// pool of 1,000 pages (at most twice that), the time that a step may take. Model: against twelve
// times the tokens a second of one text; decoding against reading the weights.
constexpr std::array targets{
    Target{"store/ragged_prefill/", 0.95},
    Target{"store/ragged_decode/", 0.80},
    Target{"store/skewed/", 0.85},
    Target{"store/copy_pages/", 0.95},
    Target{"attention/decode/float/", 0.92},
    Target{"attention/decode/bf16/", 0.88},
    Target{"attention/long_decode/", 0.85},
    Target{"attention/skewed_decode/", 0.80},
    Target{"attention/shared_prefix/float/group:1", 5.0},
    Target{"attention/prefill/float", 0.60},
    Target{"attention/prefill_bf16_against_float", 0.90},
    Target{"attention/mixed/", 0.90},
    Target{"attention/prefill_against_gemm/", 0.75},
    Target{"projection/qkv_store/", 0.95},
    Target{"manager/trace/", 1.0},
    Target{"manager/scaling/reuse_rate/", 0.5},
    Target{"manager/scaling/lru/", 0.5},
    Target{"manager/prepare_step/", 1.0},
    Target{"model/generate/batch:64", 1.0},
    Target{"model/decode/", 0.7},
};

}  // namespace

std::optional<double> target(std::string const& name) {
  for (auto const& [prefix, roofline] : targets) {
    if (name.starts_with(prefix)) return roofline;
  }
  return std::nullopt;
}

}  // namespace KokkosKV::Perf
