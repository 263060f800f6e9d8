// The ways to run a call of src/projection: as users do, and in the form that devices run.
#ifndef KOKKOSKV_TEST_PROJECTIONFORMS_HPP
#define KOKKOSKV_TEST_PROJECTIONFORMS_HPP

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <Forms.hpp>
#include <projection/KokkosKV_GatherRows.hpp>
#include <projection/KokkosKV_RaggedAdd.hpp>
#include <projection/KokkosKV_RmsNorm.hpp>
#include <projection/KokkosKV_RopeRagged.hpp>
#include <projection/KokkosKV_RopeStore.hpp>
#include <reference/Reference.hpp>

namespace KokkosKVTest {

template <class ExecSpace, class Frequencies, class Cache, class Offsets, class Queries,
          class... Options>
void rope_queries(int team_size, ExecSpace const& exec, Frequencies const& frequencies,
                  Cache const& cache, Offsets const& offsets, Queries const& queries,
                  Options const&... options) {
  if (team_size > 0) {
    KokkosKV::Impl::rope_queries(exec, device_form(team_size), frequencies, cache, offsets, queries,
                                 options...);
  } else {
    KokkosKV::rope_ragged(exec, frequencies, cache, offsets, queries, options...);
  }
}

template <class ExecSpace, class Frequencies, class Cache, class Offsets, class... Options>
void rope_keys(int team_size, ExecSpace const& exec, Frequencies const& frequencies,
               Cache const& cache, KokkosKV::RaggedShape const& shape, Offsets const& offsets,
               Options const&... options) {
  if (team_size > 0) {
    KokkosKV::Impl::rope_keys(exec, device_form(team_size), frequencies, cache, shape, offsets,
                              options...);
  } else {
    KokkosKV::rope_key_cache(exec, frequencies, cache, shape, offsets, options...);
  }
}

template <class ExecSpace, class Frequencies, class Cache, class Offsets, class Keys,
          class... Options>
void rope_store(int team_size, ExecSpace const& exec, Frequencies const& frequencies,
                Cache const& cache, KokkosKV::RaggedShape const& shape, Offsets const& offsets,
                Keys const& keys, Options const&... options) {
  if (team_size > 0) {
    KokkosKV::Impl::rope_store(exec, device_form(team_size), frequencies, shape, offsets,
                               transfer_of<false>(cache, keys), options...);
  } else if constexpr (Kokkos::is_view_v<Keys>) {
    KokkosKV::rope_store_ragged(exec, frequencies, cache, offsets, keys, options...);
  } else {
    KokkosKV::rope_store_ragged(exec, frequencies, cache, shape, offsets, keys, options...);
  }
}

template <class ExecSpace, class Rows, class Weight>
void norm_rows(int team_size, ExecSpace const& exec, Rows const& rows, Weight const& weight,
               KokkosKV::RmsNormParams const& params) {
  if (team_size > 0) {
    KokkosKV::Impl::norm_rows(exec, device_form(team_size), rows, weight, params);
  } else {
    KokkosKV::rms_norm_ragged(exec, rows, weight, params);
  }
}

template <class ExecSpace, class Cache, class Offsets, class Weight, class... Options>
void norm_keys(int team_size, ExecSpace const& exec, Cache const& cache,
               KokkosKV::RaggedShape const& shape, Offsets const& offsets, Weight const& weight,
               KokkosKV::RmsNormParams const& params, Options... options) {
  if (team_size > 0) {
    KokkosKV::Impl::norm_keys<Options...>(exec, device_form(team_size), cache, shape, offsets,
                                          weight, params);
  } else {
    KokkosKV::rms_norm_key_cache(exec, cache, shape, offsets, weight, params, options...);
  }
}

template <class ExecSpace, class Cache, class Offsets, class Input, class... Options>
void add_rows(int team_size, ExecSpace const& exec, Cache const& cache,
              KokkosKV::SequenceRange const& sequences, Offsets const& offsets, Input const& input,
              Options... options) {
  using namespace KokkosKV::Impl;
  if (team_size > 0) {
    KokkosKV::Impl::add_rows<Options...>(ragged_add_names, exec, device_form(team_size), sequences,
                                         offsets, Addition{cache, input});
  } else {
    KokkosKV::kv_cache_ragged_radd(exec, cache, sequences, offsets, input, options...);
  }
}

template <class ExecSpace, class Cache, class Offsets, class Keys, class Values, class... Options>
void add_key_value(int team_size, ExecSpace const& exec, Cache const& key_cache,
                   Cache const& value_cache, KokkosKV::SequenceRange const& sequences,
                   Offsets const& offsets, Keys const& keys, Values const& values,
                   Options... options) {
  using namespace KokkosKV::Impl;
  if (team_size > 0) {
    KokkosKV::Impl::add_rows<Options...>(ragged_add_key_value_names, exec, device_form(team_size),
                                         sequences, offsets, Addition{key_cache, keys},
                                         Addition{value_cache, values});
  } else {
    KokkosKV::kv_cache_ragged_radd_key_value(exec, key_cache, value_cache, sequences, offsets, keys,
                                             values, options...);
  }
}

template <class ExecSpace, class Source, class Indices, class Output, class... Options>
void gather_rows(int team_size, ExecSpace const& exec, Source const& source, Indices const& indices,
                 Output const& output, Options... options) {
  if (team_size > 0) {
    KokkosKV::Impl::gather_rows<Options...>(exec, device_form(team_size), source, indices, output);
  } else {
    KokkosKV::gather_rows(exec, source, indices, output, options...);
  }
}

/// Positions of a batch's new rows.
inline std::vector<std::uint32_t> positions_of(Batch const& batch) {
  std::vector<std::uint32_t> result;
  for (std::size_t sequence = 0; sequence < batch.size(); ++sequence) {
    for (std::uint32_t row = 0; row < batch.new_lengths[sequence]; ++row) {
      result.push_back(batch.cache_lengths[sequence] + row);
    }
  }
  return result;
}

}  // namespace KokkosKVTest

#endif
