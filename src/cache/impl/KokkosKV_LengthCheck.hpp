// Content check of a new collection: cache lengths against the announced maximum and the table's
// width.
#ifndef KOKKOSKV_IMPL_LENGTHCHECK_HPP
#define KOKKOSKV_IMPL_LENGTHCHECK_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include <cache/KokkosKV_Errors.hpp>
#include <cache/impl/KokkosKV_Check.hpp>

namespace KokkosKV::Impl {

inline constexpr std::size_t no_fault = std::numeric_limits<std::size_t>::max();

/// Finds the first sequence whose cache length exceeds either limit.
struct LengthCheck {
  std::uint32_t const* cache_lengths;
  std::uint32_t max_cache_length;
  std::size_t capacity;

  KOKKOS_FUNCTION void operator()(std::size_t batch, std::size_t& first) const {
    bool const fits = cache_lengths[batch] <= max_cache_length && cache_lengths[batch] <= capacity;
    if (!fits && batch < first) first = batch;
  }
};

/// One element of a device View, waiting for `exec`.
template <class ExecSpace, class ViewType, class... Indices>
auto fetch(ExecSpace const& exec, ViewType const& view, Indices... indices) {
  typename ViewType::non_const_value_type value;
  Kokkos::deep_copy(exec, value, Kokkos::subview(view, indices...));
  exec.fence("KokkosKV::fetch");
  return value;
}

template <class ExecSpace, class Lengths>
void check_cache_lengths(char const* function, ExecSpace const& exec, Lengths const& lengths,
                         std::uint32_t max_cache_length, std::size_t max_pages,
                         std::size_t page_size) {
  std::size_t first = no_fault;
  Kokkos::parallel_reduce(
      "KokkosKV::generic_get_paged_cache::check",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::size_t>>(exec, 0, lengths.extent(0)),
      LengthCheck{lengths.data(), max_cache_length, max_pages * page_size},
      Kokkos::Min<std::size_t>(first));
  if (first == no_fault) return;
  std::uint32_t const length = fetch(exec, lengths, first);
  if (length > max_cache_length) {
    throw RaggedError(function, indexed("cache_lengths", first), std::to_string(length),
                      "at most max_cache_length = " + std::to_string(max_cache_length));
  }
  auto const needed = (length + page_size - 1) / page_size;
  throw LookupTableError(function, "lookup_table.extent(1)", std::to_string(max_pages),
                         "at least " + std::to_string(needed) + " pages for sequence " +
                             std::to_string(first) + " of " + std::to_string(length) + " tokens");
}

}  // namespace KokkosKV::Impl

#endif
