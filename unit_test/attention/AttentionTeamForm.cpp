// The form of devices over the same random batches, also on hosts.
#include "AttentionProperties.hpp"

namespace KokkosKVTest {

template <class ExecSpace>
class AttentionTeamForm : public testing::Test {};
TYPED_TEST_SUITE(AttentionTeamForm, DefaultSpaces, ExecutionSpaceName);

using KokkosKV::Impl::TeamForm;

TYPED_TEST(AttentionTeamForm, RandomBatches) {
  check_attention<TypeParam, TeamForm, float, KeyShape<1, 1, 1>, float, float, false>(
      1, num_cases / 2);
  check_attention<TypeParam, TeamForm, KokkosKV::bf16, KeyShape<5, 3, 7>, float, float, true>(2,
                                                                                              300);
  check_attention<TypeParam, TeamForm, KokkosKV::half, KeyShape<16, 2, 64>, float, KokkosKV::half,
                  false>(3, num_cases / 2);
  check_attention<TypeParam, TeamForm, float, KeyShape<4, 1, 576, 576, true>, float, float, false>(
      4, 40);
}

}  // namespace KokkosKVTest
