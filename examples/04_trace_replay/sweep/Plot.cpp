// The figure, as gnuplot commands with the data in them.
#include "sweep/Plot.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <ostream>
#include <sstream>
#include <string_view>

#include "common/Text.hpp"
#include "common/UsageError.hpp"

namespace trace_replay {
namespace {

/// In gnuplot's single quotes, where nothing but the quote itself has a meaning.
std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (char const c : text) result += c == '\'' ? std::string("''") : std::string(1, c);
  return result + "'";
}

/// Colours that people tell apart who see few (Okabe and Ito), and a mark of its own for each
/// curve.
struct Look {
  char const* color;
  int mark;
};
constexpr Look looks[] = {{"#E69F00", 9}, {"#0072B2", 7}, {"#009E73", 5}};

}  // namespace

void require_gnuplot() {
  char const* const path = std::getenv("PATH");
  std::stringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((folder + "/gnuplot").c_str(), X_OK) == 0) return;
  }
  throw example::UsageError("--plot needs gnuplot, which is not in PATH (Debian: gnuplot-nox)");
}

void write_gnuplot(std::ostream& out, Sweep const& sweep, std::string const& title,
                   std::uint32_t page_tokens, std::string const& path) {
  for (std::size_t i = 0; i < sweep.curves.size(); ++i) {
    out << "$curve" << i << " << EOD\n";
    for (std::size_t at = 0; at < sweep.capacities.size(); ++at) {
      out << sweep.capacities[at] << ' ' << 100 * sweep.curves[i].hit_rates[at] << '\n';
    }
    out << "EOD\n";
  }
  auto const limit = 100 * sweep.unbounded_hit_rate;
  out << "set terminal pngcairo size 1200,750 font 'Sans,13' linewidth 1.5\n"
      << "set output " << in_quotes(path) << '\n'
      << "set title " << in_quotes(title) << " noenhanced font 'Sans,15'\n"
      << "set xlabel 'capacity of the pool (pages of " << page_tokens << " tokens)'\n"
      << "set ylabel 'hit rate (% of prompt pages)'\n"
      << "set logscale x\nset xtics (";
  char const* separator = "";
  for (std::uint64_t power = 1; power <= sweep.capacities.back(); power *= 10) {
    for (std::uint64_t const factor : {1u, 2u, 5u}) {
      auto const tic = factor * power;
      if (tic < sweep.capacities.front() / 2 || tic > 2 * std::uint64_t(sweep.capacities.back()))
        continue;
      out << separator << in_quotes(example::grouped(tic)) << ' ' << tic;
      separator = ", ";
    }
  }
  out << ")\nset xrange [" << sweep.capacities.front() * 0.9 << ':' << sweep.capacities.back() * 1.1
      << "]\nset yrange [0:" << (limit > 0 ? 1.12 * limit : 1.0) << "]\n"
      << "set grid xtics ytics linecolor '#CCCCCC'\nset border 3\nset rmargin 5\nset tics nomirror "
         "out\n"
      << "set key bottom right reverse Left noenhanced spacing 1.3\n"
      << "plot " << limit << " title "
      << in_quotes("unbounded pool, " + example::format("%.1f %%", limit))
      << " with lines dashtype 2 linecolor '#555555'";
  for (auto i = sweep.curves.size(); i-- > 0;) {
    auto const& look = looks[i % std::size(looks)];
    out << ", $curve" << i << " title " << in_quotes(sweep.curves[i].policy)
        << " with linespoints linecolor '" << look.color << "' pointtype " << look.mark
        << " pointsize 1.2";
  }
  out << "\nset output\n";
}

void draw(Sweep const& sweep, std::string const& title, std::uint32_t page_tokens,
          std::string const& path) {
  std::ostringstream commands;
  write_gnuplot(commands, sweep, title, page_tokens, path);
  // Where gnuplot ends early its status says so, not a signal.
  auto const old_handler = std::signal(SIGPIPE, SIG_IGN);
  FILE* const pipe       = popen("gnuplot", "w");
  if (pipe == nullptr) throw example::UsageError("gnuplot could not be started");
  std::fputs(commands.str().c_str(), pipe);
  auto const status = pclose(pipe);
  std::signal(SIGPIPE, old_handler);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw example::UsageError(path + ": gnuplot could not draw it");
  }
}

}  // namespace trace_replay
