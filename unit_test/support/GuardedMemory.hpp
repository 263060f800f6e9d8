// Memory between two guards: tells what a call changed, in it and around it.
#ifndef KOKKOSKV_TEST_GUARDEDMEMORY_HPP
#define KOKKOSKV_TEST_GUARDEDMEMORY_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <vector>

#include <reference/Arrays.hpp>

namespace KokkosKVTest {

/// `size` elements inside a larger allocation. Everything starts as `filling(index)`; the index
/// counts from the first element of the leading guard.
template <class T, class MemorySpace>
class GuardedMemory {
 public:
  static constexpr std::size_t guard = 4096;

  template <class Filling>
  GuardedMemory(std::size_t size, Filling const& filling)
      : m_all(Kokkos::view_alloc("guarded", Kokkos::WithoutInitializing), size + 2 * guard) {
    std::vector<T> all(m_all.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = filling(i);
    copy_to_device(m_all, all);
  }

  /// Filled with values that differ from their neighbours and from what tests store.
  explicit GuardedMemory(std::size_t size)
      : GuardedMemory(size, [](std::size_t i) { return static_cast<T>(100 + i % 23); }) {}

  /// First element between the guards.
  T* data() const { return m_all.data() + guard; }

  /// Everything, guards included.
  std::vector<T> snapshot() const { return to_host(m_all); }

 private:
  Kokkos::View<T*, MemorySpace> m_all;
};

}  // namespace KokkosKVTest

#endif
