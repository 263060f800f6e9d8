// What must not change a result: the size of pages, where they lie, who had them before, and how a
// prompt is cut into steps.
#include <gtest/gtest.h>

#include <KokkosKV.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include <ExecutionSpaces.hpp>
#include <reference/Random.hpp>
#include <support/LazyMemory.hpp>
#include "AttentionBatch.hpp"

namespace KokkosKVTest {

using KokkosKV::bf16;

template <class ExecSpace>
class AttentionPages : public testing::Test {
 protected:
  using memory_space = typename ExecSpace::memory_space;

  template <class T, class Shape>
  static AttentionResult<float> run(AttentionBatch<T, Shape> const& batch,
                                    HeadRows<float> const& queries) {
    return attend<ExecSpace, KokkosKV::Impl::native_form<ExecSpace>, float>(
        ExecSpace{}, batch, queries, Shape::value_row_size, to_params(TestRule{}, memory_space{}));
  }

  /// Compares the rows of `found` with those from `first` on.
  static void expect_rows(AttentionResult<float> const& found,
                          AttentionResult<float> const& expected, std::size_t first = 0) {
    auto const heads = expected.output.heads, dims = expected.output.dims;
    for (std::size_t i = 0; i < found.lse.size(); ++i) {
      auto const lse = expected.lse[first * heads + i];
      EXPECT_NEAR(found.lse[i], lse, 4e-6 * std::max(1.0f, std::fabs(lse))) << i;
    }
    for (std::size_t i = 0; i < found.output.elements.size(); ++i) {
      EXPECT_NEAR(found.output.elements[i], expected.output.elements[first * heads * dims + i],
                  5e-6)
          << i;
    }
  }

  /// The tokens of `from` on pages of another size.
  template <class Shape, class T, class From>
  static AttentionBatch<T, Shape> on_other_pages(AttentionBatch<T, From>& from, Random& random) {
    AttentionBatch<T, Shape> result;
    result.cached = from.cached;
    result.rows   = from.rows;
    result.make_pages(random);
    for (std::size_t b = 0; b < from.batch_size(); ++b) {
      for (std::size_t token = 0; token < from.tokens(b); ++token) {
        for (std::size_t head = 0; head < Shape::num_heads; ++head) {
          std::copy_n(from.key(b, token, head), Shape::head_size, result.key(b, token, head));
          std::copy_n(from.value(b, token, head), Shape::value_row_size,
                      result.value(b, token, head));
        }
      }
    }
    return result;
  }
};
TYPED_TEST_SUITE(AttentionPages, DefaultSpaces, ExecutionSpaceName);

TYPED_TEST(AttentionPages, SizesOfPagesAgree) {
  Random random(31);
  AttentionBatch<bf16, KeyShape<16, 2, 64>> batch;
  batch.cached = {299, 520, 0};
  batch.rows   = {1, 30, 257};
  batch.make_pages(random);
  batch.fill(random);
  auto const queries  = random_queries<float>(random, 288, 6, 64);
  auto const expected = TestFixture::run(batch, queries);
  auto const compare  = [&](auto const& other) {
    TestFixture::expect_rows(TestFixture::run(other, queries), expected);
  };
  compare(TestFixture::template on_other_pages<KeyShape<1, 2, 64>>(batch, random));
  compare(TestFixture::template on_other_pages<KeyShape<256, 2, 64>>(batch, random));
  compare(TestFixture::template on_other_pages<KeyShape<257, 2, 64>>(batch, random));
  compare(TestFixture::template on_other_pages<KeyShape<512, 2, 64>>(batch, random));
}

TYPED_TEST(AttentionPages, PromptsInChunksOfAnySize) {
  constexpr std::uint32_t tokens = 331;
  Random random(32);
  AttentionBatch<float, KeyShape<16, 2, 64>> batch;
  batch.cached = {0};
  batch.rows   = {tokens};
  batch.make_pages(random);
  batch.fill(random);
  auto const queries  = random_queries<float>(random, tokens, 4, 64);
  auto const expected = TestFixture::run(batch, queries);
  for (int round = 0; round < 3; ++round) {
    for (std::uint32_t first = 0; first < tokens;) {
      auto const size = std::min(tokens - first, static_cast<std::uint32_t>(random.between(1, 90)));
      auto chunk      = batch;
      chunk.cached    = {first};
      chunk.rows      = {size};
      HeadRows<float> part{size, 4, 64, {}};
      part.elements.assign(queries.elements.begin() + first * 4 * 64,
                           queries.elements.begin() + (first + size) * 4 * 64);
      TestFixture::expect_rows(TestFixture::run(chunk, part), expected, first);
      first += size;
    }
  }
}

TYPED_TEST(AttentionPages, RecycledPagesForgetTheirTokens) {
  Random random(33);
  AttentionBatch<bf16, KeyShape<4, 2, 32>> batch;
  batch.cached = {0};
  batch.rows   = {1};
  batch.make_pages(random);
  for (std::size_t i = 0; i < batch.keys.size(); ++i) {
    float const junk = i % 3 == 0 ? std::numeric_limits<float>::quiet_NaN()
                                  : std::numeric_limits<float>::infinity();
    batch.keys[i] = batch.values[i] = bf16(junk);
  }
  batch.fill(random);
  auto const found = TestFixture::run(batch, random_queries<float>(random, 1, 6, 32));
  for (std::size_t head = 0; head < 6; ++head) {
    for (std::size_t d = 0; d < 32; ++d) {
      EXPECT_EQ(found.output(0, head, d), static_cast<float>(batch.value(0, 0, head / 3)[d]));
    }
  }
}

#ifdef __linux__
TYPED_TEST(AttentionPages, PagesFarApart) {
  if constexpr (std::is_same_v<typename TypeParam::memory_space, Kokkos::HostSpace>) {
    // Offsets in elements beyond 32 bits: page 8 begins at 4,800,000,000.
    constexpr std::size_t num_pages = 9, pitch = 600'000'000;
    LazyMemory const memory(num_pages * pitch * sizeof(bf16));
    if (memory.data() == nullptr) GTEST_SKIP() << "no room for 11 GB of addresses";
    Random random(34);
    AttentionBatch<bf16, KeyShape<4, 1, 64>> batch;
    batch.cached = {2};
    batch.rows   = {8};
    batch.make_pages(random);
    batch.fill(random);
    auto const queries  = random_queries<float>(random, 8, 3, 64);
    auto const expected = TestFixture::run(batch, queries);

    auto const blocks = KokkosKV::padded_blocks<bf16, 4, 1, 64, Kokkos::HostSpace>(
        static_cast<bf16*>(memory.data()), num_pages, 2, 1, pitch);
    auto const pool = TestBatch{{2}, {{4, 1, 8}}}.collection(blocks);
    auto const keys = pool.get_key_cache(0), values = pool.get_value_cache(0);
    Kokkos::View<float***, Kokkos::HostSpace> const key_rows("keys", 10, 1, 64),
        value_rows("values", 10, 1, 64), q("q", 8, 3, 64), output("output", 8, 3, 64);
    Kokkos::View<float**, Kokkos::HostSpace> const lse("lse", 8, 3);
    for (std::size_t token = 0; token < 10; ++token) {
      for (std::size_t d = 0; d < 64; ++d) {
        key_rows(token, 0, d)   = static_cast<float>(batch.key(0, token, 0)[d]);
        value_rows(token, 0, d) = static_cast<float>(batch.value(0, token, 0)[d]);
      }
    }
    std::copy(queries.elements.begin(), queries.elements.end(), q.data());
    TypeParam const exec;
    auto const empty = TestBatch{{0}, {{4, 1, 8}}}.collection(blocks);
    kv_cache_store_ragged_key_value(exec, empty.get_key_cache(0), empty.get_value_cache(0),
                                    to_view<Kokkos::HostSpace>({0, 10}), key_rows, value_rows);
    auto const offsets = to_view<Kokkos::HostSpace>({0, 8});
    auto const plan    = KokkosKV::make_attention_plan(exec, keys, offsets, 3);
    KokkosKV::paged_attention(exec, plan, q, keys, values, offsets, output, lse);
    exec.fence("KokkosKV::test");
    AttentionResult<float> found{{8, 3, 64, to_vector(output)}, {}};
    found.lse.assign(lse.data(), lse.data() + lse.size());
    TestFixture::expect_rows(found, expected);
    EXPECT_LE(memory.touched_bytes(), 10u * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
  } else {
    GTEST_SKIP() << "lazy memory is a matter of hosts";
  }
}
#endif

}  // namespace KokkosKVTest
