// A file for results, opened first: a run of minutes must not end with a file that cannot be
// written.
#pragma once

#include <fstream>
#include <string>

#include "common/UsageError.hpp"

namespace example {

class OutputFile {
 public:
  /// \param path  empty: no file
  /// \throws UsageError  it cannot be written
  explicit OutputFile(std::string path) : m_path(std::move(path)) {
    if (!is_wanted()) return;
    m_file.open(m_path);
    if (!m_file) throw UsageError(m_path + ": cannot be written");
  }

  bool is_wanted() const { return !m_path.empty(); }
  std::ostream& stream() { return m_file; }

  /// \throws UsageError  not everything could be written
  void close() {
    m_file.close();
    if (!m_file) throw UsageError(m_path + ": writing failed");
  }

 private:
  std::string m_path;
  std::ofstream m_file;
};

}  // namespace example
