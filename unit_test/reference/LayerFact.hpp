// A known pool: 4 pages, 2 layers, page size 2, one head of 4; one sequence whose first two pages
// are 2 and 0. The tests write layer 1, and this tells where in the pool every element must turn
// up.
#ifndef KOKKOSKV_TEST_LAYERFACT_HPP
#define KOKKOSKV_TEST_LAYERFACT_HPP

#include <gtest/gtest.h>

#include <KokkosKV.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <reference/Arrays.hpp>
#include <reference/Random.hpp>

namespace KokkosKVTest {

/// Element `dim` of token `token`; keys and values differ.
KOKKOS_INLINE_FUNCTION float fact_element(int kv, std::size_t token, int dim) {
  return static_cast<float>(1000 * (kv + 1) + 10 * static_cast<int>(token) + dim);
}

template <class MemorySpace>
class LayerFact {
 public:
  static constexpr std::size_t num_pages    = 4;
  static constexpr std::size_t layer        = 1;
  static constexpr std::size_t page_size    = 2;
  static constexpr std::size_t head_size    = 4;
  static constexpr std::size_t scale_groups = 2;
  static constexpr std::size_t max_tokens   = 4;

  LayerFact(std::size_t kv_dim, std::size_t padding)
      : m_kv_dim(kv_dim),
        m_pitch(kv_dim * 16 + padding),
        m_scale_pitch(kv_dim * 8 + padding),
        m_elements(canary(num_pages * m_pitch)),
        m_scales(canary(num_pages * m_scale_pitch)),
        m_element_array(to_device<MemorySpace>(m_elements)),
        m_scale_array(to_device<MemorySpace>(m_scales)),
        m_cache_lengths(to_device<MemorySpace>(std::vector<std::uint32_t>{1})),
        m_table(to_device<MemorySpace>(std::vector<std::uint32_t>{2, 0})),
        m_scales_table(to_device<MemorySpace>(std::vector<std::uint32_t>{3, 2})) {}

  std::size_t kv_dim() const { return m_kv_dim; }

  /// Calls `use(fact, collection)` with every combination of MLA or not, packed or padded pages, no
  /// scales, scales found through the lookup table, scales with a table of their own.
  template <class Function>
  static void for_each_combination(Function const& use) {
    for (std::size_t const kv_dim : {1, 2}) {
      for (std::size_t const padding : {0, 8}) {
        auto const trace =
            "kv_dim " + std::to_string(kv_dim) + ", padding " + std::to_string(padding);
        {
          SCOPED_TRACE(trace + ", no scales");
          LayerFact fact(kv_dim, padding);
          use(fact, fact.collection());
        }
        {
          SCOPED_TRACE(trace + ", scales in the same table");
          LayerFact fact(kv_dim, padding);
          use(fact, fact.collection(KokkosKV::CacheScales{fact.scales()}));
        }
        {
          SCOPED_TRACE(trace + ", scales with their own table");
          LayerFact fact(kv_dim, padding);
          fact.m_scale_pages[0] = 3;
          fact.m_scale_pages[1] = 2;
          use(fact,
              fact.collection(KokkosKV::CacheScales{fact.scales(), table(fact.m_scales_table)}));
        }
      }
    }
  }

  /// Notes that a token of the keys (0) or values (1) was written.
  void expect_token(int kv, std::size_t token) {
    std::size_t const page = token < 2 ? 2 : 0;
    for (std::size_t dim = 0; dim < head_size; ++dim) {
      auto const at =
          page * m_pitch + static_cast<std::size_t>(kv) * 16 + layer * 8 + token % 2 * 4 + dim;
      m_elements[at] = fact_element(kv, token, static_cast<int>(dim));
    }
  }

  /// Notes that the scale of a token's elements [dim, dim + 2) was written.
  void expect_scale(int kv, std::size_t token, std::size_t dim, float scale) {
    auto const at = m_scale_pages[token / 2] * m_scale_pitch + static_cast<std::size_t>(kv) * 8 +
                    layer * 4 + token % 2 * 2 + dim / 2;
    m_scales[at] = scale;
  }

  /// Compares pool and scales, padding included, with what was noted.
  void check() const {
    auto const flat = [](std::size_t index) { return "flat element " + std::to_string(index); };
    EXPECT_TRUE(same_bits(to_host(m_element_array), m_elements, flat)) << "elements";
    EXPECT_TRUE(same_bits(to_host(m_scale_array), m_scales, flat)) << "scales";
  }

 private:
  using numbers_type = Kokkos::View<std::uint32_t*, MemorySpace>;

  static std::vector<float> canary(std::size_t size) {
    Random random(118);
    return random_bits<float>(size, random);
  }

  static auto table(numbers_type const& entries) {
    return Kokkos::View<std::uint32_t const**, Kokkos::LayoutRight, MemorySpace>(entries.data(), 1,
                                                                                 2);
  }

  auto scales() const {
    return Kokkos::View<float******, Kokkos::LayoutStride, MemorySpace>(
        m_scale_array.data(), Kokkos::LayoutStride(num_pages, m_scale_pitch, m_kv_dim, 8, 2, 4,
                                                   page_size, 2, 1, 2, scale_groups, 1));
  }

  template <class... Options>
  auto collection(Options const&... options) const {
    auto const blocks = KokkosKV::padded_blocks<float, page_size, 1, head_size, MemorySpace>(
        m_element_array.data(), num_pages, m_kv_dim, 2, m_pitch);
    return KokkosKV::generic_get_paged_cache(blocks, m_cache_lengths, table(m_table), 3, 4,
                                             options...);
  }

  std::size_t m_kv_dim;
  std::size_t m_pitch;
  std::size_t m_scale_pitch;
  std::size_t m_scale_pages[2] = {2, 0};
  std::vector<float> m_elements;
  std::vector<float> m_scales;
  Kokkos::View<float*, MemorySpace> m_element_array;
  Kokkos::View<float*, MemorySpace> m_scale_array;
  numbers_type m_cache_lengths;
  numbers_type m_table;
  numbers_type m_scales_table;
};

}  // namespace KokkosKVTest

#endif
