// The ways to run a call of src/projection_gemm: as users do, and in the form that devices run.
#ifndef KOKKOSKV_TEST_PROJECTION_GEMM_MATMULFORMS_HPP
#define KOKKOSKV_TEST_PROJECTION_GEMM_MATMULFORMS_HPP

#include <tuple>

#include <Forms.hpp>
#include <projection_gemm/KokkosKV_MatmulStoreRagged.hpp>

namespace KokkosKVTest {

template <class ExecSpace, class Plan, class Cache, class Offsets, class Hidden, class Weights,
          class Queries, class... Options>
void qkv_matmul(int team_size, ExecSpace const& exec, Plan const& plan, Cache const& keys,
                Cache const& values, Offsets const& offsets, Hidden const& hidden,
                Weights const& weights, Queries const& queries, Options const&... options) {
  if (team_size > 0) {
    KokkosKV::Impl::matmul_store(KokkosKV::Impl::qkv_matmul_names, exec, device_form(team_size),
                                 plan, offsets, hidden, weights, queries, std::tie(options...),
                                 keys, values);
  } else {
    KokkosKV::qkv_matmul_store_ragged(exec, plan, keys, values, offsets, hidden, weights, queries,
                                      options...);
  }
}

template <class ExecSpace, class Plan, class Cache, class Offsets, class Hidden, class Weights,
          class... Options>
void kv_matmul(int team_size, ExecSpace const& exec, Plan const& plan, Cache const& keys,
               Cache const& values, Offsets const& offsets, Hidden const& hidden,
               Weights const& weights, Options const&... options) {
  if (team_size > 0) {
    KokkosKV::Impl::matmul_store(KokkosKV::Impl::kv_matmul_names, exec, device_form(team_size),
                                 plan, offsets, hidden, weights, KokkosKV::Impl::NoQueries{},
                                 std::tie(options...), keys, values);
  } else {
    KokkosKV::kv_matmul_store_ragged(exec, plan, keys, values, offsets, hidden, weights,
                                     options...);
  }
}

template <class ExecSpace, class Plan, class Cache, class Offsets, class Hidden, class Weights,
          class... Options>
void k_matmul(int team_size, ExecSpace const& exec, Plan const& plan, Cache const& cache,
              Offsets const& offsets, Hidden const& hidden, Weights const& weights,
              Options const&... options) {
  if (team_size > 0) {
    KokkosKV::Impl::matmul_store(KokkosKV::Impl::k_matmul_names, exec, device_form(team_size), plan,
                                 offsets, hidden, weights, KokkosKV::Impl::NoQueries{},
                                 std::tie(options...), cache);
  } else {
    KokkosKV::k_matmul_store_ragged(exec, plan, cache, offsets, hidden, weights, options...);
  }
}

}  // namespace KokkosKVTest

#endif
