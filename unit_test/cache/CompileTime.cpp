// What the compiler must know, and what it must refuse.
#include <gtest/gtest.h>

#include <KokkosKV.hpp>
#include <array>
#include <concepts>
#include <type_traits>

namespace KokkosKVTest {
namespace {

using namespace KokkosKV;
using memory_space = Kokkos::DefaultExecutionSpace::memory_space;
using blocks_type  = Kokkos::View<float*** [16][2][8], memory_space>;
using numbers      = Kokkos::View<std::uint32_t*, memory_space>;
using table_type   = Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, memory_space>;

template <class Blocks, class Max = int>
using collection_of = decltype(generic_get_paged_cache(
    std::declval<Blocks>(), std::declval<numbers>(), std::declval<table_type>(), Max{}, Max{}));
using cache_type    = collection_of<blocks_type>::cache_type;

// Parameters as template argument.
template <KVCacheStaticParams Params>
struct Parametrised {
  static constexpr int token_size = Params.num_heads * Params.head_size;
};
static_assert(Parametrised<KVCacheStaticParams{2, 8}>::token_size == 16);
static_assert(std::same_as<Parametrised<{2, 8}>, Parametrised<{2, 8, false}>>);
static_assert(!std::same_as<Parametrised<{2, 8}>, Parametrised<{2, 8, true}>>);
static_assert(KVCacheStaticParams{2, 8} == KVCacheStaticParams{2, 8, false});

// Extents known to the compiler.
static_assert(cache_type::rank == 4 && cache_type::page_size == 16 && cache_type::num_heads == 2 &&
              cache_type::head_size == 8);
static_assert(std::array<int, cache_type::token_size>{}.size() == 16);
static_assert(std::array<int, cache_type::page_elements>{}.size() == 256);
static_assert(cache_type::kv_params == KVCacheStaticParams{2, 8});
static_assert(std::same_as<cache_type::value_type, float>);

// Kernels copy caches byte by byte; a cache without scales pays nothing for them.
static_assert(std::is_trivially_copyable_v<cache_type>);
static_assert(std::is_trivially_copyable_v<LookupTable<memory_space>>);
static_assert(std::is_trivially_copyable_v<PageScales<float, memory_space>>);
using scaled_cache = PagedKVCache<std::int8_t, KVCacheStaticParams{2, 8}, 16, memory_space,
                                  PageScales<float, memory_space>>;
static_assert(std::is_trivially_copyable_v<scaled_cache>);
static_assert(sizeof(cache_type) < sizeof(scaled_cache));

// MLA is known to the compiler where the kv dimension is static, and found at run time elsewhere.
static_assert(!collection_of<blocks_type>::kv_params.is_mla);
using mla_collection =
    PagedKVCacheCollection<float, KVCacheStaticParams{2, 8, true}, 16, memory_space>;
template <class Collection>
concept HasValues = requires(Collection const& pool) { pool.get_value_cache(0); };
static_assert(HasValues<collection_of<blocks_type>>);
static_assert(!HasValues<mla_collection>);

// Scales are there only with scales.
template <class Cache>
concept HasScales = requires(Cache const& cache) { cache.load_scale(0, 0, 0, 0); };
static_assert(HasScales<scaled_cache> && !HasScales<cache_type>);

// A cache over const elements can be read, not written.
using const_cache = PagedKVCache<float const, KVCacheStaticParams{2, 8}, 16, memory_space>;
template <class Cache>
concept Writable = requires(Cache const& cache, SimdVector<float, 4> const& vector) {
  cache.store(0, 0, 0, 0, vector);
};
static_assert(Writable<cache_type> && !Writable<const_cache>);
static_assert(requires(const_cache const& cache) { cache.load<4>(0, 0, 0, 0); });

// The first overload takes only Views whose static extents carry the page.
template <class Blocks>
concept Deducible =
    requires(Blocks const& blocks, numbers const& lengths, table_type const& table) {
      generic_get_paged_cache(blocks, lengths, table, 1, 1);
    };
static_assert(Deducible<blocks_type>);
static_assert(!Deducible<Kokkos::View<float******, memory_space>>);
static_assert(!Deducible<Kokkos::View<float**** [2][8], memory_space>>);
static_assert(!Deducible<std::array<float, 4>>);

// A length is an integer or a View, not a floating-point number.
template <class Number>
concept Length = requires(Number const& number) { Impl::length_value("", "", number); };
static_assert(Length<int> && Length<unsigned long> && Length<numbers>);
static_assert(!Length<double> && !Length<char const*>);

// What is stored into what: floating-point types into one another, integers into nothing else.
static_assert(is_storable_v<float, float> && is_storable_v<double, half> &&
              is_storable_v<bf16, half> && is_storable_v<half, double> &&
              is_storable_v<std::int8_t, std::int8_t>);
static_assert(!is_storable_v<int, float> && !is_storable_v<float, int> &&
              !is_storable_v<std::int8_t, std::uint8_t> && !is_storable_v<std::int8_t, int> &&
              !is_storable_v<std::int8_t, bf16> && !is_storable_v<bool, float>);

// No storage type slips into another without being asked.
static_assert(!std::is_convertible_v<float, half> && !std::is_convertible_v<half, float> &&
              !std::is_convertible_v<float, bf16> && !std::is_convertible_v<bf16, float> &&
              !std::is_convertible_v<half, bf16>);
static_assert(std::is_trivial_v<half> && std::is_trivial_v<bf16>);

// A store takes row offsets in a View, a cache and an input that may be a functor.
template <class Cache, class Offsets>
concept Storable = requires(Cache const& cache, Offsets const& offsets) {
  kv_cache_store_ragged(cache, RaggedShape{}, offsets, [](std::size_t, int, int) { return 1.0f; });
};
static_assert(Storable<cache_type, numbers> && !Storable<blocks_type, numbers> &&
              !Storable<cache_type, std::array<std::uint32_t, 3>> && !Storable<cache_type, int>);

// `unchecked` is asked for by name: empty braces do not make one.
template <class Tag>
concept MadeOfBraces = requires(void (*f)(Tag)) { f({}); };
static_assert(!MadeOfBraces<unchecked_t>);

// Every refusal is an invalid_argument and tells its argument.
template <class Error>
inline constexpr bool is_refusal =
    std::is_base_of_v<ArgumentError, Error> && std::is_base_of_v<std::invalid_argument, Error>;
static_assert(is_refusal<ShapeError> && is_refusal<RaggedError> && is_refusal<LookupTableError> &&
              is_refusal<ConflictError>);

// The run-time kv dimension decides where the compiler does not know it.
TEST(CompileTime, StaticKvDimensionTellsMla) {
  using static_mla = Kokkos::View<float* [1][3][16][2][8], memory_space>;
  static_assert(Impl::static_params<static_mla>.is_mla);
  static_assert(!Impl::static_params<Kokkos::View<float* [2][3][16][2][8], memory_space>>.is_mla);
  auto const pool = generic_get_paged_cache(static_mla("blocks", 2), numbers("lengths", 1),
                                            table_type("table", 1, 1), 1, 1);
  static_assert(!HasValues<std::remove_const_t<decltype(pool)>>);
  EXPECT_TRUE(pool.is_mla());
}

}  // namespace
}  // namespace KokkosKVTest
