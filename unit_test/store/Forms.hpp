// The ways to run one call: as users do, and in the form that devices run, which hosts run here
// too.
#ifndef KOKKOSKV_TEST_FORMS_HPP
#define KOKKOSKV_TEST_FORMS_HPP

#include <KokkosKV.hpp>

#include <vector>

namespace KokkosKVTest {

/// Rows that a large team of a device has, one for each of its threads.
inline constexpr int emulated_team_size = 64;

/// Team size of the device form, or zero for the public function.
template <class ExecSpace>
std::vector<int> team_sizes() {
  if (ExecSpace{}.concurrency() < 2) return {0, 1, emulated_team_size};
  return {0, 1, 2, emulated_team_size};
}

/// A large team is emulated by a thread that has the rows of all its threads.
inline KokkosKV::Impl::LaunchConfig device_form(int team_size) {
  if (team_size == emulated_team_size) {
    return {.device_form = true, .team_size = 1, .rows_per_chunk = emulated_team_size};
  }
  return {.device_form = true, .team_size = team_size, .rows_per_chunk = 0};
}

template <bool Padded, class Cache, class Input>
auto transfer_of(Cache const& cache, Input const& input) {
  if constexpr (Kokkos::is_view_v<Input>) {
    return KokkosKV::Impl::input_transfer(cache, input);
  } else {
    return KokkosKV::Impl::functor_transfer<Padded>(cache, input);
  }
}

template <class ExecSpace, class Cache, class Offsets, class Input, class... Options>
void store_ragged(int team_size, ExecSpace const& exec, Cache const& cache,
                  KokkosKV::RaggedShape const& shape, Offsets const& offsets, Input const& input,
                  Options... options) {
  if (team_size > 0) {
    KokkosKV::Impl::store_rows<Options...>(KokkosKV::Impl::ragged_store_names, exec,
                                           device_form(team_size), shape, offsets,
                                           transfer_of<false>(cache, input));
  } else if constexpr (Kokkos::is_view_v<Input>) {
    KokkosKV::kv_cache_store_ragged(exec, cache, offsets, input, options...);
  } else {
    KokkosKV::kv_cache_store_ragged(exec, cache, shape, offsets, input, options...);
  }
}

template <class ExecSpace, class Cache, class Lengths, class Input, class... Options>
void store_padded(int team_size, ExecSpace const& exec, Cache const& cache,
                  KokkosKV::PaddedShape const& shape, Lengths const& lengths, Input const& input,
                  Options... options) {
  if (team_size > 0) {
    KokkosKV::Impl::store_rows<Options...>(KokkosKV::Impl::padded_store_names, exec,
                                           device_form(team_size), shape, lengths,
                                           transfer_of<true>(cache, input));
  } else if constexpr (Kokkos::is_view_v<Input>) {
    KokkosKV::kv_cache_store_padded(exec, cache, lengths, input, options...);
  } else {
    KokkosKV::kv_cache_store_padded(exec, cache, shape, lengths, input, options...);
  }
}

template <class ExecSpace, class Cache, class Offsets, class Keys, class Values, class... Options>
void store_key_value(int team_size, ExecSpace const& exec, Cache const& key_cache,
                     Cache const& value_cache, KokkosKV::RaggedShape const& shape,
                     Offsets const& offsets, Keys const& keys, Values const& values,
                     Options... options) {
  if (team_size > 0) {
    KokkosKV::Impl::store_rows<Options...>(
        KokkosKV::Impl::ragged_store_names, exec, device_form(team_size), shape, offsets,
        transfer_of<false>(key_cache, keys), transfer_of<false>(value_cache, values));
  } else if constexpr (Kokkos::is_view_v<Keys>) {
    KokkosKV::kv_cache_store_ragged_key_value(exec, key_cache, value_cache, offsets, keys, values,
                                              options...);
  } else {
    KokkosKV::kv_cache_store_ragged_key_value(exec, key_cache, value_cache, shape, offsets, keys,
                                              values, options...);
  }
}

template <class ExecSpace, class Cache, class Numbers, class Output, class... Options>
void load_ragged(int team_size, ExecSpace const& exec, Cache const& cache,
                 Numbers const& first_tokens, Numbers const& offsets, Output const& output,
                 Options... options) {
  if (team_size > 0) {
    KokkosKV::Impl::load_ragged<Options...>(exec, device_form(team_size), cache, first_tokens,
                                            offsets, output);
  } else {
    KokkosKV::kv_cache_load_ragged(exec, cache, first_tokens, offsets, output, options...);
  }
}

template <class ExecSpace, class Collection, class Numbers, class... Options>
void copy_pages(int team_size, ExecSpace const& exec, Collection const& collection,
                Numbers const& sources, Numbers const& destinations, Options... options) {
  if (team_size > 0) {
    KokkosKV::Impl::copy_pages<Options...>(exec, device_form(team_size), collection, sources,
                                           destinations);
  } else {
    KokkosKV::copy_pages(exec, collection, sources, destinations, options...);
  }
}

}  // namespace KokkosKVTest

#endif
