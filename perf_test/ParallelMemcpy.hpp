// The machine's own copy speed: what stores, loads and page copies are measured against.
#ifndef KOKKOSKV_PERF_PARALLELMEMCPY_HPP
#define KOKKOSKV_PERF_PARALLELMEMCPY_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace KokkosKV::Perf {

/// One contiguous part per thread, each one memcpy.
struct MemcpyPart {
  char* target;
  char const* source;
  std::size_t bytes;
  std::size_t parts;

  void operator()(std::size_t part) const {
    auto const begin = bytes * part / parts;
    auto const end   = bytes * (part + 1) / parts;
    std::memcpy(target + begin, source + begin, end - begin);
  }
};

/// Copies `bytes` as fast as the machine's own means do: memcpy on every host thread, or the
/// device's copy.
template <class ExecSpace>
void parallel_memcpy(ExecSpace const& exec, void* target, void const* source, std::size_t bytes) {
  auto* const to         = static_cast<char*>(target);
  auto const* const from = static_cast<char const*>(source);
  using memory_space     = typename ExecSpace::memory_space;
  if constexpr (std::is_same_v<memory_space, Kokkos::HostSpace>) {
    auto const parts = static_cast<std::size_t>(exec.concurrency());
    Kokkos::parallel_for(
        "KokkosKV::Perf::memcpy",
        Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::size_t>>(exec, 0, parts),
        MemcpyPart{to, from, bytes, parts});
  } else {
    using view_type = Kokkos::View<char*, memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    using const_view_type =
        Kokkos::View<char const*, memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Kokkos::deep_copy(exec, view_type(to, bytes), const_view_type(from, bytes));
  }
}

}  // namespace KokkosKV::Perf

#endif
