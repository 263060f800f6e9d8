// PoolTransfer: moves pages between a pool and pinned host memory.
#ifndef KOKKOSKV_POOLTRANSFER_HPP
#define KOKKOSKV_POOLTRANSFER_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include <cache/KokkosKV_Errors.hpp>
#include <cache/impl/KokkosKV_Check.hpp>
#include <manager/KokkosKV_PageTransfer.hpp>
#include <manager/KokkosKV_StepRequest.hpp>
#include <manager/impl/KokkosKV_PageBytes.hpp>
#include <manager/impl/KokkosKV_PinnedMemory.hpp>

namespace KokkosKV {

/// The PageTransfer of a pool as generic_get_paged_cache() takes it. Its host pages lie in pinned
/// memory, one after another; each holds the elements of a page, then its scales. Padding between
/// pages of the pool is neither read nor written.
///
/// download() and upload() launch copies on the instance and return, with one copy for pages that
/// are neighbours on both sides. read() and write() wait for the instance where anything was
/// launched since they last did. The instance must be the one of the steps, and live as long.
///
/// \tparam ExecSpace  where steps run
/// \tparam Blocks     rank 6 View, page pitch as wanted
/// \tparam Scales     rank 6 View, or void
template <class ExecSpace, class Blocks, class Scales = void>
class PoolTransfer final : public PageTransfer {
  static_assert(Kokkos::is_execution_space_v<ExecSpace>);
  static_assert(Impl::has_pinned_space<ExecSpace>,
                "KokkosKV: host and execution space need memory that both can reach");
  static_assert(Kokkos::SpaceAccessibility<ExecSpace, typename Blocks::memory_space>::accessible,
                "KokkosKV: the pool must be accessible from the execution space");

 public:
  static constexpr bool has_scales = !std::is_void_v<Scales>;  ///< quantised or not

  using execution_space = ExecSpace;                      ///< where steps run
  using memory_space    = typename Blocks::memory_space;  ///< where the pool lies
  /// Scales, or an unused stand-in.
  using scales_type = std::conditional_t<has_scales, Scales, char>;

  /// Of a pool without scales. Allocates the host pages.
  /// \param exec            execution space instance
  /// \param blocks          `[num_blocks, kv_dim, num_layers, page_size, num_heads, head_size]`
  /// \param num_host_pages  pages that fit in host memory
  /// \throws ShapeError  the elements of a page are not neighbours, or pages overlap
  PoolTransfer(ExecSpace const& exec, Blocks const& blocks, std::uint32_t num_host_pages)
    requires(!has_scales)
      : PoolTransfer(exec, blocks, scales_type(), num_host_pages, {}) {}

  /// Of a pool with scales, whose pages are numbered as those of the blocks.
  /// \param exec            execution space instance
  /// \param blocks          as above
  /// \param scales          `[num_blocks, kv_dim, num_layers, page_size, num_heads, groups]`
  /// \param num_host_pages  pages that fit in host memory
  /// \throws ShapeError  as above, also for scales; another number of their pages
  PoolTransfer(ExecSpace const& exec, Blocks const& blocks, scales_type const& scales,
               std::uint32_t num_host_pages)
    requires has_scales
      : PoolTransfer(exec, blocks, scales, num_host_pages,
                     Impl::page_bytes_of("PoolTransfer", "scales", scales)) {
    static_assert(std::is_same_v<typename Scales::memory_space, memory_space>,
                  "KokkosKV: scales must live in the memory space of the blocks");
  }

  PoolTransfer(PoolTransfer const&)            = delete;
  PoolTransfer& operator=(PoolTransfer const&) = delete;

  /// Waits for the instance.
  ~PoolTransfer() override { wait(); }

  /// \throws LookupTableError  a page is not one of the pool
  /// \throws ShapeError        a host page is not there
  void download(std::span<PageCopy const> copies) override {
    check("download", copies, &PageCopy::source, &PageCopy::destination);
    launch(copies, &PageCopy::source, &PageCopy::destination,
           [&](auto const& pool, auto const& host) { Kokkos::deep_copy(m_exec, host, pool); });
  }

  /// \throws LookupTableError  a page is not one of the pool
  /// \throws ShapeError        a host page is not there
  void upload(std::span<PageCopy const> copies) override {
    check("upload", copies, &PageCopy::destination, &PageCopy::source);
    launch(copies, &PageCopy::destination, &PageCopy::source,
           [&](auto const& pool, auto const& host) { Kokkos::deep_copy(m_exec, pool, host); });
  }

  /// \throws ShapeError  the host page is not there
  std::span<std::byte const> read(std::uint32_t host_page) override {
    check_host_page("read", "host_page", host_page);
    wait();
    return {m_host.data() + host_page * page_bytes(), page_bytes()};
  }

  /// \throws ShapeError  the host page is not there, or the contents are not page_bytes() long
  void write(std::uint32_t host_page, std::span<std::byte const> contents) override {
    check_host_page("write", "host_page", host_page);
    Impl::check_equal("write", "contents.size()", contents.size(), page_bytes());
    wait();
    std::ranges::copy(contents, m_host.data() + host_page * page_bytes());
  }

  std::uint32_t num_host_pages() const override { return m_num_host_pages; }
  std::size_t page_bytes() const override {
    return m_block_bytes.page_bytes + m_scale_bytes.page_bytes;
  }

 private:
  using PageBytes       = Impl::PageBytes<memory_space>;
  using host_bytes_type = Kokkos::View<std::byte*, Impl::pinned_space<ExecSpace>,
                                       Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using Page            = std::uint32_t PageCopy::*;

  PoolTransfer(ExecSpace const& exec, Blocks const& blocks, scales_type const& scales,
               std::uint32_t num_host_pages, PageBytes const& scale_bytes)
      : m_exec(exec),
        m_blocks(blocks),
        m_scales(scales),
        m_block_bytes(Impl::page_bytes_of("PoolTransfer", "blocks", blocks)),
        m_scale_bytes(scale_bytes),
        m_num_host_pages(num_host_pages) {
    if constexpr (has_scales) {
      Impl::check_equal("PoolTransfer", "scales.extent(0)", m_scale_bytes.num_pages,
                        m_block_bytes.num_pages);
    }
    m_host = Kokkos::View<std::byte*, Impl::pinned_space<ExecSpace>>(
        Kokkos::view_alloc("KokkosKV::PoolTransfer::host_pages", Kokkos::WithoutInitializing),
        num_host_pages * page_bytes());
  }

  void check_host_page(char const* function, std::string const& argument,
                       std::uint32_t host_page) const {
    if (host_page < m_num_host_pages) return;
    throw ShapeError(function, argument, std::to_string(host_page),
                     "below " + std::to_string(m_num_host_pages) + " (host pages)");
  }

  void check(char const* function, std::span<PageCopy const> copies, Page pool_page,
             Page host_page) const {
    auto const name = [](std::size_t index, bool is_source) {
      return "copies[" + std::to_string(index) + (is_source ? "].source" : "].destination");
    };
    for (std::size_t i = 0; i < copies.size(); ++i) {
      if (copies[i].*pool_page >= m_block_bytes.num_pages) {
        throw LookupTableError(function, name(i, pool_page == &PageCopy::source),
                               std::to_string(copies[i].*pool_page),
                               "below " + std::to_string(m_block_bytes.num_pages) + " (pages)");
      }
      if (copies[i].*host_page >= m_num_host_pages) {
        check_host_page(function, name(i, host_page == &PageCopy::source), copies[i].*host_page);
      }
    }
  }

  /// Whether neighbouring pages are neighbouring bytes, in the pool and in host memory.
  bool can_join() const {
    return m_block_bytes.pitch == m_block_bytes.page_bytes && m_scale_bytes.page_bytes == 0;
  }

  /// Pages from the first on that are neighbours on both sides.
  static std::size_t neighbours(std::span<PageCopy const> copies) {
    std::size_t count = 1;
    while (count < copies.size() && copies[count].source == copies[0].source + count &&
           copies[count].destination == copies[0].destination + count) {
      ++count;
    }
    return count;
  }

  template <class Copy>
  void launch(std::span<PageCopy const> copies, Page pool_page, Page host_page, Copy const& copy) {
    if (copies.empty() || page_bytes() == 0) return;
    m_is_busy = true;
    while (!copies.empty()) {
      auto const count  = can_join() ? neighbours(copies) : 1;
      auto const page   = copies[0].*pool_page;
      auto* const host  = m_host.data() + copies[0].*host_page * page_bytes();
      auto const blocks = count * m_block_bytes.page_bytes;
      if (blocks > 0) copy(m_block_bytes.pages(page, count), host_bytes_type(host, blocks));
      if (m_scale_bytes.page_bytes > 0) {
        copy(m_scale_bytes.pages(page, 1),
             host_bytes_type(host + blocks, m_scale_bytes.page_bytes));
      }
      copies = copies.subspan(count);
    }
  }

  void wait() {
    if (m_is_busy) m_exec.fence("KokkosKV::PoolTransfer: copies of host pages");
    m_is_busy = false;
  }

  ExecSpace m_exec;
  Blocks m_blocks;
  scales_type m_scales;
  PageBytes m_block_bytes;
  PageBytes m_scale_bytes;
  std::uint32_t m_num_host_pages;
  Kokkos::View<std::byte*, Impl::pinned_space<ExecSpace>> m_host;
  bool m_is_busy = false;
};

/// Deduces a pool without scales.
template <class ExecSpace, class Blocks>
PoolTransfer(ExecSpace const&, Blocks const&, std::uint32_t) -> PoolTransfer<ExecSpace, Blocks>;
/// Deduces a pool with scales.
template <class ExecSpace, class Blocks, class Scales>
PoolTransfer(ExecSpace const&, Blocks const&, Scales const&, std::uint32_t)
    -> PoolTransfer<ExecSpace, Blocks, Scales>;

}  // namespace KokkosKV

#endif
