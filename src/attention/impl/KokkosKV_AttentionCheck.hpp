// What a call of attention refuses before it launches anything.
#ifndef KOKKOSKV_IMPL_ATTENTIONCHECK_HPP
#define KOKKOSKV_IMPL_ATTENTIONCHECK_HPP

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <attention/KokkosKV_AttentionParams.hpp>
#include <attention/impl/KokkosKV_PlanSizes.hpp>
#include <attention/impl/KokkosKV_TableCheck.hpp>
#include <cache/KokkosKV_Errors.hpp>
#include <cache/impl/KokkosKV_Check.hpp>
#include <format/KokkosKV_Bf16.hpp>
#include <format/KokkosKV_Half.hpp>
#include <kokkos_ext/KokkosKV_HostExecution.hpp>

namespace KokkosKV::Impl {

/// Storage types of keys, values, queries and outputs.
template <class T>
inline constexpr bool is_attention_type =
    std::is_same_v<T, float> || std::is_same_v<T, half> || std::is_same_v<T, bf16>;

template <class ExecSpace, class Query, class KeyCache, class ValueCache, class Offsets,
          class Output>
void check_attention_types() {
  static_assert(is_attention_type<typename Query::non_const_value_type> &&
                    is_attention_type<typename Output::value_type>,
                "KokkosKV: queries and outputs must be float, half or bf16");
  static_assert(is_attention_type<std::remove_const_t<typename KeyCache::value_type>> &&
                    is_attention_type<std::remove_const_t<typename ValueCache::value_type>>,
                "KokkosKV: attention reads caches of float, half or bf16");
  static_assert(!KeyCache::scales_type::enabled && !ValueCache::scales_type::enabled,
                "KokkosKV: attention reads caches without scales");
  static_assert(KeyCache::num_heads == ValueCache::num_heads,
                "KokkosKV: key and value cache must have the same heads");
  static_assert(
      Offsets::rank() == 1 && std::is_same_v<typename Offsets::non_const_value_type, std::uint32_t>,
      "KokkosKV: row offsets must be a rank 1 View of uint32");
  static_assert(
      Kokkos::SpaceAccessibility<ExecSpace, typename Query::memory_space>::accessible &&
          Kokkos::SpaceAccessibility<ExecSpace, typename Output::memory_space>::accessible &&
          Kokkos::SpaceAccessibility<ExecSpace, typename Offsets::memory_space>::accessible &&
          Kokkos::SpaceAccessibility<ExecSpace, typename KeyCache::memory_space>::accessible &&
          Kokkos::SpaceAccessibility<ExecSpace, typename ValueCache::memory_space>::accessible,
      "KokkosKV: caches, queries, offsets and results must be accessible from the execution space");
}

inline std::string to_text(Visibility const& rule) {
  auto const limit = [](std::uint32_t tokens) {
    return tokens == unlimited ? std::string("unlimited") : std::to_string(tokens);
  };
  return std::string("{causal ") + (rule.causal ? "true" : "false") + ", window_left " +
         limit(rule.window_left) + ", window_right " + limit(rule.window_right) +
         ", first_tokens " + std::to_string(rule.first_tokens) + ", keys " +
         (rule.keys == KeySet::cache_only ? "cache_only" : "cache_and_rows") + "}";
}

/// Arguments of a call against its plan.
template <class Plan>
class AttentionCheck {
 public:
  AttentionCheck(char const* function, Plan const& plan) : m_function(function), m_plan{plan} {}

  /// Only cascade_attention() checks that pages are shared.
  void no_prefixes() const {
    auto const found = m_plan.plan.options().shared_prefixes.size();
    if (found != 0) {
      throw ShapeError(m_function, "plan.options().shared_prefixes.size()", std::to_string(found),
                       "0, or a call of cascade_attention");
    }
  }

  template <class ViewType>
  void heads(char const* name, ViewType const& view, int head_size) const {
    auto const& shape = m_plan.shape();
    equal(extent_of(name, 0), view.extent(0), m_plan.plan.num_rows());
    equal(extent_of(name, 1), view.extent(1), static_cast<std::size_t>(shape.num_query_heads));
    equal(extent_of(name, 2), view.extent(2), static_cast<std::size_t>(head_size));
  }

  template <class ViewType>
  void lse(ViewType const& view) const {
    static_assert(std::is_same_v<typename ViewType::value_type, float>,
                  "KokkosKV: log-sum-exps must be float");
    equal(extent_of("lse", 0), view.extent(0), m_plan.plan.num_rows());
    equal(extent_of("lse", 1), view.extent(1),
          static_cast<std::size_t>(m_plan.shape().num_query_heads));
  }

  template <class KeyCache, class ValueCache>
  void caches(KeyCache const& keys, ValueCache const& values) const {
    auto const& shape = m_plan.shape();
    auto const size   = [](int number) { return static_cast<std::size_t>(number); };
    equal("key_cache.extent(2)", keys.extent(2), size(shape.num_kv_heads));
    equal("key_cache.extent(3)", keys.extent(3), size(shape.head_size));
    // Values may be the first elements of the keys (MLA), or have a head size of their own.
    auto const found = values.extent(3);
    if (found != size(shape.value_head_size) &&
        (found < size(shape.value_head_size) || found > size(value_row_size(shape)))) {
      throw ShapeError(
          m_function, "value_cache.extent(3)", std::to_string(found),
          std::to_string(shape.value_head_size) + " to " + std::to_string(value_row_size(shape)));
    }
    batch("key_cache", keys);
    batch("value_cache", values);
  }

  template <class Offsets>
  void offsets(Offsets const& view) const {
    equal("input_row_offsets.extent(0)", view.extent(0), m_plan.plan.batch_size() + 1);
    contiguous_data(m_function, "input_row_offsets", view);
  }

  template <class Params>
  void params(Params const& given) const {
    if (!(given.visibility == m_plan.plan.visibility())) {
      throw ShapeError(m_function, "params.visibility", to_text(given.visibility),
                       to_text(m_plan.plan.visibility()) + ", what the plan was made with");
    }
    auto const& shape = m_plan.shape();
    auto const heads  = static_cast<std::size_t>(shape.num_query_heads);
    if (given.scale && !std::isfinite(*given.scale)) {
      throw ShapeError(m_function, "params.scale", std::to_string(*given.scale), "a finite number");
    }
    if (!(given.soft_cap >= 0) || !std::isfinite(given.soft_cap)) {
      throw ShapeError(m_function, "params.soft_cap", std::to_string(given.soft_cap),
                       "a positive number, or 0 for none");
    }
    auto const per_head = [&](char const* name, auto const& view) {
      if (view.extent(0) != 0) equal(extent_of(name, 0), view.extent(0), heads);
    };
    per_head("params.alibi_slopes", given.alibi_slopes);
    per_head("params.sink_logits", given.sink_logits);
  }

  /// Where the host can read them without waiting: the lengths that the plan was made from.
  template <class ExecSpace, class Cache, class Offsets>
  void lengths(Cache const& cache, Offsets const& view) const {
    if constexpr (is_host_execution_v<ExecSpace>) {
      auto const& expected = m_plan.lengths();
      for (std::size_t b = 0; b <= expected.batch_size(); ++b) {
        same_length("input_row_offsets", b, view(b), expected.offsets[b]);
      }
      for (std::size_t b = 0; b < expected.batch_size(); ++b) {
        same_length("cache_lengths", b, cache.cache_length(b), expected.cache_lengths[b]);
      }
    }
  }

 private:
  static std::string extent_of(char const* name, int dimension) {
    return std::string(name) + ".extent(" + std::to_string(dimension) + ")";
  }

  void equal(std::string argument, std::size_t found, std::size_t expected) const {
    check_equal(m_function, std::move(argument), found, expected);
  }

  void same_length(char const* name, std::size_t b, std::uint32_t found,
                   std::uint32_t expected) const {
    if (found != expected) {
      throw RaggedError(m_function, indexed(name, b), std::to_string(found),
                        std::to_string(expected) + ", what the plan was made with");
    }
  }

  template <class Cache>
  void batch(std::string const& name, Cache const& cache) const {
    equal(name + ".batch_size()", cache.batch_size(), m_plan.plan.batch_size());
    check_row_width(m_function, name, m_plan.plan, cache);
  }

  char const* m_function;
  PlanAccess<Plan> m_plan;
};

}  // namespace KokkosKV::Impl

#endif
