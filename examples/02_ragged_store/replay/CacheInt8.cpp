// The caches with elements of type std::int8_t.
#include "replay/MakeCache.hpp"

template std::unique_ptr<ragged_store::CacheUnderTest> ragged_store::make_cache<std::int8_t>(
    CacheGeometry const&, std::uint32_t, std::size_t);
