// Virtual memory for pools that are larger than the machine.
#ifndef KOKKOSKV_TEST_LAZYMEMORY_HPP
#define KOKKOSKV_TEST_LAZYMEMORY_HPP

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <vector>

namespace KokkosKVTest {

/// Memory that becomes real where it is touched.
class LazyMemory {
 public:
  explicit LazyMemory(std::size_t size)
      : m_size(size),
        m_data(mmap(nullptr, size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    // A touched place then counts as one small page.
    if (m_data != MAP_FAILED) madvise(m_data, size, MADV_NOHUGEPAGE);
  }
  ~LazyMemory() {
    if (m_data != MAP_FAILED) munmap(m_data, m_size);
  }
  LazyMemory(LazyMemory const&)            = delete;
  LazyMemory& operator=(LazyMemory const&) = delete;

  /// Null where the system has no room for that many addresses.
  void* data() const { return m_data == MAP_FAILED ? nullptr : m_data; }

  /// Bytes of the memory pages that were touched.
  std::size_t touched_bytes() const {
    auto const page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    std::vector<unsigned char> resident((m_size + page - 1) / page);
    if (mincore(m_data, m_size, resident.data()) != 0) return m_size;
    std::size_t count = 0;
    for (auto const flags : resident) count += flags & 1u;
    return count * page;
  }

 private:
  std::size_t m_size;
  void* m_data;
};

}  // namespace KokkosKVTest
#endif

#endif
