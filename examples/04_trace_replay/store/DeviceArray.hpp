// An array on the device that is replaced step by step.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace trace_replay {

using memory_space = Kokkos::DefaultExecutionSpace::memory_space;

/// Grows as needed and is never smaller than its contents.
class DeviceArray {
 public:
  using view_type = Kokkos::View<std::uint32_t*, memory_space>;

  explicit DeviceArray(std::string const& label) : m_data(label, 0) {}

  /// Waits for kernels that read what was there, and for the copy.
  void assign(std::span<std::uint32_t const> values) {
    if (values.size() > m_data.extent(0)) {
      Kokkos::realloc(Kokkos::WithoutInitializing, m_data,
                      std::max(values.size(), 2 * m_data.extent(0)));
    }
    using source_type = Kokkos::View<std::uint32_t const*, Kokkos::HostSpace,
                                     Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    m_size            = values.size();
    Kokkos::deep_copy(view(), source_type(values.data(), values.size()));
  }

  view_type view() const {
    return Kokkos::subview(m_data, Kokkos::make_pair(std::size_t(0), m_size));
  }

 private:
  view_type m_data;
  std::size_t m_size = 0;
};

}  // namespace trace_replay
