// Calls for which memory fails leave nothing behind.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>

#include <manager/KokkosKV_PageManager.hpp>

#include "FailingMemory.hpp"
#include "TieredManager.hpp"

namespace KokkosKVTest {

using namespace KokkosKV;

TEST(OutOfMemory, SequencesThatCannotBeginUseNoDomain) {
  auto const tokens = counting(5);
  PrefixDomain const domain{.tenant = std::string(100, 't')};
  std::size_t num_failures = 0;
  for (bool is_made = false; !is_made;) {
    PageManager manager({.num_pages = 4, .page_size = 2, .reuse_partial_pages = true});
    try {
      FailingMemory const failing(num_failures);
      manager.create(tokens, domain);
      is_made = true;
    } catch (std::bad_alloc const&) {
      ++num_failures;
    }
    manager.free(manager.create({}));  // posts the statistics
    EXPECT_EQ(manager.num_sequences(), is_made ? 1u : 0u);
    EXPECT_EQ(manager.read_statistics().domains, is_made ? 1u : 0u) << num_failures;
  }
  EXPECT_GE(num_failures, 3u);
}

}  // namespace KokkosKVTest
