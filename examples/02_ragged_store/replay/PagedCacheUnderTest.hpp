// A CacheUnderTest over the library: here lie the calls that a user of the library would write.
#pragma once

#include <KokkosKV.hpp>
#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "common/FindWrongHead.hpp"
#include "replay/CacheUnderTest.hpp"
#include "replay/Values.hpp"

namespace ragged_store {

template <class T, KokkosKV::KVCacheStaticParams Params, int PageSize>
class PagedCacheUnderTest final : public CacheUnderTest {
 public:
  PagedCacheUnderTest(std::size_t num_layers, std::uint32_t num_pages, std::size_t input_elements)
      : m_blocks("ragged_store::blocks", num_pages, kv_dim, num_layers),
        m_input(Kokkos::view_alloc("ragged_store::input", Kokkos::WithoutInitializing),
                input_elements) {}

  void begin_step(BatchTables const& tables) override {
    m_cache = KokkosKV::generic_get_paged_cache<Params, PageSize>(
        m_blocks, tables.lengths(), tables.table(), tables.max_prompt(), tables.max_cache_length());
    m_offsets = tables.offsets();
    m_origins = tables.origins();
    m_rows    = tables.num_rows();
  }

  void fill(std::size_t first_layer, std::size_t count) override {
    FillInputs<T, memory_space>{m_input, m_origins, m_rows,
                                static_cast<std::uint32_t>(cache_type::token_size),
                                static_cast<std::uint32_t>(first_layer * kv_dim)}
        .run(static_cast<std::uint32_t>(count * kv_dim));
  }

  void store(std::size_t first_layer, std::size_t count) override {
    for (std::size_t i = 0; i < count; ++i) {
      // Table and lengths are the same in all layers: checked for the first one, trusted for the
      // rest.
      if (first_layer + i == 0) {
        store_layer(0, i);
      } else {
        store_layer(first_layer + i, i, KokkosKV::unchecked);
      }
    }
  }

  void const* input() const override { return m_input.data(); }

  std::size_t find_wrong(std::uint32_t slot, std::uint32_t request,
                         std::uint32_t tokens) const override {
    // A cache is a handle that kernels may copy, so an array of them serves all planes at once.
    Kokkos::View<cache_type*, memory_space> const planes("ragged_store::planes",
                                                         kv_dim * m_cache->num_layers());
    auto const host_planes = Kokkos::create_mirror_view(planes);
    for (std::size_t plane = 0; plane < planes.extent(0); ++plane) {
      host_planes(plane) = plane_cache(plane);
    }
    Kokkos::deep_copy(planes, host_planes);
    return example::FindWrongHead<cache_type, RequestSeeds>{planes, slot, {request}, tokens}.run();
  }

 private:
  using collection_type = KokkosKV::PagedKVCacheCollection<T, Params, PageSize, memory_space>;
  using cache_type      = typename collection_type::cache_type;
  using blocks_type     = Kokkos::View<T*** [PageSize][Params.num_heads][Params.head_size],
                                       Kokkos::LayoutRight, memory_space>;
  /// Keys or values of a step in one layer.
  using rows_type =
      Kokkos::View<T const * [Params.num_heads][Params.head_size], Kokkos::LayoutRight,
                   memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  static constexpr std::size_t kv_dim = Params.is_mla ? 1 : 2;

  template <class... Check>
  void store_layer(std::size_t layer, std::size_t input_layer, Check... check) {
    Kokkos::DefaultExecutionSpace const exec;
    auto const plane_elements = m_rows * cache_type::token_size;
    T const* const input      = m_input.data() + input_layer * kv_dim * plane_elements;
    rows_type const keys(input, m_rows);
    if constexpr (Params.is_mla) {
      KokkosKV::kv_cache_store_ragged(exec, m_cache->get_key_cache(layer), m_offsets, keys,
                                      check...);
    } else {
      rows_type const values(input + plane_elements, m_rows);
      KokkosKV::kv_cache_store_ragged_key_value(exec, m_cache->get_key_cache(layer),
                                                m_cache->get_value_cache(layer), m_offsets, keys,
                                                values, check...);
    }
  }

  cache_type plane_cache(std::size_t plane) const {
    auto const layer = plane / kv_dim;
    if constexpr (!Params.is_mla) {
      if (plane % kv_dim == 1) return m_cache->get_value_cache(layer);
    }
    return m_cache->get_key_cache(layer);
  }

  blocks_type m_blocks;
  Kokkos::View<T*, memory_space> m_input;
  std::optional<collection_type> m_cache;
  Kokkos::View<std::uint32_t const*, memory_space> m_offsets;
  Kokkos::View<RowOrigin const*, memory_space> m_origins;
  std::uint32_t m_rows = 0;
};

}  // namespace ragged_store
