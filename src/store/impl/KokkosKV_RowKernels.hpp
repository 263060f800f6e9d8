// The kernels that move rows between a cache and an input or output, and their launch.
#ifndef KOKKOSKV_IMPL_ROWKERNELS_HPP
#define KOKKOSKV_IMPL_ROWKERNELS_HPP

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

#include <format/KokkosKV_Convert.hpp>
#include <kokkos_ext/KokkosKV_HostExecution.hpp>
#include <kokkos_ext/impl/KokkosKV_StreamCopy.hpp>
#include <kokkos_ext/impl/KokkosKV_Teams.hpp>
#include <store/impl/KokkosKV_RowAccess.hpp>

namespace KokkosKV::Impl {

/// Vectors of a token: Width elements each, none across two heads.
template <class Cache>
inline constexpr int cache_vector_width =
    vector_width<std::remove_const_t<typename Cache::value_type>>(Cache::head_size);
template <class Cache>
inline constexpr int vectors_per_row =
    Cache::num_heads * (Cache::head_size / cache_vector_width<Cache>);

/// What the address of a cache's vector is known to be a multiple of; 0 = nothing is known.
template <class Cache, bool Aligned>
inline constexpr std::size_t slot_alignment =
    Aligned ? alignof(SimdVector<std::remove_const_t<typename Cache::value_type>,
                                 cache_vector_width<Cache>>)
            : 0;

/// Calls `work(place in the slot, vector of the input)` for each vector of a row; rows whose token
/// has no page are dropped.
template <bool Aligned, class Member, class Cache, class Input, class Work>
KOKKOS_FUNCTION void for_each_slot_vector(Member const& member, RowLocation const& at,
                                          Cache const& cache, Input const& input,
                                          Work const& work) {
  constexpr int width    = cache_vector_width<Cache>;
  constexpr int per_head = Cache::head_size / width;

  auto const page = cache.page(at.sequence, at.token);
  if (!cache.is_mapped(page)) return;
  auto* const target   = cache.row(page, Cache::slot(at.token), 0);
  auto const work_part = [&](int vector) {
    work(target + static_cast<std::size_t>(vector) * width,
         input.template load<width, Aligned>(at, vector / per_head, vector % per_head * width));
  };
  Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, vectors_per_row<Cache>), work_part);
}

/// Writes the row of an input into its slot, vector by vector.
template <class Cache, class Input, bool Aligned>
struct StoreRow {
  Cache cache;
  Input input;

  static constexpr int num_vectors = vectors_per_row<Cache>;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member, RowLocation const& at) const {
    using value_type = typename Cache::value_type;
    auto const store = [](value_type* to, auto const& loaded) {
      store_vector<cache_vector_width<Cache>, slot_alignment<Cache, Aligned>>(
          to, convert_vector<value_type>(loaded));
    };
    for_each_slot_vector<Aligned>(member, at, cache, input, store);
  }
};

/// Reads a slot into the row of an output; zeros where there is no page.
template <class Cache, class Output, bool Aligned>
struct LoadRow {
  Cache cache;
  Output output;

  static constexpr int num_vectors = vectors_per_row<Cache>;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member, RowLocation const& at) const {
    using value_type              = std::remove_const_t<typename Cache::value_type>;
    using output_type             = typename Output::value_type;
    constexpr int width           = cache_vector_width<Cache>;
    constexpr int per_head        = Cache::head_size / width;
    constexpr std::size_t promise = slot_alignment<Cache, Aligned>;

    auto const page          = cache.page(at.sequence, at.token);
    bool const mapped        = cache.is_mapped(page);
    value_type const* source = mapped ? cache.row(page, Cache::slot(at.token), 0) : nullptr;
    auto const& to           = output;
    auto const load_part     = [&](int vector) {
      SimdVector<value_type, width> loaded{};
      if (mapped) {
        loaded = load_vector<width, promise>(source + static_cast<std::size_t>(vector) * width);
      }
      to.template store<width, Aligned>(at, vector / per_head, vector % per_head * width,
                                            convert_vector<output_type>(loaded));
    };
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, num_vectors), load_part);
  }
};

/// Does two things for each row: keys and values in one launch.
template <class First, class Second>
struct BothRows {
  First first;
  Second second;

  static constexpr int num_vectors = std::max(First::num_vectors, Second::num_vectors);

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member, RowLocation const& at) const {
    first(member, at);
    second(member, at);
  }
};
/// Deduces both.
template <class First, class Second>
BothRows(First, Second) -> BothRows<First, Second>;

/// One thread a row, its lanes the row's vectors.
template <class Rows, class RowWork>
struct RowKernel {
  Rows rows;
  RowWork work;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto const chunk    = rows.chunk(static_cast<std::size_t>(member.league_rank()));
    auto const length   = static_cast<int>(chunk.length);
    auto const& located = rows;
    auto const& worker  = work;
    auto const do_row   = [&](int index) {
      worker(member, located.locate(chunk, static_cast<std::size_t>(index)));
    };
    Kokkos::parallel_for(Kokkos::TeamThreadRange(member, length), do_row);
  }
};

/// Neighbouring rows that share a page.
struct PageRun {
  RowLocation first;
  std::size_t rows;
  std::uint32_t page;
};

/// Host form of StoreRow for an input of packed rows of the storage type: the rows of a run are
/// neighbouring bytes on both sides.
template <class Cache, class Input>
struct StoreRun {
  Cache cache;
  Input input;

  void operator()(BulkCopier& copier, PageRun const& run) const {
    if (!cache.is_mapped(run.page)) return;
    copier.copy(cache.row(run.page, Cache::slot(run.first.token), 0), input.row(run.first),
                run.rows * Cache::token_size * sizeof(typename Cache::value_type));
  }
};

/// Host form of LoadRow, likewise.
template <class Cache, class Output>
struct LoadRun {
  Cache cache;
  Output output;

  void operator()(BulkCopier& copier, PageRun const& run) const {
    auto const bytes = run.rows * Cache::token_size * sizeof(typename Cache::value_type);
    auto* const to   = output.row(run.first);
    if (cache.is_mapped(run.page)) {
      copier.copy(to, cache.row(run.page, Cache::slot(run.first.token), 0), bytes);
    } else {
      std::memset(static_cast<void*>(to), 0, bytes);
    }
  }
};

/// Keys and values of a run, one after the other.
template <class First, class Second>
struct BothRuns {
  First first;
  Second second;

  void operator()(BulkCopier& copier, PageRun const& run) const {
    first(copier, run);
    second(copier, run);
  }
};

/// Cuts a chunk into runs within one page.
template <class Rows, class Cache, class RunWork>
struct RunKernel {
  Rows rows;
  Cache cache;
  RunWork work;
  bool streaming;

  template <class Member>
  void operator()(Member const& member) const {
    BulkCopier copier(streaming);
    auto const chunk = rows.chunk(static_cast<std::size_t>(member.league_rank()));
    rows.for_each_part(chunk, [&](RowLocation at, std::size_t left) {
      while (left > 0) {
        auto const free_slots = static_cast<std::size_t>(Cache::page_size - Cache::slot(at.token));
        auto const length     = std::min(left, free_slots);
        work(copier, PageRun{at, length, cache.page(at.sequence, at.token)});
        at.position += length;
        at.row += length;
        at.token += length;
        left -= length;
      }
    });
    copier.finish();
  }
};

/// How a kernel is launched; zeros mean 'choose'. Tests set it to run the device form on hosts,
/// also with as many rows a team as the large teams of devices have.
struct LaunchConfig {
  bool device_form           = false;
  int team_size              = 0;
  std::size_t rows_per_chunk = 0;
};

/// Threads (lanes included) of a device team.
inline constexpr int device_team_threads = 256;

/// Guards the league size, which Kokkos takes as an int.
template <class Rows>
void widen_chunks(Rows& rows) {
  while (rows.num_chunks() > static_cast<std::size_t>(INT_MAX)) rows.rows_per_chunk *= 2;
}

/// Runs `work` for every row, asynchronously on `exec`.
template <class ExecSpace, class Rows, class RowWork>
void launch_rows(std::string const& label, ExecSpace const& exec, Rows rows, RowWork const& work,
                 std::size_t row_bytes, LaunchConfig config) {
  if (rows.num_chunks() == 0) return;
  TeamShape shape;
  if constexpr (is_host_execution_v<ExecSpace>) {
    shape.team_size     = std::max(1, config.team_size);
    rows.rows_per_chunk = std::max(static_cast<std::size_t>(shape.team_size),
                                   host_chunk_length(exec, row_bytes, rows.max_chunk_rows()));
  } else {
    shape = device_team_shape(exec, RowWork::num_vectors, device_team_threads,
                              RowKernel<Rows, RowWork>{rows, work});
    if (config.team_size > 0) shape.team_size = std::min(shape.team_size, config.team_size);
    rows.rows_per_chunk = static_cast<std::size_t>(shape.team_size);
  }
  if (config.rows_per_chunk > 0) rows.rows_per_chunk = config.rows_per_chunk;
  widen_chunks(rows);
  Kokkos::parallel_for(label,
                       Kokkos::TeamPolicy<ExecSpace>(exec, static_cast<int>(rows.num_chunks()),
                                                     shape.team_size, shape.vector_length),
                       RowKernel<Rows, RowWork>{rows, work});
}

/// Runs `work` for every run within a page; hosts only.
template <class ExecSpace, class Rows, class Cache, class RunWork>
void launch_runs(std::string const& label, ExecSpace const& exec, Rows rows, Cache const& cache,
                 RunWork const& work, std::size_t row_bytes) {
  static_assert(is_host_execution_v<ExecSpace>);
  if (rows.num_chunks() == 0) return;
  bool const streaming = rows.total_rows() * row_bytes >= streaming_threshold;
  rows.rows_per_chunk  = host_chunk_length(exec, row_bytes, rows.max_chunk_rows());
  widen_chunks(rows);
  Kokkos::parallel_for(
      label, Kokkos::TeamPolicy<ExecSpace>(exec, static_cast<int>(rows.num_chunks()), 1, 1),
      RunKernel<Rows, Cache, RunWork>{rows, cache, work, streaming});
}

}  // namespace KokkosKV::Impl

#endif
