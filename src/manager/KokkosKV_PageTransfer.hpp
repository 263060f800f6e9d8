// PageTransfer: how the contents of pages get out of the pool and back.
#ifndef KOKKOSKV_PAGETRANSFER_HPP
#define KOKKOSKV_PAGETRANSFER_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <manager/KokkosKV_PageFileTier.hpp>
#include <manager/KokkosKV_StepRequest.hpp>

namespace KokkosKV {

/// Moves pages between the pool and *host pages*, which are numbered from 0. The manager decides
/// which, and calls while it prepares a step or swaps a sequence.
///
/// All that moves does so as if launched on the execution space instance of the steps: after all
/// that was launched before the call, and before all that is launched after it. A call may return
/// before its work is done. A call that throws may have written what it was to write, and nothing
/// else.
class PageTransfer {
 public:
  /// Transfers are owned and destroyed through this interface.
  virtual ~PageTransfer() = default;

  /// Copies pages of the pool to host pages.
  /// \param copies  source: page of the pool; destination: host page
  virtual void download(std::span<PageCopy const> copies) = 0;
  /// Copies host pages to pages of the pool.
  /// \param copies  source: host page; destination: page of the pool
  virtual void upload(std::span<PageCopy const> copies) = 0;

  /// Contents of a host page, once all that was launched before has written to it; valid until the
  /// next call of a member. Waits.
  virtual std::span<std::byte const> read(std::uint32_t host_page) = 0;
  /// Replaces the contents of a host page, once all that was launched before has read it. Waits.
  /// \param contents  page_bytes() bytes
  virtual void write(std::uint32_t host_page, std::span<std::byte const> contents) = 0;

  /// Host pages that there are.
  virtual std::uint32_t num_host_pages() const = 0;
  /// Bytes of a page's contents: all layers, keys and values, and scales where there are any.
  virtual std::size_t page_bytes() const = 0;
};

/// Moves nothing: for managers whose pages have no contents, as in a replay that counts hits.
class NoPageTransfer final : public PageTransfer {
 public:
  /// \param num_host_pages  host pages to pretend
  explicit NoPageTransfer(std::uint32_t num_host_pages)
      : m_num_host_pages(num_host_pages), m_contents(1) {}

  void download(std::span<PageCopy const>) override {}
  void upload(std::span<PageCopy const>) override {}
  std::span<std::byte const> read(std::uint32_t) override { return m_contents; }
  void write(std::uint32_t, std::span<std::byte const>) override {}
  std::uint32_t num_host_pages() const override { return m_num_host_pages; }
  std::size_t page_bytes() const override { return m_contents.size(); }

 private:
  std::uint32_t m_num_host_pages;
  std::vector<std::byte> m_contents;
};

/// Where pages go that leave the pool of a PageManager; none by default.
struct PageTiers {
  /// To and from host pages; without it pages that leave the pool are lost.
  std::shared_ptr<PageTransfer> transfer = {};
  /// Behind the host pages; needs `transfer`, and pages of the same sizes.
  std::shared_ptr<PageFileTier> files = {};
};

}  // namespace KokkosKV

#endif
