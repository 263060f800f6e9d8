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

#include <audit/SourceText.hpp>

namespace KokkosKVTest {
namespace {

std::filesystem::path const source_folder = KOKKOSKV_SOURCE_DIR;
std::filesystem::path const list_folder   = source_folder / "unit_test/device";

std::string read(std::filesystem::path const& file) {
  std::ifstream stream(file);
  EXPECT_TRUE(stream) << file;
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Functions of a header that the host calls: those of namespaces, but not of Impl, that have no
/// annotation and are not constexpr.
std::set<std::string> host_functions(SourceText const& header) {
  auto const& declarations = header.declarations();
  auto const is_internal   = [&](Declaration const& function) {
    return std::any_of(declarations.begin(), declarations.end(), [&](auto const& scope) {
      return scope.kind == Declaration::Kind::scope && header.has(scope.head, "Impl") &&
             scope.body.begin <= function.head.begin && function.head.end <= scope.body.end;
    });
  };
  std::set<std::string> names;
  for (auto const& each : declarations) {
    if (each.kind != Declaration::Kind::function || each.parent != Declaration::none) continue;
    bool const is_device = header.is_annotated(each) || header.has(each.head, "constexpr");
    bool const is_guide  = header.has(each.head, "->") && !header.has(each.head, "auto");
    if (!is_device && !is_guide && !is_internal(each)) names.insert(each.name);
  }
  return names;
}

struct Entry {
  std::string function;
  std::string source;
  std::vector<std::string> types;

  /// Functions have names in lower case.
  bool is_class() const { return std::isupper(static_cast<unsigned char>(function.front())) != 0; }
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
  EXPECT_EQ(host_functions({"header",
                            "\ntemplate <class T>\nvoid one(T const& t) {\n  two(t);\n}\n"
                            "\ntemplate <class T>\n  requires(three<T>)\nauto four(int a,\n"
                            "          int b) {\n}\nKOKKOS_FUNCTION int five(int a);\n"
                            "inline std::string const& six();\nconstexpr int seven(int a);\n"
                            "inline constexpr int eight = int(8);\nnamespace Impl {\nint nine();\n"
                            "}  // namespace Impl\nint ten();\n"}),
            (std::set<std::string>{"one", "four", "six", "ten"}));
}

TEST(KernelList, HasEveryPublicFunction) {
  std::set<std::string> functions;
  for (auto const& item : std::filesystem::recursive_directory_iterator(source_folder / "src")) {
    auto const path = item.path();
    if (path.extension() != ".hpp" || path.parent_path().filename() == "impl") continue;
    functions.merge(host_functions(SourceText::read(source_folder, path)));
  }
  std::set<std::string> names;
  for (auto const& entry : listed()) {
    if (!entry.is_class()) names.insert(entry.function);
  }
  EXPECT_GE(functions.size(), 7u);
  EXPECT_EQ(functions, names);
}

TEST(KernelList, SourcesCallWhatTheyAreListedFor) {
  for (auto const& entry : listed()) {
    if (entry.source == "-") continue;
    SCOPED_TRACE(entry.function);
    auto const call = "KokkosKV::" + entry.function + (entry.is_class() ? "<" : "(");
    EXPECT_NE(read(list_folder / entry.source).find(call), std::string::npos);
    EXPECT_FALSE(entry.types.empty());
  }
}

}  // namespace
}  // namespace KokkosKVTest
