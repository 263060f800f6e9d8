// Page copies behind their public overloads: check of both lists, then one launch (two with
// scales).
#ifndef KOKKOSKV_IMPL_PAGECOPY_HPP
#define KOKKOSKV_IMPL_PAGECOPY_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include <cache/impl/KokkosKV_LengthCheck.hpp>
#include <kokkos_ext/KokkosKV_HostExecution.hpp>
#include <kokkos_ext/KokkosKV_SimdVector.hpp>
#include <kokkos_ext/impl/KokkosKV_StreamCopy.hpp>
#include <kokkos_ext/impl/KokkosKV_Teams.hpp>
#include <store/impl/KokkosKV_PageClaims.hpp>
#include <store/impl/KokkosKV_RowKernels.hpp>
#include <store/impl/KokkosKV_StoreCheck.hpp>

namespace KokkosKV::Impl {

/// Pairs of pages, each cut into parts of equal size.
template <class T>
struct PagePairs {
  std::uint32_t const* sources;
  std::uint32_t const* destinations;
  std::size_t num_pairs;
  T* data;
  std::size_t num_blocks;
  std::size_t page_pitch;
  std::size_t page_elements;
  std::size_t part_elements;

  KOKKOS_FUNCTION std::size_t parts_per_page() const {
    return (page_elements + part_elements - 1) / part_elements;
  }
  std::size_t num_parts() const { return num_pairs * parts_per_page(); }
  KOKKOS_FUNCTION std::size_t pair(std::size_t part) const { return part / parts_per_page(); }
  /// First element of a part within its page.
  KOKKOS_FUNCTION std::size_t offset(std::size_t part) const {
    return part % parts_per_page() * part_elements;
  }
  KOKKOS_FUNCTION std::size_t length(std::size_t part) const {
    auto const left = page_elements - offset(part);
    return left < part_elements ? left : part_elements;
  }
  /// False for pairs that name no page of the pool.
  KOKKOS_FUNCTION bool exists(std::size_t part) const {
    return sources[pair(part)] < num_blocks && destinations[pair(part)] < num_blocks;
  }
  KOKKOS_FUNCTION T const* source(std::size_t part) const {
    return data + sources[pair(part)] * page_pitch + offset(part);
  }
  KOKKOS_FUNCTION T* destination(std::size_t part) const {
    return data + destinations[pair(part)] * page_pitch + offset(part);
  }
};

/// One team a part, its threads on neighbouring vectors.
template <class T, int Width>
struct CopyPart {
  PagePairs<T> pairs;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    constexpr std::size_t promise = alignof(SimdVector<T, Width>);
    auto const part               = static_cast<std::size_t>(member.league_rank());
    if (!pairs.exists(part)) return;
    T const* const from = pairs.source(part);
    T* const to         = pairs.destination(part);
    auto const copy     = [&](std::size_t vector) {
      store_vector<Width, promise>(to + vector * Width,
                                       load_vector<Width, promise>(from + vector * Width));
    };
    Kokkos::parallel_for(Kokkos::TeamVectorRange(member, pairs.length(part) / Width), copy);
  }
};

/// Host form: each part is a run of bytes, several of them a team's work.
template <class T>
struct CopyRuns {
  PagePairs<T> pairs;
  std::size_t num_parts;
  std::size_t parts_per_team;
  bool streaming;

  template <class Member>
  void operator()(Member const& member) const {
    auto const begin = static_cast<std::size_t>(member.league_rank()) * parts_per_team;
    auto const end   = std::min(begin + parts_per_team, num_parts);
    BulkCopier copier(streaming);
    for (auto part = begin; part < end; ++part) {
      if (!pairs.exists(part)) continue;
      copier.copy(pairs.destination(part), pairs.source(part), pairs.length(part) * sizeof(T));
    }
    copier.finish();
  }
};

/// Bytes that a device team copies, and those of a host's part.
inline constexpr std::size_t device_part_bytes = std::size_t(32) << 10;
inline constexpr std::size_t host_part_bytes   = std::size_t(256) << 10;

template <class ExecSpace, class T>
void launch_host_copy(std::string const& label, ExecSpace const& exec, PagePairs<T> pairs) {
  pairs.part_elements  = std::min(pairs.page_elements, host_part_bytes / sizeof(T));
  auto const num_parts = pairs.num_parts();
  bool const streaming = pairs.num_pairs * pairs.page_elements * sizeof(T) >= streaming_threshold;
  std::size_t parts_per_team = host_chunk_length(exec, pairs.part_elements * sizeof(T), num_parts);
  int const num_teams        = league_size(num_parts, parts_per_team);
  Kokkos::parallel_for(label, Kokkos::TeamPolicy<ExecSpace>(exec, num_teams, 1, 1),
                       CopyRuns<T>{pairs, num_parts, parts_per_team, streaming});
}

/// The form of devices, which tests run on hosts too.
template <class ExecSpace, class T>
void launch_device_copy(std::string const& label, ExecSpace const& exec, LaunchConfig config,
                        PagePairs<T> pairs) {
  constexpr int width         = vector_width<T>(INT_MAX / 2 + 1);
  constexpr std::size_t bytes = alignof(SimdVector<T, width>);
  pairs.part_elements =
      std::max<std::size_t>(static_cast<std::size_t>(width), device_part_bytes / sizeof(T));
  while (pairs.num_parts() > static_cast<std::size_t>(INT_MAX)) pairs.part_elements *= 2;
  constexpr bool host  = is_host_execution_v<ExecSpace>;
  int const team_size  = config.team_size > 0 ? config.team_size : host ? 1 : device_team_threads;
  bool const is_vector = reinterpret_cast<std::uintptr_t>(pairs.data) % bytes == 0 &&
                         pairs.page_pitch * sizeof(T) % bytes == 0 &&
                         pairs.page_elements * sizeof(T) % bytes == 0;
  auto const policy =
      Kokkos::TeamPolicy<ExecSpace>(exec, static_cast<int>(pairs.num_parts()), team_size, 1);
  if (is_vector) {
    Kokkos::parallel_for(label, policy, CopyPart<T, width>{pairs});
  } else {
    Kokkos::parallel_for(label, policy, CopyPart<T, 1>{pairs});
  }
}

template <class ExecSpace, class T>
void launch_copy(std::string const& label, ExecSpace const& exec, LaunchConfig config,
                 PagePairs<T> const& pairs) {
  if (pairs.num_pairs == 0 || pairs.page_elements == 0) return;
  if constexpr (is_host_execution_v<ExecSpace>) {
    if (!config.device_form) {
      launch_host_copy(label, exec, pairs);
      return;
    }
  }
  launch_device_copy(label, exec, config, pairs);
}

/// Enters sources and destinations as claims of whole pages, and finds the first page that is none.
template <class MemorySpace>
struct PageListCheck {
  std::uint32_t const* sources;
  std::uint32_t const* destinations;
  std::size_t num_blocks;
  typename PageClaims<MemorySpace>::Handle claims;

  KOKKOS_FUNCTION void operator()(std::size_t pair, std::size_t& first) const {
    auto const owner = static_cast<std::uint32_t>(pair);
    bool const bad   = sources[pair] >= num_blocks || destinations[pair] >= num_blocks;
    if (bad && pair < first) first = pair;
    claims.enter(2 * pair, {sources[pair], owner, 0, 1, false});
    claims.enter(2 * pair + 1, {destinations[pair], owner, 0, 1, true});
  }
};

template <class ExecSpace, class Sources, class Destinations>
void check_page_lists(ExecSpace const& exec, char const* function, Sources const& src_pages,
                      Destinations const& dst_pages, std::size_t num_blocks) {
  using memory_space = typename Sources::memory_space;
  auto const count   = src_pages.extent(0);
  PageClaims<memory_space> const claims(exec, 2 * count);
  std::size_t first = no_fault;
  Kokkos::parallel_reduce(
      "KokkosKV::copy_pages::check",
      Kokkos::RangePolicy<ExecSpace, Kokkos::IndexType<std::size_t>>(exec, 0, count),
      PageListCheck<memory_space>{src_pages.data(), dst_pages.data(), num_blocks, claims.handle()},
      Kokkos::Min<std::size_t>(first));
  if (first != no_fault) {
    auto const expected = "below " + std::to_string(num_blocks) + " (pages)";
    auto const source   = fetch(exec, src_pages, first);
    if (source >= num_blocks) {
      throw LookupTableError(function, indexed("src_pages", first), std::to_string(source),
                             expected);
    }
    throw LookupTableError(function, indexed("dst_pages", first),
                           std::to_string(fetch(exec, dst_pages, first)), expected);
  }
  ClaimConflict conflict;
  if (!claims.find_conflict(exec, conflict)) return;
  auto const& [one, other]  = conflict;
  auto const& [kept, again] = other.writes ? conflict : ClaimConflict{other, one};
  auto const where          = kept.writes ? "dst_pages" : "src_pages";
  throw ConflictError(
      function, indexed("dst_pages", again.owner),
      "page " + std::to_string(again.page) + " which " + indexed(where, kept.owner) + " names too",
      "a destination that no other entry names");
}

template <class... Options, class ExecSpace, class Collection, class Sources, class Destinations>
void copy_pages(ExecSpace const& exec, LaunchConfig config, Collection const& collection,
                Sources const& src_pages, Destinations const& dst_pages) {
  check_types<ExecSpace, Sources, Options...>();
  check_types<ExecSpace, Destinations>();
  constexpr char const* function = "copy_pages";
  check_equal(function, "dst_pages.extent(0)", dst_pages.extent(0), src_pages.extent(0));
  auto const* sources      = contiguous_data(function, "src_pages", src_pages);
  auto const* destinations = contiguous_data(function, "dst_pages", dst_pages);
  if constexpr (is_checked_v<Options...>) {
    check_page_lists(exec, function, src_pages, dst_pages, collection.num_blocks());
  }
  auto const copy = [&](std::string const& label, auto* data, std::size_t pitch,
                        std::size_t elements) {
    using value_type = std::remove_pointer_t<decltype(data)>;
    launch_copy(label, exec, config,
                PagePairs<value_type>{sources, destinations, src_pages.extent(0), data,
                                      collection.num_blocks(), pitch, elements, 1});
  };
  copy("KokkosKV::copy_pages", collection.blocks().data(), collection.page_pitch(),
       collection.page_elements());
  if constexpr (Collection::has_scales) {
    if (!collection.has_scales_lookup_table()) {
      copy("KokkosKV::copy_pages::scales", collection.scales().data(),
           collection.scale_page_pitch(), collection.scale_page_elements());
    }
  }
}

}  // namespace KokkosKV::Impl

#endif
