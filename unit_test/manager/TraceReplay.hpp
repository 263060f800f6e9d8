// Replays a trace of requests through a cache with prefix reuse and counts the hits.
#ifndef KOKKOSKV_TEST_TRACEREPLAY_HPP
#define KOKKOSKV_TEST_TRACEREPLAY_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "PageTree.hpp"

namespace KokkosKVTest {

/// The blocks of a request's prompt: hashes that stand for all blocks before them too.
using BlockChain = std::vector<std::uint64_t>;
using BlockTrace = std::vector<BlockChain>;

/// Serves requests one after another, each at one instant.
class TraceReplay {
 public:
  TraceReplay(EvictionPolicy& policy, std::uint32_t num_pages) : m_tree(policy, num_pages) {}

  /// References the leading blocks that are cached, writes the others, and releases all. Returns
  /// the number of the former. Of a request longer than the pool the first blocks alone are cached.
  std::size_t serve(BlockChain const& request) {
    auto const length = std::min<std::size_t>(request.size(), m_tree.size());
    m_chain.clear();
    while (m_chain.size() < length) {
      auto const found = m_pages.find(request[m_chain.size()]);
      if (found == m_pages.end()) break;
      m_tree.retain(found->second);
      m_chain.push_back(found->second);
    }
    auto const hits = m_chain.size();
    for (auto i = hits; i-- > 0;) m_tree.touch(m_chain[i]);
    while (m_chain.size() < length) write(request[m_chain.size()]);
    for (auto i = length; i-- > 0;) m_tree.release(m_chain[i]);
    return hits;
  }

 private:
  void write(std::uint64_t hash) {
    if (m_tree.is_full()) make_room();
    auto const page = m_tree.write(hash, m_chain.empty() ? no_page : m_chain.back());
    m_pages[hash]   = page;
    m_chain.push_back(page);
  }
  void make_room() {
    auto const page = m_tree.evict();
    if (page == no_page) throw std::logic_error("no page may be evicted");
    m_pages.erase(m_tree[page].hash);
  }

  PageTree m_tree;
  std::unordered_map<std::uint64_t, std::uint32_t> m_pages;
  std::vector<std::uint32_t> m_chain;
};

/// Blocks of a trace that a cache of so many pages serves.
inline std::size_t count_hits(EvictionPolicy& policy, BlockTrace const& trace,
                              std::uint32_t num_pages) {
  TraceReplay replay(policy, num_pages);
  std::size_t hits = 0;
  for (auto const& request : trace) hits += replay.serve(request);
  return hits;
}

}  // namespace KokkosKVTest

#endif
