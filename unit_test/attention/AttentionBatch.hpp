// A batch with its pool on the host, and its attention: what tests of paged_attention() begin with.
#ifndef KOKKOSKV_TEST_ATTENTIONBATCH_HPP
#define KOKKOSKV_TEST_ATTENTIONBATCH_HPP

#include <gtest/gtest.h>

#include <KokkosKV.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <reference/Arrays.hpp>
#include <reference/Random.hpp>
#include <reference/Rounding.hpp>
#include <support/TestBatch.hpp>

namespace KokkosKVTest {

/// Compile-time shape of keys and values. With MLA the values are the first elements of the keys.
template <int PageSize, int NumHeads, int HeadSize, int ValueRowSize = HeadSize, bool IsMla = false>
struct KeyShape {
  static constexpr bool is_mla        = IsMla;
  static constexpr int page_size      = PageSize;
  static constexpr int num_heads      = NumHeads;
  static constexpr int head_size      = HeadSize;
  static constexpr int value_row_size = ValueRowSize;
};

/// Keys and values of sequences in pools of their own, since their head sizes may differ. Whatever
/// is no token's is NaN.
template <class T, class Shape>
struct AttentionBatch {
  std::vector<std::uint32_t> cached;
  std::vector<std::uint32_t> rows;
  std::vector<Numbers> table;
  KokkosKV::KeySet key_set = KokkosKV::KeySet::cache_and_rows;
  std::size_t num_pages    = 0;
  std::vector<T> keys;    ///< `[page][slot][head][dim]`
  std::vector<T> values;  ///< likewise

  std::size_t batch_size() const { return cached.size(); }
  /// Tokens that have keys.
  std::uint32_t tokens(std::size_t b) const {
    return key_set == KokkosKV::KeySet::cache_only ? cached[b] : cached[b] + rows[b];
  }

  Numbers offsets() const {
    Numbers result{0};
    for (auto const count : rows) result.push_back(result.back() + count);
    return result;
  }

  /// Gives each sequence pages of its own, in random order with some that nobody has; those of a
  /// shared prefix are the same.
  void make_pages(Random& random, std::vector<KokkosKV::SharedPrefix> const& prefixes = {}) {
    auto const pages_of = [&](std::size_t b) {
      return (tokens(b) + Shape::page_size - 1) / Shape::page_size;
    };
    std::size_t width = 1, total = 3;
    for (std::size_t b = 0; b < batch_size(); ++b) {
      width = std::max<std::size_t>(width, pages_of(b) + random.below(2));
      total += pages_of(b);
    }
    num_pages = total;
    Numbers pages(total);
    for (std::size_t i = 0; i < total; ++i) pages[i] = static_cast<std::uint32_t>(i);
    for (std::size_t i = total; i > 1; --i) std::swap(pages[i - 1], pages[random.below(i)]);
    table.assign(batch_size(), Numbers(width, 0xDEAD0000u));
    std::size_t next = 0;
    for (std::size_t b = 0; b < batch_size(); ++b) {
      for (std::size_t p = 0; p < pages_of(b); ++p) table[b][p] = pages[next++];
    }
    for (auto const& prefix : prefixes) {
      for (std::size_t i = 1; i < prefix.num_sequences; ++i) {
        for (std::size_t p = 0; p < prefix.length / Shape::page_size; ++p) {
          table[prefix.first_sequence + i][p] = table[prefix.first_sequence][p];
        }
      }
    }
    keys.assign(num_pages * Shape::page_size * Shape::num_heads * Shape::head_size, poison<T>());
    values.assign(num_pages * Shape::page_size * Shape::num_heads * Shape::value_row_size,
                  poison<T>());
  }

  bool is_there(std::size_t b, std::size_t token) const {
    return table[b][token / Shape::page_size] < num_pages;
  }
  std::size_t row(std::size_t b, std::size_t token, std::size_t head) const {
    std::size_t const page = table[b][token / Shape::page_size];
    return (page * Shape::page_size + token % Shape::page_size) * Shape::num_heads + head;
  }
  T* key(std::size_t b, std::size_t token, std::size_t head) {
    return keys.data() + row(b, token, head) * Shape::head_size;
  }
  T* value(std::size_t b, std::size_t token, std::size_t head) {
    if constexpr (Shape::is_mla) return key(b, token, head);
    return values.data() + row(b, token, head) * Shape::value_row_size;
  }

  /// Random elements for all tokens, between -1 and 1.
  void fill(Random& random) {
    auto const unit = [&] { return static_cast<float>(random.below(20001)) / 10000.0f - 1.0f; };
    for (std::size_t b = 0; b < batch_size(); ++b) {
      for (std::size_t token = 0; token < tokens(b); ++token) {
        for (std::size_t head = 0; head < Shape::num_heads; ++head) {
          std::generate_n(key(b, token, head), Shape::head_size, [&] { return T(unit()); });
          std::generate_n(value(b, token, head), Shape::value_row_size, [&] { return T(unit()); });
        }
      }
    }
  }
};

/// A pool of one layer without values of its own.
template <class MemorySpace, class T, class Shape, int HeadSize>
auto make_pool(AttentionBatch<T, Shape> const& batch, std::vector<T> const& elements) {
  using blocks_type = Kokkos::View<T** * [Shape::page_size][Shape::num_heads][HeadSize],
                                   Kokkos::LayoutRight, MemorySpace>;
  blocks_type const blocks("KokkosKV::test", batch.num_pages, 1, 1);
  copy_to_device(Kokkos::View<T*, MemorySpace>(blocks.data(), blocks.size()), elements);
  TestBatch const lengths{batch.cached, batch.table};
  return lengths.collection(blocks);
}

/// `[row][head][dim]` on the host.
template <class T>
struct HeadRows {
  std::size_t rows = 0, heads = 0, dims = 0;
  std::vector<T> elements;

  T const& operator()(std::size_t row, std::size_t head, std::size_t dim) const {
    return elements[(row * heads + head) * dims + dim];
  }
};

template <class T>
HeadRows<T> random_queries(Random& random, std::size_t rows, std::size_t heads, std::size_t dims) {
  HeadRows<T> result{rows, heads, dims, std::vector<T>(rows * heads * dims)};
  for (auto& element : result.elements) {
    element = T(static_cast<float>(random.below(40001)) / 10000.0f - 2.0f);
  }
  return result;
}

/// What a call gives.
template <class Out>
struct AttentionResult {
  HeadRows<Out> output;
  std::vector<float> lse;  ///< `[row][head]`
};

/// Parameters of a call on the host.
struct TestRule {
  KokkosKV::Visibility visibility;
  std::optional<float> scale;
  float soft_cap = 0;
  std::vector<float> slopes;
  std::vector<float> sinks;
};

/// Brings them to an execution space.
template <class Mask = KokkosKV::NoMask, class Score = KokkosKV::NoScore, class MemorySpace>
auto to_params(TestRule const& rule, MemorySpace /*space*/) {
  KokkosKV::AttentionParams<MemorySpace, Mask, Score> params;
  params.visibility   = rule.visibility;
  params.scale        = rule.scale;
  params.soft_cap     = rule.soft_cap;
  params.alibi_slopes = to_device<MemorySpace>(rule.slopes);
  params.sink_logits  = to_device<MemorySpace>(rule.sinks);
  return params;
}

/// Runs a call, with shared prefixes through cascade_attention(). The results lie inside larger
/// Views, whose other elements must stay as they are.
template <class ExecSpace, class Form, class Out, class T, class Shape, class Query, class Params>
AttentionResult<Out> attend(ExecSpace const& exec, AttentionBatch<T, Shape> const& batch,
                            HeadRows<Query> const& queries, std::size_t value_head_size,
                            Params const& params,
                            KokkosKV::AttentionPlanOptions const& options = {}) {
  using memory_space    = typename ExecSpace::memory_space;
  auto const key_pool   = make_pool<memory_space, T, Shape, Shape::head_size>(batch, batch.keys);
  auto const value_pool = make_pool<memory_space, T, Shape, Shape::value_row_size>(
      batch, Shape::is_mla ? batch.keys : batch.values);
  auto const offsets = to_view<memory_space>(batch.offsets());
  auto const lengths = to_view<memory_space>(batch.cached);
  auto const heads   = queries.heads;
  KokkosKV::AttentionShape const shape{static_cast<int>(heads), Shape::num_heads, Shape::head_size,
                                       static_cast<int>(value_head_size)};
  KokkosKV::AttentionPlan<ExecSpace, Form> const plan(exec, shape, offsets, lengths,
                                                      params.visibility, options);
  Kokkos::View<Query***, Kokkos::LayoutRight, memory_space> const q("KokkosKV::test", queries.rows,
                                                                    heads, queries.dims);
  copy_to_device(Kokkos::View<Query*, memory_space>(q.data(), q.size()), queries.elements);
  Kokkos::View<Out***, Kokkos::LayoutRight, memory_space> const all(
      "KokkosKV::test", queries.rows + 2, heads + 1, value_head_size + 3);
  Kokkos::View<float**, Kokkos::LayoutRight, memory_space> const all_lses(
      "KokkosKV::test", queries.rows + 2, heads + 1);
  constexpr float canary = 77;
  Kokkos::deep_copy(all, Out(canary));
  Kokkos::deep_copy(all_lses, canary);
  auto const inner = [](std::size_t size) { return std::make_pair(std::size_t(1), size + 1); };
  auto const output =
      Kokkos::subview(all, inner(queries.rows), inner(heads), inner(value_head_size));
  auto const lse    = Kokkos::subview(all_lses, inner(queries.rows), inner(heads));
  auto const keys   = key_pool.get_key_cache(0);
  auto const values = value_pool.get_key_cache(0);
  if (options.shared_prefixes.empty()) {
    KokkosKV::paged_attention(exec, plan, q, keys, values, offsets, output, lse, params);
  } else {
    KokkosKV::cascade_attention(exec, plan, q, keys, values, offsets, output, lse, params);
  }
  exec.fence("KokkosKV::test");
  auto const host     = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, all);
  auto const host_lse = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, all_lses);
  AttentionResult<Out> result{{queries.rows, heads, value_head_size, {}}, {}};
  for (std::size_t r = 0; r < all.extent(0); ++r) {
    for (std::size_t h = 0; h < all.extent(1); ++h) {
      bool const inside = r >= 1 && r <= queries.rows && h >= 1;
      if (inside)
        result.lse.push_back(host_lse(r, h));
      else
        EXPECT_EQ(host_lse(r, h), canary);
      for (std::size_t d = 0; d < all.extent(2); ++d) {
        if (inside && d >= 1 && d <= value_head_size)
          result.output.elements.push_back(host(r, h, d));
        else
          EXPECT_EQ(float(host(r, h, d)), canary) << r << ' ' << h << ' ' << d;
      }
    }
  }
  return result;
}

}  // namespace KokkosKVTest

#endif
