// StatisticsBoard: one thread writes statistics, any number read them, and nobody waits for long.
#ifndef KOKKOSKV_IMPL_STATISTICSBOARD_HPP
#define KOKKOSKV_IMPL_STATISTICSBOARD_HPP

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <manager/KokkosKV_PageStatistics.hpp>

namespace KokkosKV::Impl {

/// A sequence lock (Boehm, Can Seqlocks Get Along With Programming Language Memory Models?, 2012):
/// the writer never waits; a reader tries again where it met a write.
class StatisticsBoard {
 public:
  /// By one thread at a time.
  void write(ManagerStatistics const& statistics) {
    auto const version = m_version.load(std::memory_order_relaxed);
    m_version.store(version + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    std::size_t i = 0;
    for_each_field(statistics, [&](char const*, std::uint64_t value) {
      m_words[i++].store(value, std::memory_order_relaxed);
    });
    m_version.store(version + 2, std::memory_order_release);
  }

  /// What one write has written.
  ManagerStatistics read() const {
    ManagerStatistics result;
    for (;;) {
      auto const before = m_version.load(std::memory_order_acquire);
      std::size_t i     = 0;
      for_each_field(result, [&](char const*, std::uint64_t& value) {
        value = m_words[i++].load(std::memory_order_relaxed);
      });
      std::atomic_thread_fence(std::memory_order_acquire);
      if (before % 2 == 0 && before == m_version.load(std::memory_order_relaxed)) return result;
    }
  }

 private:
  std::atomic<std::uint64_t> m_version{0};
  std::array<std::atomic<std::uint64_t>, num_statistics> m_words{};
};

}  // namespace KokkosKV::Impl

#endif
