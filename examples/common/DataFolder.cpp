// Finds the data folder.
#include "common/DataFolder.hpp"

#include <cstdlib>
#include <filesystem>

namespace example {

std::string data_path(std::string const& name) {
  char const* const given = std::getenv("KOKKOSKV_DATA");
  bool const is_given     = given != nullptr && *given != '\0';
  std::filesystem::path const folder(is_given ? given : EXAMPLE_DATA_FOLDER);
  return (folder / name).lexically_normal().string();
}

}  // namespace example
