// Prints each case as it ends, and after all of them whether the targets are met.
#ifndef KOKKOSKV_PERF_TABLEREPORTER_HPP
#define KOKKOSKV_PERF_TABLEREPORTER_HPP

#include <benchmark/benchmark.h>

#include <string>
#include <vector>

namespace KokkosKV::Perf {

class TableReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(Context const& context) override;
  void ReportRuns(std::vector<Run> const& runs) override;
  void Finalize() override;

  /// True when a case reported an error.
  bool has_errors() const { return m_errors > 0; }

 private:
  int m_errors = 0;
  int m_met    = 0;
  int m_missed = 0;
};

}  // namespace KokkosKV::Perf

#endif
