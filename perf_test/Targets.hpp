// The share of its reference that each case is meant to reach.
#ifndef KOKKOSKV_PERF_TARGETS_HPP
#define KOKKOSKV_PERF_TARGETS_HPP

#include <optional>
#include <string>

namespace KokkosKV::Perf {

/// Least `roofline` of the case with this name, if it has one.
std::optional<double> target(std::string const& name);

}  // namespace KokkosKV::Perf

#endif
