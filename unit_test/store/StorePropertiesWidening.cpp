// Property tests of caches that are wider than their inputs and outputs, and 16-bit types in one
// another.
#include <StoreProperties.hpp>

namespace KokkosKVTest {

// Page size, heads, head size.
using ConversionShapes = std::tuple<StaticShape<3, 3, 7>, StaticShape<16, 2, 64>>;

using FloatInDoubleCases = EachSpace<double, float, ConversionShapes, 30>;
INSTANTIATE_TYPED_TEST_SUITE_P(FloatInDouble, StoreProperties, FloatInDoubleCases, SpaceName);

using HalfInFloatCases = EachSpace<float, KokkosKV::half, ConversionShapes, 30>;
INSTANTIATE_TYPED_TEST_SUITE_P(HalfInFloat, StoreProperties, HalfInFloatCases, SpaceName);

using HalfInBf16Cases = EachSpace<KokkosKV::bf16, KokkosKV::half, ConversionShapes, 30>;
INSTANTIATE_TYPED_TEST_SUITE_P(HalfInBf16, StoreProperties, HalfInBf16Cases, SpaceName);

using Bf16InHalfCases = EachSpace<KokkosKV::half, KokkosKV::bf16, ConversionShapes, 30>;
INSTANTIATE_TYPED_TEST_SUITE_P(Bf16InHalf, StoreProperties, Bf16InHalfCases, SpaceName);

}  // namespace KokkosKVTest
