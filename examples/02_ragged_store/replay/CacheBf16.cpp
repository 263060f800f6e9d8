// The caches with elements of type KokkosKV::bf16.
#include "replay/MakeCache.hpp"

template std::unique_ptr<ragged_store::CacheUnderTest> ragged_store::make_cache<KokkosKV::bf16>(
    CacheGeometry const&, std::uint32_t, std::size_t);
