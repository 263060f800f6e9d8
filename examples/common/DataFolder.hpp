// Where the data lies that examples read by default.
#pragma once

#include <string>

namespace example {

/// Path of a file in the data folder, which is $KOKKOSKV_DATA, by default ../shared/data beside the
/// checkout.
/// \param name  such as "traces/…" or "model/…"
std::string data_path(std::string const& name);

}  // namespace example
