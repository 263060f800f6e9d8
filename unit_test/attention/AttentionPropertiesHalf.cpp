// Random batches over caches of half.
#include "AttentionProperties.hpp"

namespace KokkosKVTest {

template <class ExecSpace>
class AttentionPropertiesHalf : public testing::Test {};
TYPED_TEST_SUITE(AttentionPropertiesHalf, DefaultSpaces, ExecutionSpaceName);

TYPED_TEST(AttentionPropertiesHalf, RandomBatches) {
  check_shapes<TypeParam, KokkosKV::Impl::native_form<TypeParam>, KokkosKV::half>(num_cases);
}

}  // namespace KokkosKVTest
