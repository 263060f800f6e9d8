// What the file tier knows of its pages, and which of them goes first.
#ifndef KOKKOSKV_PAGEFILEINDEX_HPP
#define KOKKOSKV_PAGEFILEINDEX_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <manager/KokkosKV_PageKey.hpp>
#include <manager/impl/KokkosKV_PageFileFormat.hpp>

namespace KokkosKV::Impl {

/// Pages without children are kept apart from the others: a page whose parent is gone cannot be
/// reached by the one who looks for it from the beginning of a text.
class PageFileIndex {
 public:
  std::size_t size() const { return m_entries.size(); }
  bool contains(PageKey const& key) const { return m_entries.contains(key); }

  /// Adds a page that is not there yet, as the one used last.
  void insert(PageFileHead head) {
    auto const key    = head.key;
    auto const parent = head.parent;
    auto const used   = ++m_clock;
    m_entries.emplace(key, Entry{std::move(head), used});
    try {
      queue_of(key).insert({used, key});
      count_child(parent);
    } catch (...) {
      queue_of(key).erase({used, key});
      m_entries.erase(key);
      throw;
    }
  }

  /// Forgets a page; nothing happens if it is not there.
  void erase(PageKey const& key) {
    auto const found = m_entries.find(key);
    if (found == m_entries.end()) return;
    auto const parent = found->second.head.parent;
    queue_of(key).erase({found->second.used, key});
    m_entries.erase(found);
    discount_child(parent);
  }

  /// Makes a page that is there the one used last.
  void touch(PageKey const& key) {
    auto& entry = m_entries.at(key);
    auto& queue = queue_of(key);
    // The node moves: nothing is allocated that could fail.
    auto node    = queue.extract({entry.used, key});
    entry.used   = ++m_clock;
    node.value() = {entry.used, key};
    queue.insert(std::move(node));
  }

  /// The page to remove for page `newest`, which is in already: of the pages without children the
  /// one unused for longest. None if all other pages are ancestors of `newest`, which would be of
  /// no use without them.
  std::optional<PageKey> victim(PageKey const& newest) const {
    auto const first = oldest();
    if (first != newest) return first;
    auto const parent = m_entries.at(newest).head.parent;
    if (m_entries.contains(parent) || m_inner.empty()) return std::nullopt;
    return m_inner.begin()->second;
  }

  /// The page to remove when there are too many. There must be one.
  PageKey oldest() const {
    // Without a leaf all pages are their own ancestors, which only forged keys can bring about.
    return (m_leaves.empty() ? m_inner : m_leaves).begin()->second;
  }

  /// Pages such that parents come before their children, those used first before the others.
  std::vector<PageFileHead const*> in_order() const {
    Queue all = m_leaves;
    all.insert(m_inner.begin(), m_inner.end());
    std::vector<PageFileHead const*> order, lineage;
    std::unordered_set<PageKey> seen;
    for (auto const& [used, key] : all) {
      auto next = m_entries.find(key);
      while (next != m_entries.end() && seen.insert(next->first).second) {
        lineage.push_back(&next->second.head);
        next = m_entries.find(next->second.head.parent);
      }
      order.insert(order.end(), lineage.rbegin(), lineage.rend());
      lineage.clear();
    }
    return order;
  }

 private:
  struct Entry {
    PageFileHead head;
    std::uint64_t used = 0;
  };
  /// The page unused for longest first.
  using Queue = std::set<std::pair<std::uint64_t, PageKey>>;

  Queue& queue_of(PageKey const& key) { return m_children.contains(key) ? m_inner : m_leaves; }

  void count_child(PageKey const& parent) {
    auto const [count, is_first] = m_children.try_emplace(parent, 0);
    ++count->second;
    if (is_first) move_between(m_leaves, m_inner, parent);
  }

  void discount_child(PageKey const& parent) {
    auto const count = m_children.find(parent);
    if (--count->second != 0) return;
    m_children.erase(count);
    move_between(m_inner, m_leaves, parent);
  }

  void move_between(Queue& from, Queue& to, PageKey const& key) {
    auto const found = m_entries.find(key);
    if (found != m_entries.end()) to.insert(from.extract({found->second.used, key}));
  }

  std::unordered_map<PageKey, Entry> m_entries;
  /// Children that are here, also of parents that are not.
  std::unordered_map<PageKey, std::size_t> m_children;
  Queue m_leaves;
  Queue m_inner;
  std::uint64_t m_clock = 0;
};

}  // namespace KokkosKV::Impl

#endif
