// Random batches over caches of bf16.
#include "AttentionProperties.hpp"

namespace KokkosKVTest {

template <class ExecSpace>
class AttentionPropertiesBf16 : public testing::Test {};
TYPED_TEST_SUITE(AttentionPropertiesBf16, DefaultSpaces, ExecutionSpaceName);

TYPED_TEST(AttentionPropertiesBf16, RandomBatches) {
  check_shapes<TypeParam, KokkosKV::Impl::native_form<TypeParam>, KokkosKV::bf16>(num_cases);
}

}  // namespace KokkosKVTest
