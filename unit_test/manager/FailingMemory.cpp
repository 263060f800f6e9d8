#include "FailingMemory.hpp"

#include <cstdlib>
#include <new>

namespace {

thread_local bool is_failing       = false;
thread_local std::size_t countdown = 0;

void* allocate(std::size_t size) {
  if (is_failing && (countdown == 0 || countdown-- == 0)) throw std::bad_alloc();
  if (void* const result = std::malloc(size > 0 ? size : 1)) return result;
  throw std::bad_alloc();
}
void* try_allocate(std::size_t size) noexcept {
  try {
    return allocate(size);
  } catch (std::bad_alloc const&) {
    return nullptr;
  }
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
// All forms that are paired with the operators below: what is replaced in part is a mismatch to
// address sanitizers.
void* operator new(std::size_t size, std::nothrow_t const&) noexcept { return try_allocate(size); }
void* operator new[](std::size_t size, std::nothrow_t const&) noexcept {
  return try_allocate(size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace KokkosKVTest {

FailingMemory::FailingMemory(std::size_t number) {
  countdown  = number;
  is_failing = true;
}
FailingMemory::~FailingMemory() { is_failing = false; }

WorkingMemory::WorkingMemory() : m_was_failing(is_failing) { is_failing = false; }
WorkingMemory::~WorkingMemory() { is_failing = m_was_failing; }

}  // namespace KokkosKVTest
