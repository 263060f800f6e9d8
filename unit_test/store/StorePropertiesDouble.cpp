// Property tests of double caches.
#include <StoreProperties.hpp>

namespace KokkosKVTest {

// Page size, heads, head size; vectors of 2 elements and of 1.
using DoubleShapes =
    std::tuple<StaticShape<1, 8, 100>, StaticShape<2, 2, 64>, StaticShape<3, 3, 7>,
               StaticShape<5, 1, 576>, StaticShape<16, 2, 128>, StaticShape<64, 1, 1>,
               StaticShape<256, 1, 20>, StaticShape<257, 2, 3>, StaticShape<16, 1, 80>>;
using DoubleCases = EachSpace<double, double, DoubleShapes, 45>;
INSTANTIATE_TYPED_TEST_SUITE_P(Double, StoreProperties, DoubleCases, SpaceName);

}  // namespace KokkosKVTest
