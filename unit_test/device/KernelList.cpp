// The list of device instantiations is complete: every public function that is not itself device
// code is in it, with a source that names it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
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

bool is_word(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

/// Functions at namespace scope of a header that the host calls. Formatted sources begin their
/// declarations in the first column, after `template` and `requires` lines.
std::set<std::string> host_functions(std::string const& header) {
  std::set<std::string> names;
  bool internal = false;
  std::istringstream lines(header);
  for (std::string line; std::getline(lines, line);) {
    auto const begins = [&](char const* text) { return line.starts_with(text); };
    if (begins("namespace") || begins("}  // namespace")) {
      internal = begins("namespace") && line.find("Impl") != std::string::npos;
    }
    if (internal || line.empty() || !is_word(line.front())) continue;
    if (begins("KOKKOS_") || begins("constexpr") || begins("inline constexpr") ||
        begins("static_assert") || begins("template") || begins("using") || begins("struct") ||
        begins("class") || begins("namespace")) {
      continue;
    }
    auto const end = line.find('(');
    if (end == std::string::npos) continue;
    auto begin = end;
    while (begin > 0 && is_word(line[begin - 1])) --begin;
    // A deduction guide has nothing before its name.
    if (begin > 0 && begin < end) names.insert(line.substr(begin, end - begin));
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
                           "inline std::string const& six();\nconstexpr int seven(int a);\n"
                           "inline constexpr int eight = int(8);\nnamespace Impl {\nint nine();\n"
                           "}  // namespace Impl\nint ten();\n"),
            (std::set<std::string>{"one", "four", "six", "ten"}));
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
