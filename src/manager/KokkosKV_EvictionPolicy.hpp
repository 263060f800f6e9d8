// EvictionPolicy: decides which cached page gives way when a new one is needed.
#ifndef KOKKOSKV_EVICTIONPOLICY_HPP
#define KOKKOSKV_EVICTIONPOLICY_HPP

#include <cstddef>
#include <cstdint>

#include <cache/KokkosKV_StaticParams.hpp>

namespace KokkosKV {

/// Chooses the cached page whose contents are given up. Cached pages form trees: a page holds one
/// block of a prompt, and its parent the block before it, which it is useless without. So only
/// leaves may go, and only those that no sequence references: the *evictable* pages.
///
/// The owner of the cache reports what happens and asks evict() for a page; a policy keeps what it
/// needs to know and never sees the contents. Derive from this class for a policy of one's own.
/// Calls come from one thread at a time, and a page is named only between its insert() and the
/// evict() or remove() that ends its stay.
class EvictionPolicy {
 public:
  /// Stands for 'no page'.
  static constexpr std::uint32_t no_page = null_page;

  /// Policies are owned and destroyed through this interface.
  virtual ~EvictionPolicy() = default;

  /// Begins with an empty cache, whatever was before.
  ///
  /// \param num_pages  pages of the pool, below 2^31; they are numbered from 0
  virtual void reset(std::uint32_t num_pages) = 0;

  /// A block was written to a page, which is referenced. Its parent is no leaf from now on.
  ///
  /// \param page    the page, which was not cached
  /// \param hash    names the block together with all blocks before it
  /// \param parent  the cached page of the block before it, referenced or not, or no_page
  virtual void insert(std::uint32_t page, std::uint64_t hash, std::uint32_t parent) = 0;

  /// A request found its block in a cached page. Comes after retain(); the pages of a request are
  /// reported last to first, so that the first block is the one used most recently.
  ///
  /// \param page  the page, which is referenced
  virtual void touch(std::uint32_t page) = 0;

  /// An unreferenced page got its first reference and may not be evicted.
  ///
  /// \param page     the page
  /// \param is_leaf  it has no cached children: it was evictable until now
  virtual void retain(std::uint32_t page, bool is_leaf) = 0;

  /// A page lost its last reference. The pages of a request are released last to first.
  ///
  /// \param page     the page
  /// \param is_leaf  it has no cached children: it is evictable from now on, else once uncovered
  virtual void release(std::uint32_t page, bool is_leaf) = 0;

  /// An unreferenced page lost its last cached child and is evictable from now on.
  ///
  /// \param page  the page
  virtual void uncover(std::uint32_t page) = 0;

  /// Chooses an evictable page and forgets it. The caller then reports a parent that it uncovers.
  ///
  /// \return the page, or no_page where none is evictable
  virtual std::uint32_t evict() = 0;

  /// A page leaves the cache for another reason than eviction, for example because its contents
  /// were dropped; it may be referenced or have children. As after evict(), the caller reports a
  /// parent that is uncovered by it.
  ///
  /// \param page       the page
  /// \param is_listed  it is evictable: unreferenced and a leaf
  virtual void remove(std::uint32_t page, bool is_listed) = 0;

  /// A hint that the block will soon be inserted, unless it is cached: what insert() will need of
  /// memory can be asked for.
  ///
  /// \param hash  names the block
  virtual void prefetch_block([[maybe_unused]] std::uint64_t hash) const {}

  /// A hint that the page will soon be used.
  ///
  /// \param page  any page of the pool, cached or not
  virtual void prefetch_page([[maybe_unused]] std::uint32_t page) const {}

  /// So many pages, about, go before upcoming().
  static constexpr std::size_t upcoming_distance = 4;

  /// A hint which page will likely be evicted soon: what is needed then can be asked for. no_page
  /// where none is known.
  virtual std::uint32_t upcoming() const { return no_page; }

  /// Host memory held for the pages, in bytes; 0 where it is not known.
  virtual std::size_t memory_bytes() const { return 0; }
};

}  // namespace KokkosKV

#endif
