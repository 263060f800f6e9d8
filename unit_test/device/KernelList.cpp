// The list of device instantiations is complete: every public function that is not itself device
// code is in it, with a source that names it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace KokkosKVTest {
namespace {

std::filesystem::path const source_folder = KOKKOSKV_SOURCE_DIR;
std::filesystem::path const list_folder   = source_folder / "unit_test/device";

std::string read(std::filesystem::path const& file) {
  std::ifstream stream(file);
  EXPECT_TRUE(stream) << file;
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Functions at namespace scope of a header that the host calls. Formatted sources begin their
/// declarations in the first column, after `template` and `requires` lines.
std::set<std::string> host_functions(std::string const& header) {
  static std::regex const declaration(
      R"((?:^|\n)(?!KOKKOS|constexpr|static_assert|template|using|struct|class|//|#)[A-Za-z][\w:<>, *&]*?[ *&](\w+)\()");
  std::set<std::string> names;
  for (std::sregex_iterator it(header.begin(), header.end(), declaration), end; it != end; ++it) {
    names.insert((*it)[1]);
  }
  return names;
}

struct Entry {
  std::string function;
  std::string source;
  std::vector<std::string> types;
};

std::vector<Entry> listed() {
  std::vector<Entry> entries;
  std::istringstream lines(read(list_folder / "kernels.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream words(line);
    Entry entry;
    words >> entry.function >> entry.source;
    for (std::string type; words >> type;) entry.types.push_back(type);
    entries.push_back(entry);
  }
  return entries;
}

TEST(KernelList, FindsFunctionsOfTheHost) {
  EXPECT_EQ(host_functions("\ntemplate <class T>\nvoid one(T const& t) {\n  two(t);\n}\n"
                           "\ntemplate <class T>\n  requires(three<T>)\nauto four(int a,\n"
                           "          int b) {\n}\nKOKKOS_FUNCTION int five(int a);\n"
                           "inline std::string const& six();\nconstexpr int seven(int a);\n"),
            (std::set<std::string>{"one", "four", "six"}));
}

TEST(KernelList, HasEveryPublicFunction) {
  std::set<std::string> functions;
  for (auto const& item : std::filesystem::recursive_directory_iterator(source_folder / "src")) {
    auto const path = item.path();
    if (path.extension() != ".hpp" || path.parent_path().filename() == "impl") continue;
    functions.merge(host_functions(read(path)));
  }
  std::set<std::string> names;
  for (auto const& entry : listed()) names.insert(entry.function);
  EXPECT_GE(functions.size(), 7u);
  EXPECT_EQ(functions, names);
}

TEST(KernelList, SourcesCallWhatTheyAreListedFor) {
  for (auto const& entry : listed()) {
    if (entry.source == "-") continue;
    SCOPED_TRACE(entry.function);
    EXPECT_NE(read(list_folder / entry.source).find("KokkosKV::" + entry.function + "("),
              std::string::npos);
    EXPECT_FALSE(entry.types.empty());
  }
}

}  // namespace
}  // namespace KokkosKVTest
