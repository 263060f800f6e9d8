// Where the data lies that examples read by default.
#pragma once

#include <string>

namespace example {

/// Path of a trace in the data folder, which is $KOKKOSKV_DATA, by default ../shared/data beside
/// the checkout.
std::string trace_path(std::string const& name);

}  // namespace example
