// Two execution space instances at once, each driven by a host thread of its own.
#include <ExecutionSpaces.hpp>
#include <KokkosKV.hpp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <reference/Arrays.hpp>
#include <reference/Random.hpp>
#include <support/TestBatch.hpp>
#include <thread>

namespace KokkosKVTest {

using namespace KokkosKV;

constexpr int page_size = 5, num_heads = 2, head_size = 8;
constexpr std::size_t row_elements = num_heads * head_size, num_layers = 2, num_blocks = 64;

/// What one thread stores into its layer: rows that no other thread has.
template <class ExecSpace>
struct Work {
  using memory_space = typename ExecSpace::memory_space;

  std::size_t layer;
  Kokkos::View<float***, Kokkos::LayoutRight, memory_space> keys, values;
  std::vector<float> host_keys, host_values;

  Work(std::size_t layer_, std::size_t tokens, Random& random)
      : layer(layer_),
        keys("keys", tokens, num_heads, head_size),
        values("values", tokens, num_heads, head_size),
        host_keys(numbers(keys.size(), random)),
        host_values(numbers(keys.size(), random)) {
    copy_to_device(Kokkos::View<float*, memory_space>(keys.data(), keys.size()), host_keys);
    copy_to_device(Kokkos::View<float*, memory_space>(values.data(), values.size()), host_values);
  }

  static std::vector<float> numbers(std::size_t count, Random& random) {
    std::vector<float> result(count);
    for (auto& number : result) number = static_cast<float>(random.below(1u << 20));
    return result;
  }
};

template <class ExecSpace>
class ConcurrentInstances : public testing::Test {
 protected:
  using memory_space = typename ExecSpace::memory_space;
  using blocks_type  = Kokkos::View<float*** [page_size][num_heads][head_size], memory_space>;

  // Three sequences over all pages of the pool but one, in no order.
  static inline TestBatch const batch = [] {
    TestBatch result{{7, 0, 4}, std::vector<Numbers>(3, Numbers(21))};
    for (std::uint32_t i = 0; i < 63; ++i) result.table[i / 21][i % 21] = i * 37 % 63;
    return result;
  }();
  static inline Numbers const offsets{0, 90, 190, 260};
  static constexpr std::size_t tokens = 260;

  /// Adds what a thread stores to the expected pool.
  static void expect(std::vector<float>& pool, Work<ExecSpace> const& work) {
    for (std::size_t b = 0; b < 3; ++b) {
      for (std::size_t r = offsets[b]; r < offsets[b + 1]; ++r) {
        auto const token       = batch.cache_lengths[b] + r - offsets[b];
        std::size_t const page = batch.table[b][token / page_size];
        for (std::size_t kv = 0; kv < 2; ++kv) {
          auto const slot =
              ((page * 2 + kv) * num_layers + work.layer) * page_size + token % page_size;
          auto const& from = kv == 0 ? work.host_keys : work.host_values;
          std::copy_n(&from[r * row_elements], row_elements, &pool[slot * row_elements]);
        }
      }
    }
  }

  /// Runs `job(thread)` on two host threads; what they throw fails the test.
  template <class Job>
  static void on_two_threads(Job const& job) {
    std::exception_ptr thrown[2];
    auto const guarded = [&](std::size_t i) {
      try {
        job(i);
      } catch (...) {
        thrown[i] = std::current_exception();
      }
    };
    std::thread first(guarded, 0), second(guarded, 1);
    first.join();
    second.join();
    for (auto const& one : thrown) {
      if (one) std::rethrow_exception(one);
    }
  }

  /// Both threads store into the collection that `pool_of(thread)` gives, each on its own instance
  /// and into its own layer; then the pools must read as if they had come one after the other.
  template <class... Options, class PoolOf>
  static void check(std::vector<blocks_type> const& pools, PoolOf const& pool_of,
                    Options... options) {
    auto const instances =
        Kokkos::Experimental::partition_space(ExecSpace{}, std::vector<int>{1, 1});
    auto const device_offsets = to_view<memory_space>(offsets);
    Random random(6);
    for (int repeat = 0; repeat < 50; ++repeat) {
      std::vector<Work<ExecSpace>> const work{{0, tokens, random}, {1, tokens, random}};
      for (auto const& blocks : pools) Kokkos::deep_copy(blocks, -1.0f);
      Kokkos::fence();
      on_two_threads([&](std::size_t i) {
        auto const& pool = pool_of(i);
        auto const& mine = work[i];
        kv_cache_store_ragged_key_value(instances[i], pool.get_key_cache(mine.layer),
                                        pool.get_value_cache(mine.layer), device_offsets, mine.keys,
                                        mine.values, options...);
        // Only this instance: the other thread's may go on.
        instances[i].fence();
      });
      for (std::size_t p = 0; p < pools.size(); ++p) {
        std::vector<float> expected(pools[p].size(), -1.0f);
        for (std::size_t i = 0; i < 2; ++i) {
          if (pools.size() == 1 || i == p) expect(expected, work[i]);
        }
        ASSERT_EQ(to_vector(pools[p]), expected) << "repeat " << repeat << ", pool " << p;
      }
    }
  }

  static blocks_type new_blocks() { return blocks_type("blocks", num_blocks, 2, num_layers); }
};
TYPED_TEST_SUITE(ConcurrentInstances, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(ConcurrentInstances, TwoLayersOfOnePool) {
  auto const blocks = TestFixture::new_blocks();
  auto const pool   = TestFixture::batch.collection(blocks);
  auto const get    = [&](std::size_t) -> auto const& { return pool; };
  TestFixture::check({blocks}, get);
  TestFixture::check({blocks}, get, unchecked);
}

TYPED_TEST(ConcurrentInstances, TwoPools) {
  std::vector const blocks{TestFixture::new_blocks(), TestFixture::new_blocks()};
  std::vector const pools{TestFixture::batch.collection(blocks[0]),
                          TestFixture::batch.collection(blocks[1])};
  auto const get = [&](std::size_t i) -> auto const& { return pools[i]; };
  TestFixture::check(blocks, get);
  TestFixture::check(blocks, get, unchecked);
}

// The fence of its instance completes an unchecked call: store, load and copy in a row need no
// other.
TYPED_TEST(ConcurrentInstances, FenceOfTheInstanceCompletesUncheckedCalls) {
  using memory_space   = typename TestFixture::memory_space;
  auto const blocks    = TestFixture::new_blocks();
  auto const pool      = TestFixture::batch.collection(blocks);
  auto const offsets   = to_view<memory_space>(TestFixture::offsets);
  auto const instances = Kokkos::Experimental::partition_space(TypeParam{}, std::vector<int>{1, 1});
  Random random(7);
  for (int repeat = 0; repeat < 20; ++repeat) {
    Work<TypeParam> const work(1, TestFixture::tokens, random);
    Kokkos::View<float***, Kokkos::LayoutRight, memory_space> const output(
        "output", TestFixture::tokens, num_heads, head_size);
    auto const& exec = instances[static_cast<std::size_t>(repeat) % 2];
    Kokkos::deep_copy(blocks, -1.0f);
    Kokkos::fence();
    kv_cache_store_ragged_key_value(exec, pool.get_key_cache(1), pool.get_value_cache(1), offsets,
                                    work.keys, work.values, unchecked);
    copy_pages(exec, pool, to_view<memory_space>({5}), to_view<memory_space>({63}), unchecked);
    kv_cache_load_ragged(exec, pool.get_value_cache(1), pool.cache_lengths(), offsets, output,
                         unchecked);
    exec.fence();
    std::vector<float> expected(blocks.size(), -1.0f);
    TestFixture::expect(expected, work);
    auto const page = blocks.size() / num_blocks;
    std::copy_n(&expected[5 * page], page, &expected[63 * page]);
    ASSERT_EQ(to_vector(blocks), expected);
    ASSERT_EQ(to_vector(output), work.host_values);
  }
}

}  // namespace KokkosKVTest
