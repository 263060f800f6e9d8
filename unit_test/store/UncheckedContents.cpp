// Unchecked calls with bad contents: whatever tables, lengths and offsets hold, nothing outside the
// pool, the input or the output is written or read.
#include <ExecutionSpaces.hpp>
#include <Forms.hpp>
#include <KokkosKV.hpp>
#include <cstddef>
#include <cstdint>
#include <reference/Random.hpp>
#include <support/GuardedMemory.hpp>
#include <support/TestBatch.hpp>

namespace KokkosKVTest {

using namespace KokkosKV;

constexpr int page_size = 3, num_heads = 2, head_size = 4;
constexpr std::size_t batch_size = 3, max_pages = 4, num_blocks = 5, num_layers = 2;
constexpr std::size_t max_rows = 7, tokens = batch_size * max_rows, row_elements = 8;
constexpr std::size_t packed_page = 2 * num_layers * page_size * row_elements;
constexpr std::size_t page_pitch  = packed_page + 8;

// Stands in guards and padding. Where it turns up elsewhere, something was read from there.
constexpr float marker            = -777.0f;
constexpr std::uint32_t bad_entry = 0xDEAD0000u;

/// Elements between guards; the marker where `inside(index)` says that the element is not to be
/// touched.
template <class MemorySpace, class Inside>
auto marked_memory(std::size_t size, float first, Inside const& inside) {
  constexpr auto guard = GuardedMemory<float, MemorySpace>::guard;
  return GuardedMemory<float, MemorySpace>(size, [=](std::size_t i) {
    bool const data = i >= guard && i < guard + size && inside(i - guard);
    return data ? first + static_cast<float>(i - guard) : marker;
  });
}

/// Input as the user's functors see it.
struct FromMemory {
  float const* data;
  KOKKOS_FUNCTION float operator()(std::size_t row, int head, int dim) const {
    return data[row * row_elements + static_cast<std::size_t>(head * head_size + dim)];
  }
  KOKKOS_FUNCTION float operator()(std::size_t sequence, std::size_t position, int head,
                                   int dim) const {
    return (*this)(sequence * max_rows + position, head, dim);
  }
};

template <class ExecSpace>
class UncheckedContents : public testing::Test {
 protected:
  using memory_space = typename ExecSpace::memory_space;
  using memory_type  = GuardedMemory<float, memory_space>;
  using numbers_type = Kokkos::View<std::uint32_t*, memory_space>;

  static bool in_page(std::size_t element) { return element % page_pitch < packed_page; }
  static bool everywhere(std::size_t) { return true; }

  memory_type pool   = marked_memory<memory_space>(num_blocks * page_pitch, 1.0f, in_page);
  memory_type input  = marked_memory<memory_space>(tokens * row_elements, 5000.0f, everywhere);
  memory_type output = marked_memory<memory_space>(tokens * row_elements, 9000.0f, everywhere);

  Random random{5};

  /// A number that is right, nearly right or far off.
  std::uint32_t bad_number() {
    auto const any = static_cast<std::uint32_t>(random.bits());
    return random.pick<std::uint32_t>({0, 1, 2, any % 8, any % 16, num_blocks, tokens, tokens + 1,
                                       0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFEu, 0xFFFFFFFFu, any});
  }

  /// Numbers at the start of a larger allocation that goes on with bad entries.
  numbers_type numbers(Numbers values) const {
    auto const size = values.size();
    values.resize(size + 64, bad_entry);
    return Kokkos::subview(to_view<memory_space>(values), std::make_pair(std::size_t(0), size));
  }
  numbers_type bad_numbers(std::size_t count) {
    Numbers values(count);
    for (auto& value : values) value = bad_number();
    return numbers(values);
  }

  auto collection(numbers_type const& lengths, numbers_type const& table) const {
    using table_type  = Kokkos::View<std::uint32_t const**, Kokkos::LayoutRight, memory_space>;
    auto const blocks = padded_blocks<float, page_size, num_heads, head_size, memory_space>(
        pool.data(), num_blocks, 2, num_layers, page_pitch);
    return generic_get_paged_cache(blocks, lengths, table_type(table.data(), batch_size, max_pages),
                                   4, 4, unchecked);
  }

  /// Guards and padding hold the marker and nothing else does: nothing was written there, and
  /// nothing that was written came from there.
  template <class Inside>
  static void expect_contained(memory_type const& memory, std::size_t size, Inside const& inside) {
    auto const all = memory.snapshot();
    for (std::size_t i = 0; i < all.size(); ++i) {
      bool const data = i >= memory_type::guard && i < memory_type::guard + size &&
                        inside(i - memory_type::guard);
      ASSERT_EQ(all[i] == marker, !data) << "element " << i << " reads " << all[i];
    }
  }

  template <class Call>
  void stays_contained(Call const& call) const {
    call();
    Kokkos::fence();
    expect_contained(pool, num_blocks * page_pitch, in_page);
    expect_contained(output, tokens * row_elements, everywhere);
  }

  /// Views and functors, public and in the form that devices run.
  template <class Pool>
  void try_ragged(Pool const& some_pool, numbers_type const& offsets) const {
    auto const keys   = some_pool.get_key_cache(1);
    auto const values = some_pool.get_value_cache(0);
    RaggedShape const shape{tokens, num_heads, head_size};
    FromMemory const functor{input.data()};
    Kokkos::View<float const***, Kokkos::LayoutRight, memory_space> const view(
        input.data(), tokens, num_heads, head_size);
    ExecSpace const exec;
    stays_contained([&] { kv_cache_store_ragged(exec, keys, offsets, view, unchecked); });
    stays_contained([&] { kv_cache_store_ragged(keys, shape, offsets, functor, unchecked); });
    stays_contained([&] { store_ragged(1, exec, keys, shape, offsets, view, unchecked); });
    stays_contained(
        [&] { store_key_value(1, exec, keys, values, shape, offsets, view, view, unchecked); });
  }

  template <class Pool>
  void try_padded(Pool const& some_pool, numbers_type const& lengths) const {
    auto const keys   = some_pool.get_key_cache(0);
    auto const values = some_pool.get_value_cache(1);
    PaddedShape const shape{batch_size, max_rows, num_heads, head_size};
    FromMemory const functor{input.data()};
    Kokkos::View<float const****, Kokkos::LayoutRight, memory_space> const view(
        input.data(), batch_size, max_rows, num_heads, head_size);
    ExecSpace const exec;
    for (int const team_size : team_sizes<ExecSpace>()) {
      stays_contained(
          [&] { store_padded(team_size, exec, values, shape, lengths, view, unchecked); });
    }
    stays_contained([&] {
      kv_cache_store_padded_key_value(exec, keys, values, shape, lengths, functor, functor,
                                      unchecked);
    });
  }

  template <class Pool>
  void try_load(Pool const& some_pool, numbers_type const& first_tokens,
                numbers_type const& offsets) const {
    auto const cache = some_pool.get_key_cache(1);
    Kokkos::View<float***, Kokkos::LayoutRight, memory_space> const view(output.data(), tokens,
                                                                         num_heads, head_size);
    ExecSpace const exec;
    for (int const team_size : team_sizes<ExecSpace>()) {
      stays_contained(
          [&] { load_ragged(team_size, exec, cache, first_tokens, offsets, view, unchecked); });
    }
  }

  template <class Pool>
  void try_copy(Pool const& some_pool, numbers_type const& sources,
                numbers_type const& destinations) const {
    ExecSpace const exec;
    for (int const team_size : team_sizes<ExecSpace>()) {
      stays_contained(
          [&] { copy_pages(team_size, exec, some_pool, sources, destinations, unchecked); });
    }
  }

  void try_all(numbers_type const& lengths, numbers_type const& table, numbers_type const& offsets,
               numbers_type const& rows) const {
    auto const some_pool = collection(lengths, table);
    try_ragged(some_pool, offsets);
    try_padded(some_pool, rows);
    try_load(some_pool, lengths, offsets);
  }

  // What each directed test makes worse in one place.
  Numbers const good_table{0, 1, 2, null_page, 3, 4, null_page, 0, 1, 2, 3, 4};
  Numbers const good_lengths{3, 0, 7};
  Numbers const good_offsets{0, 7, 14, 21};
  Numbers const good_rows{7, 0, 3};
};
TYPED_TEST_SUITE(UncheckedContents, ExecutionSpaces, ExecutionSpaceName);

TYPED_TEST(UncheckedContents, PagesOutsideThePool) {
  for (std::uint32_t const page : {5u, 6u, 0x7FFFFFFFu, 0x80000000u, bad_entry, 0xFFFFFFFEu}) {
    for (std::size_t at = 0; at < 12; at += 3) {
      auto table = this->good_table;
      table[at]  = page;
      this->try_all(this->numbers(this->good_lengths), this->numbers(table),
                    this->numbers(this->good_offsets), this->numbers(this->good_rows));
    }
  }
}

TYPED_TEST(UncheckedContents, TokensPastTheRowOfTheTable) {
  for (std::uint32_t const length : {10u, 11u, 12u, 13u, 0x7FFFFFFFu, 0xFFFFFFF0u, 0xFFFFFFFFu}) {
    for (std::size_t sequence = 0; sequence < batch_size; ++sequence) {
      auto lengths      = this->good_lengths;
      lengths[sequence] = length;
      this->try_all(this->numbers(lengths), this->numbers(this->good_table),
                    this->numbers(this->good_offsets), this->numbers(this->good_rows));
    }
  }
}

TYPED_TEST(UncheckedContents, BadOffsetsAndLengths) {
  // Wrong begin, wrong end, decreasing, too large, all the same.
  for (auto const& offsets :
       {Numbers{5, 7, 14, 21}, Numbers{0, 7, 14, 15}, Numbers{0, 14, 7, 21}, Numbers{21, 14, 7, 0},
        Numbers{0, 99, 14, 21}, Numbers{0, 7, 14, 99}, Numbers{0xFFFFFFFFu, 0, 0, 0},
        Numbers{8, 8, 8, 8}, Numbers{0xFFFFFFFFu, 0xFFFFFFFFu, 0xFFFFFFFFu, 0xFFFFFFFFu}}) {
    this->try_all(this->numbers(this->good_lengths), this->numbers(this->good_table),
                  this->numbers(offsets), this->numbers({offsets[0], offsets[1], offsets[2]}));
  }
}

TYPED_TEST(UncheckedContents, RandomNumbers) {
  for (int repeat = 0; repeat < 100; ++repeat) {
    auto const table = this->bad_numbers(batch_size * max_pages);
    this->try_all(this->bad_numbers(batch_size), table, this->bad_numbers(batch_size + 1),
                  this->bad_numbers(batch_size));
    this->try_copy(this->collection(this->numbers(this->good_lengths), table), this->bad_numbers(7),
                   this->bad_numbers(7));
  }
}

TYPED_TEST(UncheckedContents, CopiesOfPagesOutsideThePool) {
  auto const some_pool =
      this->collection(this->numbers(this->good_lengths), this->numbers(this->good_table));
  for (std::uint32_t const page : {5u, 0x7FFFFFFFu, bad_entry, 0xFFFFFFFFu}) {
    this->try_copy(some_pool, this->numbers({0, page, 1}), this->numbers({page, 2, page}));
  }
}

}  // namespace KokkosKVTest
