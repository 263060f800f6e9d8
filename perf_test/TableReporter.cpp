// Prints each case as it ends, and after all of them whether the targets are met.
#include "TableReporter.hpp"

#include <iomanip>
#include <ostream>

#include "Targets.hpp"

namespace KokkosKV::Perf {
namespace {

constexpr int name_width   = 48;
constexpr int number_width = 10;

double counter(benchmark::BenchmarkReporter::Run const& run, char const* name) {
  auto const found = run.counters.find(name);
  return found == run.counters.end() ? 0.0 : found->second.value;
}

/// In units of so many a second; a case has one of the rates.
void print_rate(std::ostream& out, benchmark::BenchmarkReporter::Run const& run, char const* name,
                double unit) {
  out << std::setw(number_width);
  if (run.counters.contains(name)) {
    out << counter(run, name) / unit;
  } else {
    out << "-";
  }
}

}  // namespace

bool TableReporter::ReportContext(Context const&) {
  GetOutputStream() << std::left << std::setw(name_width) << "case" << std::right
                    << std::setw(number_width) << "GB/s" << std::setw(number_width) << "GFLOP/s"
                    << std::setw(number_width) << "Mblock/s" << std::setw(number_width) << "time us"
                    << std::setw(number_width) << "roofline" << std::setw(number_width) << "target"
                    << std::setw(number_width) << "met" << std::endl;
  return true;
}

void TableReporter::ReportRuns(std::vector<Run> const& runs) {
  auto& out = GetOutputStream();
  for (auto const& run : runs) {
    // The suffixes that Google Benchmark adds are the same for every case.
    auto const name = run.run_name.function_name;
    out << std::left << std::setw(name_width) << name << std::right;
    if (run.skipped != benchmark::internal::NotSkipped) {
      if (run.skipped == benchmark::internal::SkippedWithError) ++m_errors;
      out << "  " << run.skip_message << std::endl;
      continue;
    }
    auto const roofline = counter(run, "roofline");
    out << std::fixed << std::setprecision(1);
    print_rate(out, run, "bytes_per_second", 1e9);
    print_rate(out, run, "flops", 1e9);
    print_rate(out, run, "blocks_per_second", 1e6);
    auto const time = counter(run, "median_us");
    out << std::setprecision(time < 10 ? 3 : 1) << std::setw(number_width) << time
        << std::setprecision(3) << std::setw(number_width) << roofline;
    if (auto const least = target(name)) {
      bool const met = roofline >= *least;
      ++(met ? m_met : m_missed);
      out << std::setprecision(2) << std::setw(number_width) << *least << std::setw(number_width)
          << (met ? "yes" : "no");
    } else {
      out << std::setw(number_width) << "-" << std::setw(number_width) << "-";
    }
    out << std::endl;
  }
}

void TableReporter::Finalize() {
  GetOutputStream() << m_met << " of " << m_met + m_missed << " targets met" << std::endl;
}

}  // namespace KokkosKV::Perf
