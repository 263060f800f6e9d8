// What is compiled for --store.
#pragma once

#include <cstdint>

namespace trace_replay {

/// Token ids of a page, a compile-time constant of the cache: each costs build time.
inline constexpr std::uint32_t stored_page_sizes[] = {2, 16, 64, 512};

}  // namespace trace_replay
