// Random batches over caches of float.
#include "AttentionProperties.hpp"

namespace KokkosKVTest {

template <class ExecSpace>
class AttentionPropertiesFloat : public testing::Test {};
TYPED_TEST_SUITE(AttentionPropertiesFloat, DefaultSpaces, ExecutionSpaceName);

TYPED_TEST(AttentionPropertiesFloat, RandomBatches) {
  check_shapes<TypeParam, KokkosKV::Impl::native_form<TypeParam>, float>(num_cases);
}

}  // namespace KokkosKVTest
