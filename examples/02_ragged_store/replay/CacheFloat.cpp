// The caches with elements of type float.
#include "replay/MakeCache.hpp"

template std::unique_ptr<ragged_store::CacheUnderTest> ragged_store::make_cache<float>(
    CacheGeometry const&, std::uint32_t, std::size_t);
