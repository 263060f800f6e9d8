// Gathering rows by their numbers: check, then one launch.
#ifndef KOKKOSKV_IMPL_ROWGATHER_HPP
#define KOKKOSKV_IMPL_ROWGATHER_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include <cache/KokkosKV_Errors.hpp>
#include <cache/KokkosKV_Unchecked.hpp>
#include <cache/impl/KokkosKV_Check.hpp>
#include <cache/impl/KokkosKV_LengthCheck.hpp>
#include <kokkos_ext/KokkosKV_HostExecution.hpp>
#include <kokkos_ext/impl/KokkosKV_StreamCopy.hpp>
#include <projection/impl/KokkosKV_HeadRows.hpp>
#include <projection/impl/KokkosKV_PlainRows.hpp>
#include <store/impl/KokkosKV_RowKernels.hpp>

namespace KokkosKV::Impl {

/// Copies one row, each lane `Width` elements at a time; zeros where the source has no such row.
template <class From, class To, int Width, bool Aligned>
struct GatherRow {
  From source;
  To output;
  std::uint32_t const* indices;
  std::size_t num_source_rows;
  int dim;

  static constexpr int num_vectors = run_time_lanes;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member, RowLocation const& at) const {
    using source_type = typename From::value_type;
    using output_type = typename To::value_type;

    std::size_t const index = indices[at.row];
    bool const exists       = index < num_source_rows;
    RowLocation const origin{0, index, index, index};
    auto const& from     = source;
    auto const& to       = output;
    auto const copy_part = [&](int part) {
      SimdVector<source_type, Width> elements{};
      if (exists) elements = from.template load<Width, Aligned>(origin, 0, part * Width);
      to.template store<Width, Aligned>(at, 0, part * Width, convert_vector<output_type>(elements));
    };
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, dim / Width), copy_part);
  }
};

/// Host form of GatherRow for rows of the same type whose elements are neighbours.
template <class T>
struct GatherBytes {
  PlainRows places;
  ViewRows<T const> source;
  ViewRows<T> output;
  std::uint32_t const* indices;
  std::size_t num_source_rows;
  std::size_t row_bytes;
  bool streaming;

  template <class Member>
  void operator()(Member const& member) const {
    BulkCopier copier(streaming);
    auto const chunk = places.chunk(static_cast<std::size_t>(member.league_rank()));
    for (std::size_t place = 0; place < chunk.length; ++place) {
      auto const at           = places.locate(chunk, place);
      std::size_t const index = indices[at.row];
      auto* const target      = static_cast<void*>(output.row(at));
      if (index < num_source_rows) {
        copier.copy(target, source.row({0, index, index, index}), row_bytes);
      } else {
        std::memset(target, 0, row_bytes);
      }
    }
    copier.finish();
  }
};

template <class ExecSpace, class T>
void launch_gather(std::string const& label, ExecSpace const& exec, GatherBytes<T> work) {
  if (work.places.num_chunks() == 0) return;
  auto const bytes = work.places.total_rows() * work.row_bytes;
  work.streaming   = bytes >= streaming_threshold;
  work.places.rows_per_chunk =
      host_chunk_length(exec, work.row_bytes, work.places.max_chunk_rows());
  widen_chunks(work.places);
  Kokkos::parallel_for(
      label, Kokkos::TeamPolicy<ExecSpace>(exec, static_cast<int>(work.places.num_chunks()), 1, 1),
      work);
}

/// Finds the first index that names no row.
struct IndexCheck {
  std::uint32_t const* indices;
  std::size_t num_rows;

  KOKKOS_FUNCTION void operator()(std::size_t at, std::size_t& first) const {
    if (indices[at] >= num_rows && at < first) first = at;
  }
};

template <class ExecSpace, class Indices>
void check_indices(char const* function, ExecSpace const& exec, Indices const& indices,
                   std::size_t num_rows) {
  std::size_t first = no_fault;
  Kokkos::parallel_reduce(
      "KokkosKV::gather_rows::check",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::size_t>>(exec, 0, indices.extent(0)),
      IndexCheck{indices.data(), num_rows}, Kokkos::Min<std::size_t>(first));
  if (first == no_fault) return;
  throw ShapeError(function, indexed("indices", first), std::to_string(fetch(exec, indices, first)),
                   "below " + std::to_string(num_rows) + ", the rows of the source");
}

/// A View of rank 2 as rows of one head.
template <class T, class ViewType>
ViewRows<T> flat_rows(ViewType const& view) {
  auto const stride = strides<2>(view);
  return {view.data(), false, 0, stride[0], 0, stride[1]};
}

template <class... Options, class ExecSpace, class Source, class Indices, class Output>
void gather_rows(ExecSpace const& exec, LaunchConfig config, Source const& source,
                 Indices const& indices, Output const& output) {
  using source_type = typename Source::non_const_value_type;
  using output_type = typename Output::value_type;
  static_assert(Source::rank() == 2 && Output::rank() == 2,
                "KokkosKV: rows are gathered between Views of rank 2");
  static_assert(
      Indices::rank() == 1 && std::is_same_v<typename Indices::non_const_value_type, std::uint32_t>,
      "KokkosKV: indices must be a rank 1 View of uint32");
  static_assert(!std::is_const_v<output_type>, "KokkosKV: an output must not be const");
  static_assert(
      Kokkos::SpaceAccessibility<ExecSpace, typename Source::memory_space>::accessible &&
          Kokkos::SpaceAccessibility<ExecSpace, typename Indices::memory_space>::accessible &&
          Kokkos::SpaceAccessibility<ExecSpace, typename Output::memory_space>::accessible,
      "KokkosKV: source, indices and output must be accessible from the execution space");
  static_assert((std::is_same_v<Options, unchecked_t> && ...),
                "KokkosKV: the only option of gather_rows is KokkosKV::unchecked");
  constexpr auto function = "gather_rows";
  check_equal(function, "output.extent(0)", output.extent(0), indices.extent(0));
  check_equal(function, "output.extent(1)", output.extent(1), source.extent(1));
  auto const dim      = int_extent(function, "source.extent(1)", source.extent(1));
  auto const num_rows = static_cast<std::size_t>(source.extent(0));
  auto const* data    = contiguous_data(function, "indices", indices);
  if constexpr (is_checked_v<Options...>) check_indices(function, exec, indices, num_rows);
  if (dim == 0) return;

  using from_type      = ViewRows<source_type const>;
  using to_type        = ViewRows<output_type>;
  auto const from      = flat_rows<source_type const>(source);
  auto const to        = flat_rows<output_type>(output);
  auto const row_bytes = static_cast<std::size_t>(dim) * sizeof(output_type);
  constexpr int width  = lane_elements<ExecSpace, output_type>;
  constexpr auto label = "KokkosKV::gather_rows";
  PlainRows const places{{output.extent(0)}};
  if constexpr (is_host_execution_v<ExecSpace> && std::is_same_v<source_type, output_type>) {
    if (!config.device_form && from.dim_stride == 1 && to.dim_stride == 1) {
      launch_gather(label, exec,
                    GatherBytes<output_type>{places, from, to, data, num_rows, row_bytes, false});
      return;
    }
  }
  if (dim % width == 0 && from.template is_aligned<width>() && to.template is_aligned<width>()) {
    launch_rows(label, exec, places,
                GatherRow<from_type, to_type, width, true>{from, to, data, num_rows, dim},
                row_bytes, config);
  } else {
    launch_rows(label, exec, places,
                GatherRow<from_type, to_type, 1, false>{from, to, data, num_rows, dim}, row_bytes,
                config);
  }
}

}  // namespace KokkosKV::Impl

#endif
