// Property tests of int8_t caches.
#include <StoreProperties.hpp>

namespace KokkosKVTest {

// Page size, heads, head size; vectors of 16, 4 and 1 elements.
using Int8Shapes =
    std::tuple<StaticShape<1, 8, 100>, StaticShape<2, 2, 64>, StaticShape<3, 3, 7>,
               StaticShape<5, 1, 576>, StaticShape<16, 2, 128>, StaticShape<64, 1, 1>,
               StaticShape<256, 1, 20>, StaticShape<257, 2, 3>, StaticShape<64, 3, 80>>;
using Int8Cases = EachSpace<std::int8_t, std::int8_t, Int8Shapes, 45>;
INSTANTIATE_TYPED_TEST_SUITE_P(Int8, StoreProperties, Int8Cases, SpaceName);

}  // namespace KokkosKVTest
