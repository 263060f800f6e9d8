// A progress bar on standard error, for people only: silent when standard error is not a terminal.
#pragma once

#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace example {

class ProgressBar {
 public:
  ProgressBar(std::uint64_t total, bool wanted)
      : m_total(total), m_enabled(wanted && total > 0 && isatty(STDERR_FILENO) == 1) {}
  ProgressBar(ProgressBar const&)            = delete;
  ProgressBar& operator=(ProgressBar const&) = delete;
  /// Clears the line, so that whatever follows starts on a clean one.
  ~ProgressBar() {
    if (m_enabled) std::fputs("\r\033[K", stderr);
  }

  void update(std::uint64_t done, std::string const& note) {
    if (!m_enabled) return;
    auto const now = std::chrono::steady_clock::now();
    // Redrawing costs a system call: ten times a second is enough.
    if (done < m_total && now - m_drawn < std::chrono::milliseconds(100)) return;
    m_drawn             = now;
    auto const fraction = static_cast<double>(done) / static_cast<double>(m_total);
    auto const filled   = static_cast<std::size_t>(fraction * bar_width);
    auto const bar      = std::string(filled, '=') + std::string(bar_width - filled, ' ');
    std::fprintf(stderr, "\r[%s] %3.0f %%  %s\033[K", bar.c_str(), 100 * fraction, note.c_str());
    std::fflush(stderr);
  }

 private:
  static constexpr std::size_t bar_width = 40;

  std::uint64_t m_total;
  bool m_enabled;
  std::chrono::steady_clock::time_point m_drawn{};
};

}  // namespace example
