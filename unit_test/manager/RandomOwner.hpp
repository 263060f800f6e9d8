// Random operations on a tree of pages, which reports them to a policy.
#ifndef KOKKOSKV_TEST_RANDOMOWNER_HPP
#define KOKKOSKV_TEST_RANDOMOWNER_HPP

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include <reference/Random.hpp>

#include "PageTree.hpp"

namespace KokkosKVTest {

/// Does anything that the owner of a cache may do.
class RandomOwner {
 public:
  RandomOwner(EvictionPolicy& policy, std::uint32_t num_pages, std::uint64_t seed)
      : m_tree(policy, num_pages), m_random(seed) {}

  void run(int operations) {
    for (int i = 0; i < operations && !testing::Test::HasFailure(); ++i) step();
  }
  std::size_t evictions() const { return m_evictions; }

 private:
  void step() {
    auto const any  = static_cast<std::uint32_t>(m_random.below(m_tree.size()));
    auto const what = m_random.below(100);
    if (what < 40) {
      write(m_tree[any].is_cached && m_random.chance(80) ? any : no_page);
    } else if (what < 60 && m_tree[any].is_cached) {
      m_tree.retain(any);
      if (m_random.chance(80)) m_tree.touch(any);
    } else if (what < 95 && m_tree[any].references > 0) {
      m_tree.release(any);
    } else if (what < 97) {
      if (m_tree.evict() != no_page) ++m_evictions;
    } else if (m_tree[any].is_cached && m_random.chance(50)) {
      m_tree.remove(any);
    }
  }
  /// The parent may go to make room for its child, unless it is referenced: as for any owner.
  void write(std::uint32_t parent) {
    if (parent != no_page) m_tree.retain(parent);
    if (m_tree.is_full() && m_tree.evict() != no_page) ++m_evictions;
    bool const has_room = !m_tree.is_full();
    bool const is_late  = m_random.chance(50);
    if (parent != no_page && is_late) m_tree.release(parent);
    // Few hashes: most were seen before.
    if (has_room) m_tree.write(m_random.below(4 * m_tree.size()), parent);
    if (parent != no_page && !is_late) m_tree.release(parent);
  }

  PageTree m_tree;
  Random m_random;
  std::size_t m_evictions = 0;
};

/// Small pools change quickly, larger ones have deep trees.
inline void run_random_operations(EvictionPolicy& policy) {
  for (std::uint32_t const num_pages : {1, 2, 7, 40, 150}) {
    RandomOwner owner(policy, num_pages, num_pages);
    owner.run(20000);
    EXPECT_GT(owner.evictions(), 1000u);
  }
}

}  // namespace KokkosKVTest

#endif
