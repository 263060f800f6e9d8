// copy_pages(): copies whole pages within a pool.
#ifndef KOKKOSKV_COPYPAGES_HPP
#define KOKKOSKV_COPYPAGES_HPP

#include <Kokkos_Core.hpp>

#include <store/impl/KokkosKV_PageCopy.hpp>

namespace KokkosKV {

/// \name copy_pages
///
/// Copies page `src_pages(i)` to page `dst_pages(i)` for every `i`: all layers, keys and values,
/// not the padding. Scales that the blocks' own lookup table names are copied with them; scales
/// with a table of their own are left alone, since their pages have other numbers.
///
/// \param exec        execution space instance (optional; the default one of the memory space)
/// \param collection  the pool
/// \param src_pages   uint32 `[n]`, below num_blocks; a page may be copied to several places
/// \param dst_pages   uint32 `[n]`, below num_blocks, none twice, and none that is also a source
/// \param options     `unchecked` leaves the contents of both lists unread; the call is then
///                    asynchronous, and pairs with a page that does not exist are dropped
/// \throws ShapeError        the lists differ in length
/// \throws LookupTableError  a page does not exist
/// \throws ConflictError     a destination occurs twice or is also a source
/// \{
/// On an execution space instance.
template <class ExecSpace, class Collection, class Sources, class Destinations, class... Options>
  requires(Kokkos::is_execution_space_v<ExecSpace>)
void copy_pages(ExecSpace const& exec, Collection const& collection, Sources const& src_pages,
                Destinations const& dst_pages, [[maybe_unused]] Options... options) {
  Impl::copy_pages<Options...>(exec, {}, collection, src_pages, dst_pages);
}

/// On the default instance.
template <class Collection, class Sources, class Destinations, class... Options>
  requires(!Kokkos::is_execution_space_v<Collection>)
void copy_pages(Collection const& collection, Sources const& src_pages,
                Destinations const& dst_pages, Options... options) {
  copy_pages(typename Collection::memory_space::execution_space{}, collection, src_pages, dst_pages,
             options...);
}
/// \}

}  // namespace KokkosKV

#endif
