// Operations of the system of which one fails, or after one of which the process is as good as
// dead.
#ifndef KOKKOSKV_TEST_FAULTYOPERATIONS_HPP
#define KOKKOSKV_TEST_FAULTYOPERATIONS_HPP

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <manager/impl/KokkosKV_PageFileOperations.hpp>

namespace KokkosKVTest {

/// Thrown where a process would be killed; nothing that runs after it changes a file.
struct Killed {};

class FaultyOperations : public KokkosKV::Impl::PageFileOperations {
 public:
  enum class Fault { none, fail, kill };

  /// From now on, operation `number` (0 is the next one) fails with `error`, or is the last one.
  void plan(Fault fault, std::size_t number, int error = EIO) {
    m_fault  = fault;
    m_number = number;
    m_error  = error;
    m_done   = 0;
    m_dead   = false;
  }
  /// Every read and write moves at most that many bytes.
  void limit_transfers(std::size_t bytes) { m_most_bytes = bytes; }
  /// Operations since plan().
  std::size_t done() const { return m_done; }

  int open(std::filesystem::path const& path, int flags) override {
    return run([&] { return PageFileOperations::open(path, flags); });
  }
  ssize_t read(int file, std::byte* to, std::size_t count) override {
    count = std::min(count, m_most_bytes);
    return run([&] { return PageFileOperations::read(file, to, count); });
  }
  ssize_t write(int file, std::byte const* from, std::size_t count) override {
    count = std::min(count, m_most_bytes);
    return run([&] { return PageFileOperations::write(file, from, count); });
  }
  int sync(int file) override {
    return run([&] { return PageFileOperations::sync(file); });
  }
  /// A descriptor is closed in any case, as with the real one.
  int close(int file) override {
    int const closed = PageFileOperations::close(file);
    return run([&] { return closed; });
  }
  int rename(std::filesystem::path const& from, std::filesystem::path const& to) override {
    return run([&] { return PageFileOperations::rename(from, to); });
  }
  int remove(std::filesystem::path const& path) override {
    return run([&] { return PageFileOperations::remove(path); });
  }

 private:
  template <class Operation>
  auto run(Operation const& operation) -> decltype(operation()) {
    bool const is_planned = m_done++ == m_number;
    if (m_dead || (is_planned && m_fault == Fault::fail)) {
      errno = m_error;
      return -1;
    }
    auto const result = operation();
    if (is_planned && m_fault == Fault::kill) {
      m_dead = true;
      throw Killed();
    }
    return result;
  }

  Fault m_fault            = Fault::none;
  std::size_t m_number     = 0;
  int m_error              = EIO;
  std::size_t m_done       = 0;
  bool m_dead              = false;
  std::size_t m_most_bytes = std::numeric_limits<std::size_t>::max();
};

}  // namespace KokkosKVTest

#endif
