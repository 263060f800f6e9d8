// What sanitizer builds leave out. A sanitizer looks for errors of memory, which do not depend on
// the numbers in it, and slows the compilation and the run down: typed tests run on one execution
// space there, and random ones with some of their shapes and cases.
#ifndef KOKKOSKV_TEST_SANITIZED_HPP
#define KOKKOSKV_TEST_SANITIZED_HPP

#include <cstddef>
#include <tuple>
#include <utility>

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define KOKKOSKV_TEST_SANITIZED
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define KOKKOSKV_TEST_SANITIZED
#endif

namespace KokkosKVTest {

#ifdef KOKKOSKV_TEST_SANITIZED
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

template <class Tuple, std::size_t Step, std::size_t... Indices>
std::tuple<std::tuple_element_t<Step * Indices, Tuple>...> every_nth(
    std::index_sequence<Indices...>);

/// One shape of three, the first among them, where sanitizers are on; else all.
template <class Shapes, std::size_t Step = is_sanitized ? 3 : 1>
using TestedShapes = decltype(every_nth<Shapes, Step>(
    std::make_index_sequence<(std::tuple_size_v<Shapes> + Step - 1) / Step>{}));

}  // namespace KokkosKVTest

#endif
