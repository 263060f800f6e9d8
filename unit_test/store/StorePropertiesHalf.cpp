// Property tests of half caches.
#include <StoreProperties.hpp>

namespace KokkosKVTest {

// Page size, heads, head size; vectors of 8, 4 and 1 elements.
using HalfShapes =
    std::tuple<StaticShape<1, 8, 100>, StaticShape<2, 2, 64>, StaticShape<3, 3, 7>,
               StaticShape<5, 1, 576>, StaticShape<16, 2, 128>, StaticShape<64, 1, 1>,
               StaticShape<256, 1, 20>, StaticShape<257, 2, 3>, StaticShape<64, 1, 80>>;
using HalfCases = EachSpace<KokkosKV::half, KokkosKV::half, HalfShapes, 45>;
INSTANTIATE_TYPED_TEST_SUITE_P(Half, StoreProperties, HalfCases, SpaceName);

}  // namespace KokkosKVTest
