// Property tests of caches that are narrower than their inputs and outputs.
#include <StoreProperties.hpp>

namespace KokkosKVTest {

// Page size, heads, head size.
using ConversionShapes = std::tuple<StaticShape<3, 3, 7>, StaticShape<16, 2, 64>>;

using FloatInBf16Cases = EachSpace<KokkosKV::bf16, float, ConversionShapes, 30>;
INSTANTIATE_TYPED_TEST_SUITE_P(FloatInBf16, StoreProperties, FloatInBf16Cases, SpaceName);

using FloatInHalfCases = EachSpace<KokkosKV::half, float, ConversionShapes, 30>;
INSTANTIATE_TYPED_TEST_SUITE_P(FloatInHalf, StoreProperties, FloatInHalfCases, SpaceName);

using DoubleInHalfCases = EachSpace<KokkosKV::half, double, ConversionShapes, 30>;
INSTANTIATE_TYPED_TEST_SUITE_P(DoubleInHalf, StoreProperties, DoubleInHalfCases, SpaceName);

using DoubleInFloatCases = EachSpace<float, double, ConversionShapes, 30>;
INSTANTIATE_TYPED_TEST_SUITE_P(DoubleInFloat, StoreProperties, DoubleInFloatCases, SpaceName);

}  // namespace KokkosKVTest
