// Lookup tables, lengths and offsets written as literals, brought to the memory of the tested
// space.
#ifndef KOKKOSKV_TEST_TESTBATCH_HPP
#define KOKKOSKV_TEST_TESTBATCH_HPP

#include <KokkosKV.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <reference/Arrays.hpp>

namespace KokkosKVTest {

using Numbers = std::vector<std::uint32_t>;

template <class MemorySpace>
auto to_view(Numbers const& numbers) {
  return to_device<MemorySpace>(numbers);
}

/// The same numbers at every other element, for the refusal of strides.
template <class MemorySpace>
auto to_strided_view(Numbers const& numbers) {
  Numbers spread(2 * numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) spread[2 * i] = numbers[i];
  auto const all = to_view<MemorySpace>(spread);
  return Kokkos::View<std::uint32_t*, Kokkos::LayoutStride, MemorySpace>(
      all.data(), Kokkos::LayoutStride(numbers.size(), 2));
}

/// Rows of equal width; `batch` rows of width zero where there are no rows.
template <class MemorySpace>
auto to_table(std::vector<Numbers> const& rows) {
  std::size_t const width = rows.empty() ? 0 : rows.front().size();
  Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, MemorySpace> table("table", rows.size(),
                                                                        width);
  auto const host = Kokkos::create_mirror_view(table);
  for (std::size_t b = 0; b < rows.size(); ++b) {
    for (std::size_t p = 0; p < width; ++p) host(b, p) = rows[b][p];
  }
  Kokkos::deep_copy(table, host);
  return table;
}

/// One batch, with maxima that stand in no test's way unless it sets them.
struct TestBatch {
  Numbers cache_lengths;
  std::vector<Numbers> table;
  std::uint32_t max_prompt_length = 0xFFFFFFFFu;
  std::uint32_t max_cache_length  = 0xFFFFFFFFu;

  /// Collection over blocks with static page size, heads and head size.
  template <class Blocks, class... Options>
  auto collection(Blocks const& blocks, Options const&... options) const {
    using memory_space = typename Blocks::memory_space;
    return KokkosKV::generic_get_paged_cache(blocks, to_view<memory_space>(cache_lengths),
                                             to_table<memory_space>(table), max_prompt_length,
                                             max_cache_length, options...);
  }
};

/// Elements of a View in row-major order.
template <class ViewType>
auto to_vector(ViewType const& view) {
  using value_type = typename ViewType::non_const_value_type;
  return to_host(
      Kokkos::View<value_type*, typename ViewType::memory_space>(view.data(), view.size()));
}

}  // namespace KokkosKVTest

#endif
