// LruPolicy: the leaf that was released longest ago gives way.
#ifndef KOKKOSKV_IMPL_LRUPOLICY_HPP
#define KOKKOSKV_IMPL_LRUPOLICY_HPP

#include <cstddef>
#include <cstdint>

#include <manager/KokkosKV_EvictionPolicy.hpp>
#include <manager/impl/KokkosKV_ReleaseLists.hpp>

namespace KokkosKV::Impl {

/// Least recently used: one list in the order of release. 16 bytes a page; O(1) a call, amortised.
class LruPolicy final : public EvictionPolicy {
 public:
  void reset(std::uint32_t num_pages) override { m_released.reset(num_pages, 1); }
  void insert(std::uint32_t /*page*/, std::uint64_t /*hash*/, std::uint32_t parent) override {
    if (parent != no_page) m_released.cover(parent);
  }
  void touch(std::uint32_t /*page*/) override {}
  void retain(std::uint32_t page, bool /*is_leaf*/) override { m_released.unlink(page); }
  void release(std::uint32_t page, bool is_leaf) override { m_released.release(0, page, is_leaf); }
  void uncover(std::uint32_t page) override { m_released.uncover(0, page); }
  std::uint32_t evict() override { return m_released.take_first(0); }
  void remove(std::uint32_t page, bool /*is_listed*/) override { m_released.unlink(page); }
  void prefetch_page(std::uint32_t page) const override { m_released.prefetch(page); }
  std::uint32_t upcoming() const override { return m_released.upcoming(0); }
  std::size_t memory_bytes() const override { return m_released.memory_bytes(); }

 private:
  ReleaseLists m_released;
};

}  // namespace KokkosKV::Impl

#endif
