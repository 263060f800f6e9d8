// Memory that the host fills for a step while an earlier step is still being copied.
#ifndef KOKKOSKV_IMPL_STEPSTAGING_HPP
#define KOKKOSKV_IMPL_STEPSTAGING_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include <manager/impl/KokkosKV_PinnedMemory.hpp>

namespace KokkosKV::Impl {

/// A View of one dimension and without contents that grows by halves.
template <class ViewType, class... Properties>
void reserve_words(ViewType& words, std::size_t needed, Properties const&... properties) {
  if (needed <= words.extent(0)) return;
  auto const size = std::max(needed, words.extent(0) + words.extent(0) / 2);
  // The old memory goes before the new one comes.
  words = ViewType();
  words = ViewType(Kokkos::view_alloc("KokkosKV::StepBatcher::words", Kokkos::WithoutInitializing,
                                      properties...),
                   size);
}

/// One staging buffer. Kokkos has no events; in their place a kernel that is launched after the
/// copies out of the buffer writes the number of the use into memory that the host can read. So it
/// is known, not agreed on, when the buffer may be filled again.
template <class ExecSpace>
class StepStaging {
 public:
  using words_type = Kokkos::View<std::uint32_t*, pinned_space<ExecSpace>>;  ///< the buffer

  explicit StepStaging(ExecSpace const& exec) : m_exec(exec) {}

  /// Waits until nothing reads the buffer. True where the instance had to be waited for.
  bool wait() {
    if (std::atomic_ref(*m_mark.data()).load(std::memory_order_acquire) == m_number) return false;
    m_exec.fence("KokkosKV::StepBatcher::load: staging memory is in use");
    return true;
  }

  /// Makes room; only after wait().
  void reserve(std::size_t num_words) { reserve_words(m_words, num_words); }

  /// A use that ends when `number` is written to mark() by what is launched on `exec`.
  void begin_use(ExecSpace const& exec, std::uint64_t number) {
    m_exec   = exec;
    m_number = number;
  }

  words_type const& words() const { return m_words; }
  std::uint64_t* mark() const { return m_mark.data(); }
  std::uint64_t number() const { return m_number; }

 private:
  ExecSpace m_exec;
  words_type m_words;
  Kokkos::View<std::uint64_t, pinned_space<ExecSpace>> m_mark{"KokkosKV::StepBatcher::mark"};
  std::uint64_t m_number = 0;
};

}  // namespace KokkosKV::Impl

#endif
