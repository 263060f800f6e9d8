// Contents of pages for tests of the manager: a number for each slot that stands for all tokens up
// to it, in plain memory.
#ifndef KOKKOSKV_TEST_MODELSTORAGE_HPP
#define KOKKOSKV_TEST_MODELSTORAGE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

#include <manager/KokkosKV_PageManager.hpp>
#include <reference/Random.hpp>

namespace KokkosKVTest {

/// What a transfer throws that fails.
struct TransferFailure : std::runtime_error {
  TransferFailure() : std::runtime_error("the transfer failed") {}
};

/// Hands everything on to another transfer, but for calls that fail.
class FaultyTransfer final : public KokkosKV::PageTransfer {
 public:
  FaultyTransfer(std::shared_ptr<PageTransfer> transfer, std::uint64_t seed)
      : m_transfer(std::move(transfer)), m_random(seed) {}

  /// How many of a hundred calls fail.
  void set_failures(unsigned percent) { m_percent = percent; }

  void download(std::span<KokkosKV::PageCopy const> copies) override {
    may_fail();
    m_transfer->download(copies);
  }
  void upload(std::span<KokkosKV::PageCopy const> copies) override {
    may_fail();
    m_transfer->upload(copies);
  }
  std::span<std::byte const> read(std::uint32_t host_page) override {
    may_fail();
    return m_transfer->read(host_page);
  }
  void write(std::uint32_t host_page, std::span<std::byte const> contents) override {
    may_fail();
    m_transfer->write(host_page, contents);
  }
  std::uint32_t num_host_pages() const override { return m_transfer->num_host_pages(); }
  std::size_t page_bytes() const override { return m_transfer->page_bytes(); }

 private:
  void may_fail() {
    if (m_percent > 0 && m_random.chance(m_percent)) throw TransferFailure();
  }

  std::shared_ptr<PageTransfer> m_transfer;
  Random m_random;
  unsigned m_percent = 0;
};

/// Where the contents are.
class ModelStorage {
 public:
  virtual ~ModelStorage() = default;

  /// Between the pages and host pages.
  virtual std::shared_ptr<KokkosKV::PageTransfer> transfer() = 0;
  /// Does what the kernels of a prepared step do.
  /// \param rows  what to store for each row of the step
  virtual void run(KokkosKV::PageManager const& manager, KokkosKV::StepLayout const& layout,
                   std::vector<std::uint64_t> const& rows) = 0;
  /// What is stored for the first tokens of a sequence.
  virtual std::vector<std::uint64_t> read(std::span<std::uint32_t const> pages,
                                          std::size_t num_tokens) = 0;
};

/// In plain memory.
class PlainStorage final : public ModelStorage {
 public:
  PlainStorage(KokkosKV::PageManagerOptions const& options, std::uint32_t num_host_pages)
      : m_page_size(options.page_size),
        m_memory(std::make_shared<Memory>(options, num_host_pages)) {}

  std::shared_ptr<KokkosKV::PageTransfer> transfer() override { return m_memory; }

  void run(KokkosKV::PageManager const& manager, KokkosKV::StepLayout const& layout,
           std::vector<std::uint64_t> const& rows) override {
    for (auto const& copy : layout.copies)
      copy_page(m_memory->pages, copy.source, m_memory->pages, copy.destination);
    for (std::size_t i = 0; i < layout.sequences.size(); ++i) {
      auto const pages = manager.pages(layout.sequences[i]);
      auto token       = layout.cache_lengths[i];
      for (auto row = layout.row_offsets[i]; row < layout.row_offsets[i + 1]; ++row, ++token)
        m_memory->pages[slot(pages, token)] = rows[row];
    }
  }

  std::vector<std::uint64_t> read(std::span<std::uint32_t const> pages,
                                  std::size_t num_tokens) override {
    std::vector<std::uint64_t> result(num_tokens);
    for (std::size_t t = 0; t < num_tokens; ++t) result[t] = m_memory->pages[slot(pages, t)];
    return result;
  }

 private:
  using Slots = std::vector<std::uint64_t>;

  struct Memory final : KokkosKV::PageTransfer {
    Memory(KokkosKV::PageManagerOptions const& options, std::uint32_t num_host_pages)
        : page_size(options.page_size),
          pages(std::size_t(options.num_pages) * page_size, 0),
          host_pages(std::size_t(num_host_pages) * page_size, 0) {}

    void download(std::span<KokkosKV::PageCopy const> copies) override {
      for (auto const& copy : copies) move(pages, copy.source, host_pages, copy.destination);
    }
    void upload(std::span<KokkosKV::PageCopy const> copies) override {
      for (auto const& copy : copies) move(host_pages, copy.source, pages, copy.destination);
    }
    std::span<std::byte const> read(std::uint32_t host_page) override {
      return std::as_bytes(std::span(host_pages).subspan(host_page * page_size, page_size));
    }
    void write(std::uint32_t host_page, std::span<std::byte const> contents) override {
      std::memcpy(host_pages.data() + host_page * page_size, contents.data(), contents.size());
    }
    std::uint32_t num_host_pages() const override {
      return static_cast<std::uint32_t>(host_pages.size() / page_size);
    }
    std::size_t page_bytes() const override { return page_size * sizeof(std::uint64_t); }

    void move(Slots const& from, std::uint32_t source, Slots& to, std::uint32_t destination) {
      for (std::size_t i = 0; i < page_size; ++i)
        to[destination * page_size + i] = from[source * page_size + i];
    }

    std::size_t page_size;
    Slots pages;
    Slots host_pages;
  };

  void copy_page(Slots const& from, std::uint32_t source, Slots& to, std::uint32_t destination) {
    m_memory->move(from, source, to, destination);
  }
  std::size_t slot(std::span<std::uint32_t const> pages, std::size_t token) const {
    return std::size_t(pages[token / m_page_size]) * m_page_size + token % m_page_size;
  }

  std::size_t m_page_size;
  std::shared_ptr<Memory> m_memory;
};

}  // namespace KokkosKVTest

#endif
