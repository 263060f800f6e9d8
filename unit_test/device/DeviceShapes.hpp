// What the device instantiations share: the storage type of the translation unit and the shapes.
#ifndef KOKKOSKV_TEST_DEVICESHAPES_HPP
#define KOKKOSKV_TEST_DEVICESHAPES_HPP

#include <KokkosKV.hpp>
#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace KokkosKVTest::device {

/// Set by the command that compiles the unit.
using storage_type = KOKKOSKV_TEST_STORAGE_TYPE;

using exec_space   = Kokkos::DefaultExecutionSpace;
using memory_space = exec_space::memory_space;
using numbers_type = Kokkos::View<std::uint32_t*, memory_space>;

/// The type of inputs that are converted; integers are not.
using other_type =
    std::conditional_t<KokkosKV::is_storable_v<float, storage_type>, float, storage_type>;

/// A pool's types for one shape.
template <int PageSize, int NumHeads, int HeadSize>
struct Shape {
  using blocks_type = Kokkos::View<storage_type*** [PageSize][NumHeads][HeadSize],
                                   Kokkos::LayoutRight, memory_space>;
  using table_type  = Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, memory_space>;
  using pool_type   = decltype(KokkosKV::generic_get_paged_cache(std::declval<blocks_type>(),
                                                                 std::declval<numbers_type>(),
                                                                 std::declval<table_type>(), 1u, 1u));
  using cache_type  = decltype(std::declval<pool_type>().get_key_cache(0));
};

/// Ragged (rank 3) and padded (rank 4) inputs; any layout meets in the same kernel.
template <class T>
using RaggedView = Kokkos::View<T***, Kokkos::LayoutRight, memory_space>;
template <class T>
using PaddedView = Kokkos::View<T****, Kokkos::LayoutRight, memory_space>;

/// A functor of elements.
struct Elements {
  KOKKOS_FUNCTION other_type operator()(std::size_t row, int head, int dim) const {
    return static_cast<other_type>(static_cast<int>(row) + head * dim);
  }
  KOKKOS_FUNCTION other_type operator()(std::size_t sequence, std::size_t position, int head,
                                        int dim) const {
    return (*this)(sequence + position, head, dim);
  }
};

/// A functor of vectors over a packed array.
struct Vectors {
  using value_type = storage_type;

  storage_type const* data;
  std::size_t row_elements;
  std::size_t max_rows;
  int head_size;

  template <int Width, std::size_t Alignment>
  KOKKOS_FUNCTION KokkosKV::SimdVector<storage_type, Width> operator()(std::size_t row, int head,
                                                                       int dim) const {
    return KokkosKV::load_vector<Width, Alignment>(
        data + row * row_elements + static_cast<std::size_t>(head * head_size + dim));
  }
  template <int Width, std::size_t Alignment>
  KOKKOS_FUNCTION KokkosKV::SimdVector<storage_type, Width> operator()(std::size_t sequence,
                                                                       std::size_t position,
                                                                       int head, int dim) const {
    return operator()<Width, Alignment>(sequence * max_rows + position, head, dim);
  }
};

/// Calls `visit` with every shape: a common model's, one whose page size is no power of two, one
/// head of 576 as with MLA, one whose head is narrower than a vector, and single elements.
template <class Visit>
void for_each_shape(Visit const& visit) {
  visit(Shape<16, 8, 128>{});
  visit(Shape<48, 5, 80>{});
  visit(Shape<64, 1, 576>{});
  visit(Shape<7, 3, 5>{});
  visit(Shape<1, 1, 1>{});
}

}  // namespace KokkosKVTest::device

#endif
