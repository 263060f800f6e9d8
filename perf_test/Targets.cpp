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

// Against parallel memcpy of as many bytes; decode against a bare memcpy loop over the same slots.
constexpr std::array targets{
    Target{"store/ragged_prefill/", 0.95},
    Target{"store/ragged_decode/", 0.80},
    Target{"store/skewed/", 0.85},
    Target{"store/copy_pages/", 0.95},
};

}  // namespace

std::optional<double> target(std::string const& name) {
  for (auto const& [prefix, roofline] : targets) {
    if (name.starts_with(prefix)) return roofline;
  }
  return std::nullopt;
}

}  // namespace KokkosKV::Perf
