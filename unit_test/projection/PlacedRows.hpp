// Elements of a placed View back in row-major order.
#ifndef KOKKOSKV_TEST_PROJECTION_PLACEDROWS_HPP
#define KOKKOSKV_TEST_PROJECTION_PLACEDROWS_HPP

#include <cstddef>
#include <vector>

#include <Placement.hpp>

namespace KokkosKVTest {

/// The inverse of Placement::spread().
template <class T>
std::vector<T> collect(Placement<3> const& place, std::vector<T> const& array) {
  std::vector<T> result;
  for (std::size_t i = 0; i < place.extents[0]; ++i) {
    for (std::size_t j = 0; j < place.extents[1]; ++j) {
      for (std::size_t k = 0; k < place.extents[2]; ++k) {
        result.push_back(array[place.first + i * place.strides[0] + j * place.strides[1] +
                               k * place.strides[2]]);
      }
    }
  }
  return result;
}

}  // namespace KokkosKVTest

#endif
