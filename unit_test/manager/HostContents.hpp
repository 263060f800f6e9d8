// What a manager has in host memory, for tests.
#ifndef KOKKOSKV_TEST_HOSTCONTENTS_HPP
#define KOKKOSKV_TEST_HOSTCONTENTS_HPP

#include <gtest/gtest.h>

#include <map>
#include <string>

#include <manager/KokkosKV_PageManager.hpp>

namespace KokkosKVTest {

/// How often each page stands in host memory, by the events.
class HostContents {
 public:
  explicit HostContents(KokkosKV::PageManager& manager) {
    manager.set_event_callback([this](KokkosKV::PageEvent const& event) {
      if (event.place != KokkosKV::PageEvent::Place::host) return;
      auto& count = m_counts[to_text(event.key)];
      count += event.kind == KokkosKV::PageEvent::Kind::stored ? 1 : -1;
      EXPECT_TRUE(count == 0 || count == 1) << to_text(event.key) << " stands there " << count;
    });
  }
  bool has(KokkosKV::PageKey key) const {
    auto const found = m_counts.find(to_text(key));
    return found != m_counts.end() && found->second == 1;
  }

 private:
  std::map<std::string, int> m_counts;
};

}  // namespace KokkosKVTest

#endif
