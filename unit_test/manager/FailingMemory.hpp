// Lets allocations fail in a test program that links FailingMemory.cpp.
#ifndef KOKKOSKV_TEST_FAILINGMEMORY_HPP
#define KOKKOSKV_TEST_FAILINGMEMORY_HPP

#include <cstddef>

namespace KokkosKVTest {

/// While one lives, allocation number `number` (0 is the next one) of this thread and all after it
/// throw std::bad_alloc.
class FailingMemory {
 public:
  explicit FailingMemory(std::size_t number);
  FailingMemory(FailingMemory const&)            = delete;
  FailingMemory& operator=(FailingMemory const&) = delete;
  ~FailingMemory();
};

/// While one lives, allocations succeed.
class WorkingMemory {
 public:
  WorkingMemory();
  WorkingMemory(WorkingMemory const&)            = delete;
  WorkingMemory& operator=(WorkingMemory const&) = delete;
  ~WorkingMemory();

 private:
  bool m_was_failing;
};

}  // namespace KokkosKVTest

#endif
