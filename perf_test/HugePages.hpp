// Large buffers on huge pages, as performance-minded applications have them: on small pages of 4
// KiB address translation, not memory, would decide what scattered copies cost.
#ifndef KOKKOSKV_PERF_HUGEPAGES_HPP
#define KOKKOSKV_PERF_HUGEPAGES_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace KokkosKV::Perf {

/// Asks the system for huge pages before memory is touched; it may decline.
inline void advise_huge_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::size_t page = 4096;
  auto const address         = reinterpret_cast<std::uintptr_t>(data);
  auto const skipped         = (page - address % page) % page;
  if (bytes < skipped + page) return;
  madvise(static_cast<char*>(data) + skipped, (bytes - skipped) / page * page, MADV_HUGEPAGE);
#endif
}

/// Writes zeros, each part by the thread that will copy it: on hosts, memory lies near the core
/// that writes it first.
template <class ViewType>
void touch_first(ViewType const& view) {
  using value_type = typename ViewType::value_type;
  Kokkos::View<value_type*, typename ViewType::memory_space,
               Kokkos::MemoryTraits<Kokkos::Unmanaged>> const flat(view.data(), view.size());
  Kokkos::parallel_for(
      "KokkosKV::Perf::touch_first",
      Kokkos::RangePolicy<typename ViewType::execution_space, Kokkos::IndexType<std::size_t>>(
          0, flat.size()),
      KOKKOS_LAMBDA(std::size_t i) { flat(i) = value_type(0.0f); });
}

/// A View of zeros for rows or pages.
template <class ViewType, class... Extents>
ViewType make_data(std::string const& label, Extents... extents) {
  ViewType const result(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), extents...);
  if constexpr (std::is_same_v<typename ViewType::memory_space, Kokkos::HostSpace>) {
    advise_huge_pages(result.data(), result.size() * sizeof(typename ViewType::value_type));
  }
  touch_first(result);
  return result;
}

}  // namespace KokkosKV::Perf

#endif
