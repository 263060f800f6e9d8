// Eviction policies under random operations on a tree of pages: invariants, and the answers of
// plain references.
#include <gtest/gtest.h>

#include <manager/KokkosKV_EvictionPolicies.hpp>

#include "PlainPolicies.hpp"
#include "RandomOwner.hpp"

namespace KokkosKVTest {

using KokkosKV::EvictionKind;
using KokkosKV::make_eviction_policy;

TEST(RandomOperations, LruDoesWhatItsDefinitionSays) {
  auto const policy = make_eviction_policy(EvictionKind::lru);
  auto plain        = plain_lru();
  BothPolicies both(*policy, plain);
  run_random_operations(both);
}

TEST(RandomOperations, LfuDoesWhatItsDefinitionSays) {
  auto const policy = make_eviction_policy(EvictionKind::lfu);
  auto plain        = plain_lfu();
  BothPolicies both(*policy, plain);
  run_random_operations(both);
}

TEST(RandomOperations, ReuseRateEvictsWhatMayGo) {
  auto const policy = make_eviction_policy(EvictionKind::reuse_rate);
  run_random_operations(*policy);
}

}  // namespace KokkosKVTest
