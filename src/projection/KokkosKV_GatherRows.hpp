// gather_rows(): copies rows by their numbers.
#ifndef KOKKOSKV_GATHERROWS_HPP
#define KOKKOSKV_GATHERROWS_HPP

#include <Kokkos_Core.hpp>

#include <projection/impl/KokkosKV_RowGather.hpp>

namespace KokkosKV {

/// \name gather_rows
///
/// Writes row `indices(i)` of the source to row `i` of the output: embeddings of tokens, or the
/// last row of every sequence. A row may be named several times; values are converted where the
/// types differ, rounding to nearest even. Source and output must not overlap.
///
/// Indices are checked before the first write, which waits for `exec`; with `unchecked` as last
/// argument they are not, the call is asynchronous, and rows that do not exist read as zeros.
///
/// \param exec     instance (optional; the default one of the output's memory space)
/// \param source   View `[n, dim]` of any layout
/// \param indices  uint32 `[m]`, below n
/// \param output   View `[m, dim]` of any layout
/// \throws ShapeError  an extent differs, or an index is not below n
/// \{
/// On an execution space instance.
template <class ExecSpace, class Source, class Indices, class Output, class... Options>
  requires(Kokkos::is_execution_space_v<ExecSpace>)
void gather_rows(ExecSpace const& exec, Source const& source, Indices const& indices,
                 Output const& output, [[maybe_unused]] Options... options) {
  Impl::gather_rows<Options...>(exec, {}, source, indices, output);
}

/// On the default instance.
template <class Source, class Indices, class Output, class... Options>
  requires(Kokkos::is_view_v<Source> && Kokkos::is_view_v<Output>)
void gather_rows(Source const& source, Indices const& indices, Output const& output,
                 Options... options) {
  gather_rows(typename Output::execution_space{}, source, indices, output, options...);
}
/// \}

}  // namespace KokkosKV

#endif
