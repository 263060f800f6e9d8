// Reads a sequence back through the cache and looks for the first element that is not what was
// stored.
#pragma once

#include <KokkosKV.hpp>
#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

#include "common/Values.hpp"

namespace example {

/// All planes of one sequence, in one launch. A plane is the keys or the values of a layer.
/// \tparam Seeds  `std::uint32_t operator()(std::uint32_t token, std::uint32_t plane) const`: the
///                seed of the row that was stored
template <class Cache, class Seeds>
struct FindWrongHead {
  using value_type      = typename Cache::value_type;
  using execution_space = typename Cache::memory_space::execution_space;

  static constexpr int width = KokkosKV::vector_width<value_type>(Cache::head_size);
  static constexpr int group = KokkosKV::vector_width<value_type, 64>(Cache::head_size);

  Kokkos::View<Cache const*, typename Cache::memory_space> planes;
  std::uint32_t slot;  ///< the sequence's row of the lookup table
  Seeds seeds;
  std::uint32_t tokens;

  /// \param index  (plane × tokens + token) × heads + head
  KOKKOS_FUNCTION void operator()(std::size_t index, std::size_t& first_wrong) const {
    auto const plane         = static_cast<std::uint32_t>(index / Cache::num_heads / tokens);
    auto const token         = index / Cache::num_heads % tokens;
    auto const head          = static_cast<int>(index % Cache::num_heads);
    auto const seed          = seeds(static_cast<std::uint32_t>(token), plane);
    Cache const cache        = planes(plane);
    std::uint32_t difference = 0;
    for (int dim = 0; dim < Cache::head_size; dim += group) {
      // Loaded first and compared then, without a branch per element: the compiler can compare
      // whole vectors.
      bits_of<value_type> found[group];
      for (int part = 0; part < group; part += width) {
        auto const vector = cache.template load<width>(slot, head, token, dim + part);
        for (int i = 0; i < width; ++i) {
          found[part + i] = Kokkos::bit_cast<bits_of<value_type>>(vector[i]);
        }
      }
      auto const element = static_cast<std::uint32_t>(head * Cache::head_size + dim);
      for (int i = 0; i < group; ++i) {
        auto const expected = value_bits<value_type>(seed, element + static_cast<std::uint32_t>(i));
        difference |= std::uint32_t(found[i]) ^ std::uint32_t(expected);
      }
    }
    if (difference != 0 && index < first_wrong) first_wrong = index;
  }

  /// First index of a head with a wrong element; num_heads() when all are right.
  std::size_t run() const {
    std::size_t first_wrong = 0;
    Kokkos::parallel_reduce(
        "example::FindWrongHead",
        Kokkos::RangePolicy<execution_space, Kokkos::IndexType<std::size_t>>(0, num_heads()), *this,
        Kokkos::Min<std::size_t>(first_wrong));
    return first_wrong < num_heads() ? first_wrong : num_heads();
  }

  std::size_t num_heads() const { return planes.extent(0) * tokens * Cache::num_heads; }
};

}  // namespace example
