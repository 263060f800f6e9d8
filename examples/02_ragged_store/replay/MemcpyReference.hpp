// The speed that the stores are measured against: a parallel memcpy of as many bytes from the same
// input.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

namespace ragged_store {

template <class MemorySpace>
class MemcpyReference {
 public:
  using execution_space = typename MemorySpace::execution_space;

  explicit MemcpyReference(std::size_t largest_copy)
      : m_target("ragged_store::memcpy_target", std::max(largest_copy, smallest_target)) {}

  /// Copies and returns the seconds that it took. Consecutive copies go to consecutive places, so
  /// that the target is no warmer in the caches than the pages of the pool are.
  double run(void const* source, std::size_t bytes) {
    if (m_next + bytes > m_target.extent(0)) m_next = 0;
    char* const target = m_target.data() + m_next;
    m_next += bytes;
    Kokkos::Timer const timer;
    if constexpr (std::is_same_v<MemorySpace, Kokkos::HostSpace>) {
      auto const slices = static_cast<std::size_t>(execution_space().concurrency());
      Kokkos::parallel_for("ragged_store::memcpy",
                           Kokkos::RangePolicy<execution_space>(0, static_cast<int>(slices)),
                           CopySlice{target, static_cast<char const*>(source), bytes, slices});
    } else {
      using bytes_view       = Kokkos::View<char*, MemorySpace>;
      using const_bytes_view = Kokkos::View<char const*, MemorySpace>;
      Kokkos::deep_copy(execution_space(), bytes_view(target, bytes),
                        const_bytes_view(static_cast<char const*>(source), bytes));
    }
    Kokkos::fence("ragged_store::memcpy");
    return timer.seconds();
  }

 private:
  static constexpr std::size_t smallest_target = std::size_t(256) << 20;

  struct CopySlice {
    char* target;
    char const* source;
    std::size_t bytes;
    std::size_t slices;

    KOKKOS_FUNCTION void operator()(int index) const {
      auto const slice = static_cast<std::size_t>(index);
      auto const begin = bytes * slice / slices;
      auto const end   = bytes * (slice + 1) / slices;
      std::memcpy(target + begin, source + begin, end - begin);
    }
  };

  Kokkos::View<char*, MemorySpace> m_target;
  std::size_t m_next = 0;
};

}  // namespace ragged_store
