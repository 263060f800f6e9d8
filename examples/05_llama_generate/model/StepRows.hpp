// What the kernels must know of a step's rows beside its StepBatch: tokens, positions, and which
// rows logits are made of.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <manager/KokkosKV_PageManager.hpp>

#include "model/Arrays.hpp"

namespace llama_generate {

class StepRows {
 public:
  /// Copies to the device on the instance; what is copied stays until the next load, before which
  /// the instance must have been waited for.
  /// \param sequences  whose logits are wanted, by their places in the step
  void load(execution_space const& exec, KokkosKV::PageManager const& manager,
            KokkosKV::StepLayout const& layout, std::span<std::uint32_t const> sequences) {
    m_num_rows   = layout.row_offsets.back();
    m_num_wanted = sequences.size();
    m_host.clear();
    for (std::size_t i = 0; i < layout.sequences.size(); ++i) {
      auto const tokens =
          manager.tokens(layout.sequences[i]).subspan(layout.cache_lengths[i], num_rows(layout, i));
      m_host.insert(m_host.end(), tokens.begin(), tokens.end());
    }
    for (std::size_t i = 0; i < layout.sequences.size(); ++i) {
      for (std::uint32_t r = 0; r < num_rows(layout, i); ++r) {
        m_host.push_back(layout.cache_lengths[i] + r);
      }
    }
    for (auto const i : sequences) m_host.push_back(layout.row_offsets[i + 1] - 1);

    if (m_host.size() > m_device.size()) {
      exec.fence("llama_generate::StepRows: growth");
      m_device =
          device_type(Kokkos::view_alloc("llama_generate::StepRows", Kokkos::WithoutInitializing),
                      std::max(m_host.size(), 2 * m_device.size()));
    }
    Kokkos::deep_copy(exec, Kokkos::subview(m_device, std::pair(std::size_t(0), m_host.size())),
                      host_type(m_host.data(), m_host.size()));
  }

  Indices tokens() const { return part(0, m_num_rows); }
  Indices positions() const { return part(m_num_rows, m_num_rows); }
  /// The last rows of the wanted sequences.
  Indices wanted() const { return part(2 * m_num_rows, m_num_wanted); }
  std::size_t num_rows() const { return m_num_rows; }
  std::size_t num_wanted() const { return m_num_wanted; }

 private:
  using device_type = Kokkos::View<std::uint32_t*, memory_space>;
  using host_type   = Kokkos::View<std::uint32_t const*, Kokkos::HostSpace,
                                   Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  static std::uint32_t num_rows(KokkosKV::StepLayout const& layout, std::size_t sequence) {
    return layout.row_offsets[sequence + 1] - layout.row_offsets[sequence];
  }
  Indices part(std::size_t first, std::size_t count) const {
    return Kokkos::subview(m_device, std::pair(first, first + count));
  }

  std::size_t m_num_rows   = 0;
  std::size_t m_num_wanted = 0;
  std::vector<std::uint32_t> m_host;
  device_type m_device;
};

}  // namespace llama_generate
